/** Sends mail through a gateway, and reads what the mail server received. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import PostalMime, { type Email } from 'postal-mime'
import type { EmailSend } from '../../src/api/send/email-fields.ts'
import type { Answer, Gateway } from './gateway.ts'
import type { SinkMail, SmtpSink } from './smtp-sink.ts'
import { until, type WaitOptions } from './until.ts'

type Caller = Pick<Gateway, 'call'>

/** Any fields of `POST /v1/email/send`. */
export type Mail = Readonly<EmailSend>
export type Posted = Readonly<{ request_id: string; status: string; error_code?: string }>
export type EmailStep = Readonly<{ type: string; metadata: Readonly<Record<string, unknown>> }>

/** A unique mailbox. */
export const mailboxAt = (domain: string): string => `ana.${randomUUID()}@${domain}`

export const SUBJECT = 'Your parcel is on its way'

export const someMail = (mail: Mail = {}): Mail => ({
  to: mailboxAt('mail.example'),
  subject: SUBJECT,
  html: '<p>It arrives <b>today</b>.</p>',
  idempotency_key: randomUUID(),
  ...mail,
})

export const postMail = ({ call }: Caller, mail: Mail): Promise<Answer<Posted>> =>
  call<Posted>('POST', '/v1/email/send', mail)

/** Sends a mail that must be accepted, and returns its id. */
export async function sendMail(gateway: Caller, mail: Mail = {}): Promise<string> {
  const { status, body, text } = await postMail(gateway, someMail(mail))
  assert.equal(status, 202, text)
  return body.request_id
}

/** The events of a mail, oldest first. */
export async function stepsOf({ call }: Caller, id: string): Promise<readonly EmailStep[]> {
  const { status, body, text } = await call<{ items: readonly EmailStep[] }>('GET', `/v1/email/${id}/events`)
  assert.equal(status, 200, text)
  return body.items
}

/** Every copy that the server received for a recipient. */
export const mailsTo = ({ mails }: SmtpSink, to: string): readonly SinkMail[] =>
  mails.filter((mail) => mail.to.some(({ address }) => address === to))

export const untilMailed = (sink: SmtpSink, to: string, options?: WaitOptions): Promise<SinkMail> =>
  until('the mail at the server', () => mailsTo(sink, to)[0], options)

/** Parses with a library other than the one that wrote the mail. */
export const parseMail = (raw: Buffer): Promise<Email> => PostalMime.parse(raw)
