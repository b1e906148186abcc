/** The content of a message, fetched on request, for those who may read content only. The gateway logs each access. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, type MessageDetails, Problem, unwrap } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.d.ts'
import { hasScope, useSession } from '../../api/session.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { MailView } from '../../ui/mail-view.tsx'
import { Button, Card, Failure, Loading } from '../../ui/parts.tsx'
import { SmsParts } from './sms-parts.tsx'

const T = MESSAGE_TEXTS.content

export type SmsContent = components['schemas']['SmsContent']

export function Content({ details }: Readonly<{ details: MessageDetails }>) {
  const session = useSession()
  const [isShown, setShown] = useState(false)
  const hiddenReason = whyHidden(details, hasScope(session, 'content:read'))
  return (
    <Card title={T.title}>
      {hiddenReason !== undefined && <p className="soft">{hiddenReason}</p>}
      {hiddenReason === undefined && (
        <div className="stack">
          <div className="row">
            <Button aria-expanded={isShown} onClick={() => setShown(!isShown)}>
              {isShown ? T.hide : T.show}
            </Button>
            <span className="soft">{T.about}</span>
          </div>
          {isShown && <ContentView id={details.id} />}
        </div>
      )}
    </Card>
  )
}

function whyHidden({ lane, erased }: MessageDetails, isAllowed: boolean): string | undefined {
  if (lane === 'otp') return T.code
  if (erased) return T.erased
  return isAllowed ? undefined : T.notAllowed
}

/** Dropped when it is hidden, and never refetched. */
function ContentView({ id }: Readonly<{ id: string }>) {
  const { data, error } = useQuery({
    queryKey: ['content', id],
    queryFn: () => unwrap(api.GET('/v1/messages/{id}/content', { params: { path: { id } } })),
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
