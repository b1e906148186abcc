/**
 * What it means when a mail server refuses (RFC 5321), by the command it refuses, by its enhanced code (RFC 3463)
 * and by its reply code. A 4xx is a "transient negative completion": "the command was not accepted, and the requested
 * action did not occur" (RFC 5321, 4.2.1), also in reply to the end of the mail. So it is deferred, never unknown.
 * Words of a server are only looked at where its enhanced code leaves open what it means, and are never repeated:
 * they may quote an address.
 *
 * Nobody is suppressed on a guess: only by an enhanced code, or by words that can mean nothing else.
 */

import { type Millis, seconds } from '../../lib/time.ts'
import {
  type Deferral,
  forMessage,
  forNow,
  forProvider,
  forRecipient,
  type Rejection,
  TOO_FAST,
} from '../provider-errors.ts'

export type SmtpError = Rejection | Deferral

/** Where it was refused; `data` also after the mail itself. */
export type SmtpCommand = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data'

/** As it came: `550 5.1.1 …`, perhaps in several lines. */
export type SmtpReply = Readonly<{ status: number; text: string }>

type Refusal = Readonly<{ status: number; enhanced: string; words: string; command: SmtpCommand }>

/** Total: any refusal means something. */
export function toSmtpError(reply: SmtpReply, command: SmtpCommand): SmtpError {
  const refusal = { status: reply.status, enhanced: enhancedOf(reply), words: wordsOf(reply), command }
  return refusal.status < 500 ? forLater(refusal) : forGood(refusal)
}

/** `5.1.1` in `550 5.1.1 …`; empty where there is none, or one of another class. */
function enhancedOf({ status, text }: SmtpReply): string {
  const [, enhanced = ''] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})(?!\S)/.exec(text) ?? []
  return enhanced.charAt(0) === `${status}`.charAt(0) ? enhanced : ''
}

/** In small letters and on one line. What an address is made of says nothing: each is only the word `address`. */
function wordsOf({ text }: SmtpReply): string {
  const lines = text.toLowerCase().replace(/^\d{3}[ -](?:\d\.\d{1,3}\.\d{1,3}(?!\S))?/gm, ' ')
  const words = lines.replace(/<[^<>]*>/g, ' address ').split(/\s+/)
  return words.map((word) => (word.includes('@') ? 'address' : word)).join(' ')
}

const QUOTA: Deferral = {
  ...forNow('QUOTA_EXCEEDED', 'the account has sent all that it may send for now'),
  blame: 'account',
}
const MAILBOX_FULL = forRecipient('MAILBOX_FULL', 'the mailbox is full')
export const TOO_LARGE = forMessage('TOO_LARGE', 'the mail is larger than the server takes')
const POLICY = forMessage('POLICY_REJECTED', 'a policy of the receiving side forbids the mail')
const AUTHENTICATION = forProvider('AUTHENTICATION_FAILED', 'the server does not accept the user or the password')
const SENDER = forProvider('INVALID_SENDER', 'the sender is not valid or not allowed')
const UNPROVEN = forProvider('SENDER_UNPROVEN', 'the receiving side does not take the sender for who it says it is')
const RELAY = forProvider('RELAY_DENIED', 'the server does not carry mail to this recipient for us')
const PROTOCOL = forProvider('PROTOCOL_ERROR', 'the server finds fault with how we speak')
const HARD_BOUNCE: Rejection = {
  ...forMessage('HARD_BOUNCE', 'there is no such mailbox'),
  suppresses: 'hard_bounce',
}

const QUOTA_WAIT: Millis = seconds(600)

/** How long to wait where the server, as ever, does not say: a quota comes back over a day, little by little. */
export const waitAfter = (error: Deferral): Millis => (error === QUOTA ? QUOTA_WAIT : seconds(0))

/** Too much at once: all that goes there has to slow down. */
export const isTooFast = (error: SmtpError): boolean => error === TOO_FAST

export const LATER_BY_ENHANCED: ReadonlyMap<string, Deferral> = new Map<string, Deferral>([
  ['4.2.2', MAILBOX_FULL],
  ['4.7.28', TOO_FAST],
])

