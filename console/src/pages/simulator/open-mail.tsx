/** One email with its attachments and source. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { UserRound } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { api, isNotFound, unwrap } from '../../api/client.ts'
import { download, fetchFile } from '../../api/download.ts'
import { SIMULATOR_TEXTS } from '../../texts/simulator.ts'
import { MailView } from '../../ui/mail-view.tsx'
import { Button, Failure, Loading } from '../../ui/parts.tsx'
import { FullTime } from '../../ui/time.tsx'
import { showErrorToast } from '../../ui/toast.tsx'

const T = SIMULATOR_TEXTS.mailbox

const pathOf = (attemptId: string): string => `/v1/simulator/mails/${encodeURIComponent(attemptId)}`

export function OpenMail({ attemptId }: Readonly<{ attemptId: string }>) {
  const { data: mail, error } = useQuery({
    queryKey: ['simulator', 'mail', attemptId],
    queryFn: () => unwrap(api.GET('/v1/simulator/mails/{attempt_id}', { params: { path: { attempt_id: attemptId } } })),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const save = useMutation({
    mutationFn: (index: number) =>
      download(`${pathOf(attemptId)}/attachments/${index}`, mail?.attachments[index]?.filename ?? 'attachment'),
    onError: showErrorToast,
  })
  if (isNotFound(error)) return <p className="device-empty soft">{T.gone}</p>
  if (error !== null) return <Failure error={error} />
  if (mail === undefined) return <Loading />
  return (
    <section className="open-mail" aria-label={mail.subject}>
      <header className="open-mail-head">
        <h3>{mail.subject}</h3>
        <span className="phone-avatar" aria-hidden="true">
          <UserRound />
        </span>
        <div className="open-mail-people">
          <strong>{mail.from}</strong>
          <span className="soft">{T.to(mail.to)}</span>
        </div>
        <div className="open-mail-meta soft">
          <FullTime at={mail.received_at} />
          <Link href={`/messages/${mail.message_id}`}>{T.message}</Link>
        </div>
      </header>
      <MailView
        {...mail}
        subject={undefined}
        from={undefined}
        to={undefined}
        onAttachment={(index) => save.mutate(index)}
      />
      <MailSource attemptId={attemptId} />
    </section>
  )
}

/** Fetched when it is opened. */
function MailSource({ attemptId }: Readonly<{ attemptId: string }>) {
  const [isOpen, setOpen] = useState(false)
  const path = `${pathOf(attemptId)}/raw`
  const { data, error } = useQuery({
    queryKey: ['simulator', 'source', attemptId],
    queryFn: async () => (await fetchFile(path)).text(),
    enabled: isOpen,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <details className="mail-source" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{T.source}</summary>
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && isOpen && <Loading />}
      {data !== undefined && (
        <>
          <Button onClick={() => void download(path, 'mail.eml').catch(showErrorToast)}>{T.download}</Button>
          <pre>{data}</pre>
        </>
      )}
    </details>
  )
}
