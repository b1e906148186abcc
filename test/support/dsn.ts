/** What a mail server reports of a mail that it took, by a mail of its own (RFC 3464). */
import type { SinkMail } from './smtp-sink.ts'

export type Fate = Readonly<{ action: 'failed' | 'delayed' | 'delivered'; status: string }>

export const DELIVERED: Fate = { action: 'delivered', status: '2.0.0' }
export const NO_SUCH_MAILBOX: Fate = { action: 'failed', status: '5.1.1' }

/** About the one the mail was for; some servers return the headers and tell no envelope id, as here. */
export const reportOn = ({ raw, to: [first] }: SinkMail, { action, status }: Fate): Buffer =>
  Buffer.from(
    `From: MAILER-DAEMON@mx.example
Subject: Delivery Status Notification
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary=part

--part
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example

Final-Recipient: rfc822; ${first?.address}
Action: ${action}
Status: ${status}

--part
Content-Type: text/rfc822-headers

Message-ID: <${messageIdOf(raw)}>

--part--
`.replaceAll('\n', '\r\n'),
  )

/** As it stands in the source of a mail, without the angle brackets. */
export const messageIdOf = (raw: Buffer): string =>
  /^message-id:\s*<([^<>]+)>/im.exec(raw.toString('latin1'))?.[1] ?? ''
