/** Delivery status notifications: the mails by which a mail server reports what happened to a mail (RFC 3464). */
import type { SinkMail } from './smtp-sink.ts'

export type DsnStatus = Readonly<{ action: 'failed' | 'delayed' | 'delivered'; status: string }>

export const DELIVERED: DsnStatus = { action: 'delivered', status: '2.0.0' }
export const NO_SUCH_MAILBOX: DsnStatus = { action: 'failed', status: '5.1.1' }

/** A report on the first recipient. Like some servers, it returns the headers and no envelope id. */
export const reportOn = ({ raw, to: [first] }: SinkMail, { action, status }: DsnStatus): Buffer =>
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

/** The Message-ID in the source of a mail, without the angle brackets. */
export const messageIdOf = (raw: Buffer): string =>
  /^message-id:\s*<([^<>]+)>/im.exec(raw.toString('latin1'))?.[1] ?? ''
