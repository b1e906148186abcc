/**
 * An email: its header, HTML, text and other headers. Shows only what it is given, so `<MailView html={html} />` shows
 * the HTML alone.
 */
import '../styles/mail-view.css'
import { MAIL_VIEW_TEXTS } from '../texts/mail-view.ts'
import { MailHtml } from './mail-html.tsx'
import { toSize } from './numbers.ts'
import { Button, Facts } from './parts.tsx'
import { type Tab, Tabs } from './tabs.tsx'

const T = MAIL_VIEW_TEXTS

type Attachment = Readonly<{ filename: string; content_type: string; size: number }>

export type Mail = Readonly<{
  html?: string | null | undefined
  text?: string | null | undefined
  subject?: string | null | undefined
  from?: string | null | undefined
  to?: string | null | undefined
  reply_to?: readonly string[] | undefined
  cc?: readonly string[] | undefined
  bcc?: readonly string[] | undefined
  headers?: Readonly<Record<string, string>> | undefined
  attachments?: readonly Attachment[] | undefined
}>

type MailViewProps = Mail & Readonly<{ onAttachment?: ((index: number) => void) | undefined }>

export function MailView({ onAttachment, ...mail }: MailViewProps) {
  const { attachments = [] } = mail
  return (
    <div className="mail-view">
      <MailHead mail={mail} />
      <MailBody mail={mail} />
      {attachments.length > 0 && <Attachments attachments={attachments} onAttachment={onAttachment} />}
    </div>
  )
}

function MailHead({ mail }: Readonly<{ mail: Mail }>) {
  const facts = [
    [T.subject, mail.subject],
    [T.from, mail.from],
    [T.to, mail.to],
    [T.replyTo, mail.reply_to?.join(', ')],
    [T.cc, mail.cc?.join(', ')],
    [T.bcc, mail.bcc?.join(', ')],
  ] as const
  return facts.some(([, value]) => value) ? <Facts facts={facts} /> : null
}

function MailBody({ mail: { html, text, subject, headers = {} } }: Readonly<{ mail: Mail }>) {
  const tabs: readonly (Tab | false)[] = [
    Boolean(html) && {
      key: 'html',
      name: T.html,
      view: () => <MailHtml html={html ?? ''} title={subject ?? undefined} />,
    },
    Boolean(text) && { key: 'text', name: T.text, view: () => <pre className="mail-text">{text}</pre> },
    Object.keys(headers).length > 0 && {
      key: 'headers',
      name: T.headers,
      view: () => <Facts facts={Object.entries(headers)} />,
    },
  ]
  const shown = tabs.filter((tab) => tab !== false)
  if (shown.length === 0) return <p className="soft">{T.nothing}</p>
  return shown.length === 1 ? shown[0]?.view() : <Tabs label={T.views} tabs={shown} />
}

type AttachmentsProps = Required<Pick<Mail, 'attachments'>> & Pick<MailViewProps, 'onAttachment'>

const Attachments = ({ attachments = [], onAttachment }: AttachmentsProps) => (
  <div>
    <h3 className="mail-attachments-title">{T.attachments}</h3>
    <ul className="mail-attachments">
      {attachments.map(({ filename, content_type, size }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two may have one name, and they never change places
        <li key={index}>
          {onAttachment === undefined ? (
            <span>{filename}</span>
          ) : (
            <Button onClick={() => onAttachment(index)}>{filename}</Button>
          )}
          <span className="soft nums">
            {content_type} · {toSize(size)}
          </span>
        </li>
      ))}
    </ul>
  </div>
)
