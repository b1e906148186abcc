/** What a test says to a gateway about mail, and what the mail server at the other end was given. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import PostalMime, { type Email } from 'postal-mime'
import type { EmailSend } from '../../src/api/send/email-fields.ts'
import type { Answer, Gateway } from './gateway.ts'
import type { SinkMail, SmtpSink } from './smtp-sink.ts'
import { type Patience, until } from './until.ts'

type Caller = Pick<Gateway, 'call'>

/** Any fields of `POST /v1/email/send`. */
export type Mail = Readonly<EmailSend>
export type Posted = Readonly<{ request_id: string; status: string; error_code?: string }>
export type EmailStep = Readonly<{ type: string; metadata: Readonly<Record<string, unknown>> }>

/** A mailbox nobody else has. */
export const mailboxAt = (domain: string): string => `ana.${randomUUID()}@${domain}`

export const SUBJECT = 'Your parcel is on its way'

export const someMail = (mail: Mail = {}): Mail => ({
  to: mailboxAt('mail.example'),
  subject: SUBJECT,
  html: '<p>It comes <b>today</b>.</p>',
  idempotency_key: randomUUID(),
  ...mail,
})

export const postMail = ({ call }: Caller, mail: Mail): Promise<Answer<Posted>> =>
  call<Posted>('POST', '/v1/email/send', mail)

/** The id of a mail that must be accepted. */
export async function sendMail(gateway: Caller, mail: Mail = {}): Promise<string> {
  const { status, body, text } = await postMail(gateway, someMail(mail))
  assert.equal(status, 202, text)
  return body.request_id
}

/** What the pipeline made of it, step by step. */
export async function stepsOf({ call }: Caller, id: string): Promise<readonly EmailStep[]> {
  const { status, body, text } = await call<{ items: readonly EmailStep[] }>('GET', `/v1/email/${id}/events`)
  assert.equal(status, 200, text)
  return body.items
}

/** What a server was given for somebody, as often as it was. */
export const mailsTo = ({ mails }: SmtpSink, to: string): readonly SinkMail[] =>
  mails.filter((mail) => mail.to.some(({ address }) => address === to))

export const untilMailed = (sink: SmtpSink, to: string, patience?: Patience): Promise<SinkMail> =>
  until('the mail at the server', () => mailsTo(sink, to)[0], patience)

/** Read by a parser that had no part in writing it. */
export const parseMail = (raw: Buffer): Promise<Email> => PostalMime.parse(raw)
