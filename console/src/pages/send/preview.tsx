/** What the recipient will see: the SMS on a phone, the email in the width of a desktop or a phone. */
import { detailsOf } from '../../api/client.ts'
import { SEND_TEXTS } from '../../texts/send.ts'
import { GsmText } from '../../ui/gsm-text.tsx'
import { MailView } from '../../ui/mail-view.tsx'
import { Card, Failure } from '../../ui/parts.tsx'
import { type Draft, templateOf } from './draft.ts'
import { useRendered } from './templates.ts'

const T = SEND_TEXTS.preview

export function Preview({ draft }: Readonly<{ draft: Draft }>) {
  const template = templateOf(draft)
  const { data, error } = useRendered(template, draft.values)
  const missing = detailsOf(error).filter(({ path }) => path.startsWith('/data/'))
  const text = template === undefined ? draft.message : (data?.text ?? '')
  const mail = template === undefined ? { subject: draft.subject, html: draft.html } : (data ?? {})
  return (
    <Card title={T.title} className="send-preview">
      {draft.kind === 'otp' && <p className="soft">{T.otp(draft.appName.trim())}</p>}
      {missing.length > 0 && (
        <p className="note warn">
          {T.missing} <code>{missing.map(({ path }) => path.slice('/data/'.length)).join(', ')}</code>
        </p>
      )}
      {error !== null && missing.length === 0 && template !== undefined && <Failure error={error} />}
      {draft.kind === 'sms' && <Sms text={text.trim()} />}
      {draft.kind === 'email' && <Email mail={mail} />}
    </Card>
  )
}

const Sms = ({ text }: Readonly<{ text: string }>) =>
  text === '' ? (
    <p className="soft">{T.sms}</p>
  ) : (
    <p className="send-bubble">
      <GsmText text={text} />
    </p>
  )

type MailProps = Readonly<{ mail: Readonly<{ subject?: string; html?: string; text?: string }> }>

const Email = ({ mail }: MailProps) =>
  mail.html || mail.text || mail.subject ? <MailView {...mail} /> : <p className="soft">{T.email}</p>