/** What comes with 5.7.0 or 5.7.9 is no matter of passwords, unless its reply code says so. */
export const BY_ENHANCED: ReadonlyMap<string, SmtpError> = new Map<string, SmtpError>([
  ...['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10'].map((code) => [code, HARD_BOUNCE] as const),
  ...['5.1.7', '5.1.8', '5.7.60'].map((code) => [code, SENDER] as const),
  ['5.2.1', forMessage('MAILBOX_DISABLED', 'the mailbox takes no mail')],
  ['5.2.2', MAILBOX_FULL],
  ...['5.2.3', '5.3.4'].map((code) => [code, TOO_LARGE] as const),
  ['5.5.3', forMessage('TOO_MANY_RECIPIENTS', 'the mail has more recipients than the server takes')],
  ...['5.7.8', '5.7.11'].map((code) => [code, AUTHENTICATION] as const),
  ...['5.7.54', '5.7.64'].map((code) => [code, RELAY] as const),
  ...[20, 21, 22, 23, 24, 25, 26, 27, 29].map((detail) => [`5.7.${detail}`, UNPROVEN] as const),
])

/**
 * None, one without a detail, or one that servers give to things that have nothing in common: Exchange says 5.4.1 of
 * relaying as of unknown users, Gmail 5.4.5 of its daily limit.
 */
const LEAVES_OPEN = /^$|^[45]\.[0-57]\.0$|^4\.7\.|^5\.7\.1$|^5\.4\.[15]$/

type Meanings<Meaning extends SmtpError> = readonly (readonly [RegExp, Meaning])[]

const OF_QUOTA = /\b(?:daily|hourly|monthly) (?:\w+ ){0,3}(?:quota|limit)|\b(?:sending|relay) (?:quota|limit)/
const OF_FULLNESS =
  /\bover ?quota|\bquota (?:is |was |has been )?exceeded|exceed\w* (?:\w+ ){0,3}quota|\bmailbox (?:\w+ ){0,3}(?:full|exceeded)\b/

const FOR_LATER: Meanings<Deferral> = [
  // Amazon SES says both by 454 Throttling failure, without an enhanced code.
  [OF_QUOTA, QUOTA],
  [/throttl|\b(?:sending|unusual) rate\b|\brate.?limit|\btoo much mail\b/, TOO_FAST],
  [/\btoo many (?:concurrent |smtp ){0,2}(?:connections|e?-?mails|messages|requests|sessions)/, TOO_FAST],
  [OF_FULLNESS, MAILBOX_FULL],
]

const WHO = '(?:account|address|addressee|local.part|mailbox|recipient|user)'

