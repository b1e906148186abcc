/**
 * What became of handing a mail to a server, and what that means for the message.
 *
 * | the server                                | the mail                                              |
 * |-------------------------------------------|-------------------------------------------------------|
 * | took it, if not for every copy            | accepted; of its delivery it will not tell            |
 * | refused it, or whom it is for             | by `smtp-errors.ts`: certainly not processed          |
 * | was lost before it could have all of it   | deferred: a mail without its end is no mail           |
 * | was lost after that, without an answer    | unknown: RFC 5321, 4.5.3.2.6, warns of duplicates     |
 */
import type { EmailAddress } from '../../domain/email/address.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { millis } from '../../lib/time.ts'
import { forNow, unknownOutcome } from '../provider-errors.ts'
import { type SmtpCommand, type SmtpReply, TOO_LARGE, toSmtpError, waitAfter } from './errors.ts'

export type Result =
  /** `name` is what the server calls it where it gave it another Message-ID, `refused` are the copies it left out. */
  | Readonly<{ kind: 'taken'; name?: string; refused?: readonly RefusedCopy[] }>
  /** `isShared`: the refusal is about all recipients at once, and there are several. */
  | Readonly<{ kind: 'refused'; command: SmtpCommand; reply: SmtpReply; isShared?: boolean }>
  /** Larger than the server says it takes. */
  | Readonly<{ kind: 'too large' }>
  /** `mayHaveIt`: all of it was on its way. `hasNothing`: not even its beginning was. */
  | Readonly<{ kind: 'lost'; reason: Reason; mayHaveIt: boolean; hasNothing: boolean }>

/** `place` is that of the recipient in the envelope. */
export type RefusedCopy = Readonly<{ place: number; about: EmailAddress; reply: SmtpReply }>

const REASONS = {
  NOT_CONNECTED: 'the mail server could not be reached',
  TLS_REQUIRED: 'the mail server offers no TLS, and by the settings nothing is sent without it',
  TLS_FAILED: 'no secure connection to the mail server came about',
  CONNECTION_LOST: 'the connection to the mail server ended before it answered',
  TIMEOUT: 'the mail server did not answer in time',
  ANSWER_GARBLED: 'the mail server answered what is no reply of SMTP',
  NO_TURN: 'the mail found no place on the way to the server in time',
  ABORTED: 'the call was given up',
} as const
export type Reason = keyof typeof REASONS

/** It never got on its way. */
export const unsent = (reason: Reason): Result => ({ kind: 'lost', reason, mayHaveIt: false, hasNothing: true })

/** `own` is the Message-ID we gave it. */
export function toOutcome(result: Result, own: string): SendOutcome {
  switch (result.kind) {
    case 'taken':
      return { kind: 'accepted', providerMessageId: result.name ?? own, noDeliveryReports: true }
    case 'too large':
      return TOO_LARGE
    case 'refused': {
      const error = toSmtpError(result.reply, result.command)
      if (error.kind === 'deferred') return { ...error, retryAfter: waitAfter(error) }
      // Which of them does not exist it does not say.
      const { suppresses, ...rest } = error
      return result.isShared || suppresses === undefined ? rest : error
    }
    case 'lost': {
      const { reason } = result
      if (result.mayHaveIt) return unknownOutcome(reason, REASONS[reason])
      return { ...forNow(reason, REASONS[reason]), retryAfter: millis(0) }
    }
  }
}
