/** Checks the headers that a caller adds to an email, and prevents header injection. */
import { isSingleLine } from '../../lib/single-line.ts'

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,74}[A-Za-z0-9])?$/
/** A line of an email has at most 998 characters; values are folded at spaces. */
const LONGEST_VALUE = 998

/** Headers that we or the provider write, or that would change the sender or the recipients. */
const RESERVED = new Set(
  [
    'from sender reply-to to cc bcc subject date message-id mime-version return-path received dkim-signature',
    'list-unsubscribe list-unsubscribe-post feedback-id authentication-results delivered-to errors-to',
    'disposition-notification-to return-receipt-to apparently-to envelope-to x-original-to',
  ].flatMap((names) => names.split(' ')),
)
const RESERVED_PREFIX = /^(?:content-|resent-|arc-|received-|x-pombo-)/

/**
 * Headers that relays interpret instead of forwarding: sending pool or account, schedule, tracking, even recipients.
 */
const RELAY_HEADERS =
  /^(?:x-(?:smtpapi|msg-eid|virtual-mta|job|xsmailingid|xsmessageid)$|x-(?:ses|amz|mc|mandrill|mailgun|pm|sg|msys|mj|mailjet|mailin|sib|elasticemail|mt|smtpcom|ms-exchange)-)/

/** By a name in lower case. */
export const isRelayHeader = (name: string): boolean => RELAY_HEADERS.test(name)

/** The problem with a header, if any. */
export function headerProblem(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return 'must have a name of 1 to 76 letters, digits and hyphens'
  if (isReserved(name.toLowerCase())) return 'is reserved'
  if (value.trim() === '') return 'must not be empty'
  if (value.length > LONGEST_VALUE) return `must have at most ${LONGEST_VALUE} characters`
  return isSingleLine(value) ? undefined : 'must be one line of text'
}

const isReserved = (name: string): boolean => RESERVED.has(name) || RESERVED_PREFIX.test(name) || isRelayHeader(name)
