/** Headers that a caller may add to a mail, and what would make of one header more than one. */
import { isLine } from '../../lib/single-line.ts'

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,74}[A-Za-z0-9])?$/
/** A line of a mail has at most 998 characters; a value is folded at its spaces. */
const LONGEST_VALUE = 998

/** What we or the provider write ourselves, or what would change whom a mail is from or where it goes. */
const OURS = new Set(
  [
    'from sender reply-to to cc bcc subject date message-id mime-version return-path received dkim-signature',
    'list-unsubscribe list-unsubscribe-post feedback-id authentication-results delivered-to errors-to',
    'disposition-notification-to return-receipt-to apparently-to envelope-to x-original-to',
  ].flatMap((names) => names.split(' ')),
)
const OURS_BY_BEGINNING = /^(?:content-|resent-|arc-|received-|x-pombo-)/

/**
 * What relays take for orders, and not for something to pass on: by which pool or account a mail goes, when, whether
 * it is tracked, and with some of them to whom.
 */
const ORDERS =
  /^(?:x-(?:smtpapi|msg-eid|virtual-mta|job|xsmailingid|xsmessageid)$|x-(?:ses|amz|mc|mandrill|mailgun|pm|sg|msys|mj|mailjet|mailin|sib|elasticemail|mt|smtpcom|ms-exchange)-)/

/** What is wrong with a header, or nothing. */
export function headerProblem(name: string, value: string): string | undefined {
  if (!NAME.test(name)) return 'must have a name of 1 to 76 letters, digits and hyphens'
  if (isReserved(name.toLowerCase())) return 'is not for callers to set'
  if (value.trim() === '') return 'must not be empty'
  if (value.length > LONGEST_VALUE) return `must have at most ${LONGEST_VALUE} characters`
  return isLine(value) ? undefined : 'must be one line of text'
}

const isReserved = (name: string): boolean => OURS.has(name) || OURS_BY_BEGINNING.test(name) || ORDERS.test(name)
