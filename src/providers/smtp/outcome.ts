/**
 * The result of sending a mail to a server, and its outcome.
 *
 * | result                                     | outcome                                             |
 * |--------------------------------------------|-----------------------------------------------------|
 * | accepted, maybe without some copies        | accepted; no delivery reports follow                |
 * | refused, or the recipient was refused      | by `errors.ts`: certainly not processed             |
 * | lost before the whole mail was sent        | deferred: an incomplete mail is discarded           |
 * | lost after that, without an answer         | unknown: RFC 5321, 4.5.3.2.6, warns of duplicates   |
 */
import type { EmailAddress } from '../../domain/email/address.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { millis } from '../../lib/time.ts'
import { forNow, unknownOutcome, withOriginalCode } from '../provider-errors.ts'
import { originalCodeOf, type SmtpCommand, type SmtpReply, TOO_LARGE, toSmtpError, waitAfter } from './errors.ts'

export type Result =
  /** `messageId` is there if the server replaced our Message-ID. */
  | Readonly<{ kind: 'accepted'; messageId?: string; refusedCopies?: readonly RefusedCopy[] }>
  /** `isAboutAll`: the refusal is about several recipients at once. */
  | Readonly<{ kind: 'refused'; command: SmtpCommand; reply: SmtpReply; isAboutAll?: boolean }>
  /** Larger than the server's announced limit. */
  | Readonly<{ kind: 'too large' }>
  /** `isFullySent`: the server may have the whole mail. `isUnsent`: it has not even the beginning. */
  | Readonly<{ kind: 'lost'; reason: Reason; isFullySent: boolean; isUnsent: boolean }>

/** `index` is the position in the envelope. */
export type RefusedCopy = Readonly<{ index: number; address: EmailAddress; reply: SmtpReply }>

const REASONS = {
  NOT_CONNECTED: 'the mail server is unreachable',
  TLS_REQUIRED: 'the mail server does not offer TLS, which the settings require',
  TLS_FAILED: 'the TLS handshake with the mail server failed',
  CONNECTION_LOST: 'the connection to the mail server was lost before it answered',
  TIMEOUT: 'the mail server did not answer in time',
  INVALID_RESPONSE: 'the mail server sent an invalid SMTP reply',
  POOL_TIMEOUT: 'the email waited too long for a connection to the mail server',
  ABORTED: 'the call was aborted',
} as const
export type Reason = keyof typeof REASONS

/** Nothing was sent. */
export const unsent = (reason: Reason): Result => ({ kind: 'lost', reason, isFullySent: false, isUnsent: true })

/** `messageId` is our own Message-ID. */
export function toOutcome(result: Result, messageId: string): SendOutcome {
  switch (result.kind) {
    case 'accepted':
      return { kind: 'accepted', providerMessageId: result.messageId ?? messageId, noDeliveryReports: true }
    case 'too large':
      return TOO_LARGE
    case 'refused': {
      const meant = toSmtpError(result.reply, result.command)
      const originalCode = originalCodeOf(result.reply)
      if (meant.kind === 'deferred') return { ...meant, originalCode, retryAfter: waitAfter(meant) }
      const error = withOriginalCode(meant, originalCode)
      // If there are several recipients, the server does not say which of them does not exist.
      const { suppresses, ...rest } = error
      return result.isAboutAll || suppresses === undefined ? rest : error
    }
    case 'lost': {
      const { reason } = result
      if (result.isFullySent) return unknownOutcome(reason, REASONS[reason])
      return { ...forNow(reason, REASONS[reason]), retryAfter: millis(0) }
    }
  }
}
