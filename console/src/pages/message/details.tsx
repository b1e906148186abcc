/** The details of a message. Tags, metadata and the provider lead to the other messages that have them. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { MessageDetails } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { Card, Facts } from '../../ui/parts.tsx'
import { DatedTime } from './dated-time.tsx'
import { Id } from './id.tsx'
import { toPreciseSpan } from './spans.ts'

const T = MESSAGE_TEXTS.details

export const Details = ({ details }: Readonly<{ details: MessageDetails }>) => (
  <Card title={T.title}>
    <Facts
      facts={[
        [T.created, <DatedTime key="created" at={details.created_at} />],
        [T.handedOff, toLater(details.created_at, details.handed_off_at)],
        [T.ended, toLater(details.handed_off_at ?? details.created_at, details.ended_at)],
        [T.expires, details.expires_at && <DatedTime key="expires" at={details.expires_at} />],
        [T.sender, details.sender_id],
        [T.subject, details.subject],
        [
          T.size,
          details.channel === 'sms' ? T.parts(details.segments, COMMON_TEXTS.encodings[details.encoding]) : null,
        ],
        [T.template, toFilterLink('template', details.template)],
        [T.batch, toFilterLink('batch', details.batch_id)],
        [T.tags, details.tags.length > 0 ? <Tags key="tags" tags={details.tags} /> : null],
        [T.metadata, toMetadata(details.metadata)],
        [T.callback, details.callback_url],
        [T.account, details.account_id],
        [T.id, toId(details.id, T.id)],
        [T.providerId, toId(details.provider_message_id, T.providerId)],
        [T.trace, toId(details.trace_id, T.trace)],
        [T.request, toId(details.http_request_id, T.request)],
      ]}
    />
  </Card>
)

const toId = (id: string | null, name: string): ReactNode => (id === null ? null : <Id id={id} name={name} />)

type Filter = 'tag' | 'provider' | 'metadata' | 'template' | 'batch'

const toFilterLink = (name: Filter, value: string | null): ReactNode =>
  value === null ? null : (
    <Link href={toFiltered(name, value)} title={T.filter(value)}>
      {value}
    </Link>
  )

/** The list, filtered. */
export const toFiltered = (name: Filter, value: string): string => `/messages?${new URLSearchParams({ [name]: value })}`

const toMetadata = (metadata: MessageDetails['metadata']): ReactNode =>
  Object.keys(metadata).length === 0 ? null : (
    <Facts
      facts={Object.entries(metadata).map(([key, value]) => [
        key,
        <Link key={key} href={toFiltered('metadata', `${key}:${value}`)} title={T.filter(`${key}:${value}`)}>
          {value}
        </Link>,
      ])}
    />
  )

function toLater(from: string, at: string | null): ReactNode {
  if (at === null) return null
  const span = toPreciseSpan(Math.max(0, Date.parse(at) - Date.parse(from)))
  return (
    <>
      <DatedTime at={at} /> <span className="soft">{T.later(span)}</span>
    </>
  )
}

const Tags = ({ tags }: Readonly<{ tags: readonly string[] }>) => (
  <ul className="tags">
    {tags.map((tag) => (
      <li key={tag}>
        <Link href={toFiltered('tag', tag)} className="tag" title={T.filter(tag)}>
          {tag}
        </Link>
      </li>
    ))}
  </ul>
)