/** The first that fits: `mailbox unavailable` is also what they say who mean a list that we are on. */
const FOR_GOOD: Meanings<SmtpError> = [
  [OF_QUOTA, QUOTA],
  [/\bauthentication (?:is )?required/, AUTHENTICATION],
  [/\brelay(?:ing)? (?:\w+ ){0,3}(?:denied|disallowed|forbidden|not|prohibited)\b/, RELAY],
  [/(?:allowed|authori[sz]ed|permitted|unable) to relay\b|(?:not|n't|no) relay|\ballowed rcpthosts\b/, RELAY],
  [
    /\bblock|\bblack.?list|\bdeny.?list|\blisted\b|\bbanned\b|spam|\b(?:dns|r|su)bl\b|reputation|\bpolic(?:y|ies)\b/,
    POLICY,
  ],
  [
    /unsolicited|phish|malware|\bvirus|\b(?:spf|dkim|dmarc|helo|ehlo|rdns|ptr|dns)\b|\bclient host\b|\bhostname\b|\bip\b/,
    POLICY,
  ],
  // Amazon SES refuses an unverified sender by 554 like any content.
  [/\bnot verified\b|\bsender\b|\bfrom address\b|\breturn.path\b/, SENDER],
  [OF_FULLNESS, MAILBOX_FULL],
  [RegExp(`\\b(?:no such|unknown|invalid|non-?existent|not a (?:known|valid)) (?:\\w+ )?${WHO}`), HARD_BOUNCE],
  [RegExp(`\\b${WHO}:? (?:is |was )?(?:unknown|not known|not found|unavailable)\\b`), HARD_BOUNCE],
  [RegExp(`\\b${WHO}:? (?:[\\w-]+ ){0,6}(?:(?:does not|doesn't|did not) exist|no longer exists)\\b`), HARD_BOUNCE],
  [/\brecipient (?:address )?(?:is |was )?rejected\b|\bno mailbox (?:here )?by that name\b/, HARD_BOUNCE],
  // Exim, and Yahoo.
  [/\bunrouteable address\b|\buser doesn't have an? \S+ account\b/, HARD_BOUNCE],
]

function byWords<Meaning extends SmtpError>(refusal: Refusal, meanings: Meanings<Meaning>): Meaning | undefined {
  if (!LEAVES_OPEN.test(refusal.enhanced)) return undefined
  return meanings.find(([says, error]) => says.test(refusal.words) && mayMean(refusal, error))?.[1]
}

/**
 * Before a recipient is named it is about us; and neither a policy nor a fault in how we speak is proof that there is
 * no mailbox.
 */
function mayMean({ status, enhanced, command }: Refusal, error: SmtpError): boolean {
  if (error === HARD_BOUNCE && (enhanced.startsWith('5.7.') || status < 550 || status > 554)) return false
  return command === 'rcpt' || command === 'data' || (error.blame !== 'message' && error.blame !== 'recipient')
}

function forLater(refusal: Refusal): Deferral {
  const { status, enhanced, command } = refusal
  const meant = LATER_BY_ENHANCED.get(enhanced) ?? byWords(refusal, FOR_LATER)
  if (meant !== undefined) return meant
  if (command === 'auth') return forNow('AUTHENTICATION_DEFERRED', 'the server cannot check the password for now')
  if (command !== 'rcpt' || status === 421 || /^4\.[345]\./.test(enhanced)) {
    return forNow(`SMTP_${status}`, 'the server cannot take the mail for now')
  }
  return forRecipient('MAILBOX_UNAVAILABLE', 'the mailbox cannot be reached for now')
}

const AUTHENTICATION_STATUSES = new Set([530, 534, 535, 538])

function forGood(refusal: Refusal): SmtpError {
  const { status, command } = refusal
  if (command === 'auth' || AUTHENTICATION_STATUSES.has(status)) return AUTHENTICATION
  if (command === 'connect') return forProvider(`SMTP_${status}`, 'the server does not let us in')
  return byCode(refusal) ?? byWords(refusal, FOR_GOOD) ?? byClass(refusal)
}

/** At `mail` nobody has been named yet but the sender. */
const byCode = ({ enhanced, command }: Refusal): SmtpError | undefined =>
  command === 'mail' && enhanced.startsWith('5.1.') ? SENDER : BY_ENHANCED.get(enhanced)

/** By what the middle number says it is about. */
const BY_SUBJECT: Readonly<Record<string, SmtpError>> = {
  '5.1': forMessage('INVALID_RECIPIENT', 'the receiving side does not accept the address'),
  '5.2': forMessage('MAILBOX_UNAVAILABLE', 'the mailbox cannot be reached'),
  '5.4': forMessage('UNROUTABLE', 'there is no way to the receiving side'),
  '5.5': PROTOCOL,
  '5.6': forMessage('CONTENT_REJECTED', 'the receiving side does not take such a mail'),
  '5.7': POLICY,
}

function byClass({ status, enhanced, command }: Refusal): SmtpError {
  if (status === 551) return RELAY
  if (command === 'mail' && ['5.7.1', ''].includes(enhanced) && [550, 553, 554].includes(status)) return SENDER
  const listed = BY_SUBJECT[enhanced.slice(0, enhanced.lastIndexOf('.'))]
  if (listed !== undefined) return listed
  if (status >= 500 && status <= 504) return PROTOCOL
  if (status === 552) return command === 'rcpt' ? MAILBOX_FULL : TOO_LARGE
  // There is no mail at all where the recipient is (RFC 7504).
  if (status === 556 && command === 'rcpt') return HARD_BOUNCE
  return forMessage(`SMTP_${status}`, 'the server does not take the mail')
}

/** What a report of failed delivery means, by its status (RFC 3464). */
export type Bounce = Readonly<{ code: 'HARD_BOUNCE' | 'SOFT_BOUNCE'; suppresses?: 'hard_bounce' }>

export function toBounce(status: string): Bounce {
  const error = BY_ENHANCED.get(status)
  if (!status.startsWith('5.') || error === MAILBOX_FULL) return { code: 'SOFT_BOUNCE' }
  return {
    code: 'HARD_BOUNCE',
    ...(status.startsWith('5.1.') && error !== SENDER ? { suppresses: 'hard_bounce' } : {}),
  }
}
