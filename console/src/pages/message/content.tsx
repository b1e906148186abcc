/** What a message says, for those who may know, and only when they ask: each look is noted by the gateway. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type MessageDetails, Problem, take } from '../../api/client.ts'
import type { paths } from '../../api/schema.gen.d.ts'
import { may, useSession } from '../../api/session.ts'
import { TEXTS } from '../../texts.ts'
import { MailView } from '../../ui/mail-view.tsx'
import { Button, Card, Failure, Loading } from '../../ui/parts.tsx'
import { SmsParts } from './sms-parts.tsx'

const T = TEXTS.message.content

type Shown = paths['/v1/messages/{id}/content']['get']['responses']['200']['content']['application/json']
export type SmsContent = Extract<Shown, { channel: 'sms' }>

export function Content({ details }: Readonly<{ details: MessageDetails }>) {
  const session = useSession()
  const [isShown, setShown] = useState(false)
  const closed = whyClosed(details, may(session, 'admin'))
  return (
    <Card title={T.title}>
      {closed !== undefined && <p className="soft">{closed}</p>}
      {closed === undefined && (
        <div className="stack">
          <div className="row">
            <Button aria-expanded={isShown} onClick={() => setShown(!isShown)}>
              {isShown ? T.hide : T.show}
            </Button>
            <span className="soft">{T.about}</span>
          </div>
          {isShown && <Opened id={details.id} />}
        </div>
      )}
    </Card>
  )
}

function whyClosed({ lane, erased }: MessageDetails, isAdmin: boolean): string | undefined {
  if (lane === 'otp') return T.code
  if (erased) return T.erased
  return isAdmin ? undefined : T.notAllowed
}

/** Forgotten as soon as it is closed, and never asked for again by itself. */
function Opened({ id }: Readonly<{ id: string }>) {
  const { data, error } = useQuery({
    queryKey: ['content', id],
    queryFn: () => take(api.GET('/v1/messages/{id}/content', { params: { path: { id } } })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  if (error !== null) {
    return error instanceof Problem && error.status === 403 ? (
      <p className="note">{T.code}</p>
    ) : (
      <Failure error={error} />
    )
  }
  if (data === undefined) return <Loading />
  return data.channel === 'sms' ? <SmsParts content={data} /> : <MailView {...data} />
}
