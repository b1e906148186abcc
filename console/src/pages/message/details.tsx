/** The details of a message. */
import type { ReactNode } from 'react'
import type { MessageDetails } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Card, Facts } from '../../ui/parts.tsx'
import { FullTime } from '../../ui/time.tsx'
import { toPreciseSpan } from './spans.ts'

const T = TEXTS.message.details

export const Details = ({ details }: Readonly<{ details: MessageDetails }>) => (
  <Card title={T.title}>
    <Facts
      facts={[
        [T.providerId, toId(details.provider_message_id, T.providerId)],
        [T.trace, toId(details.trace_id, T.trace)],
        [T.account, details.account_id],
        [T.sender, details.sender_id],
        [T.subject, details.subject],
        [
          T.size,
          details.channel === 'sms' ? T.parts(details.segments, TEXTS.common.encodings[details.encoding]) : null,
        ],
        [T.created, <FullTime key="created" at={details.created_at} />],
        [T.handedOff, toLater(details.created_at, details.handed_off_at)],
        [T.ended, toLater(details.handed_off_at ?? details.created_at, details.ended_at)],
        [T.expires, details.expires_at && <FullTime key="expires" at={details.expires_at} />],
        [T.callback, details.callback_url],
        [T.tags, details.tags.length > 0 ? <Tags key="tags" tags={details.tags} /> : null],
        [T.metadata, toMetadata(details.metadata)],
      ]}
    />
  </Card>
)

const Id = ({ id, name }: Readonly<{ id: string; name: string }>) => (
  <span className="id">
    <code>{id}</code>
    <CopyButton text={id} what={name} />
  </span>
)

const toId = (id: string | null, name: string): ReactNode => (id === null ? null : <Id id={id} name={name} />)

const toMetadata = (metadata: MessageDetails['metadata']): ReactNode =>
  Object.keys(metadata).length === 0 ? null : <Facts facts={Object.entries(metadata)} />

function toLater(from: string, at: string | null): ReactNode {
  if (at === null) return null
  const span = toPreciseSpan(Math.max(0, Date.parse(at) - Date.parse(from)))
  return (
    <>
      <FullTime at={at} /> <span className="soft">{T.later(span)}</span>
    </>
  )
}

const Tags = ({ tags }: Readonly<{ tags: readonly string[] }>) => (
  <ul className="tags">
    {tags.map((tag) => (
      <li key={tag} className="tag">
        {tag}
      </li>
    ))}
  </ul>
)
