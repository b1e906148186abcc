/**
 * Classifies the refusals of a mail server by the refused command, the enhanced status code (RFC 3463) and the reply
 * code (RFC 5321). A 4xx is a "transient negative completion": "the command was not accepted, and the requested action
 * did not occur" (RFC 5321, 4.2.1), also in reply to the end of the mail. So it is deferred, never unknown. The server's
 * text is read only if the enhanced code is ambiguous, and it is never passed on, because it may quote an address.
 *
 * An address is suppressed only because of an unambiguous enhanced code or text.
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

/** The command that was refused; `data` includes the end of the mail. */
export type SmtpCommand = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data'

/** `text` is the raw reply, such as `550 5.1.1 …`, maybe on several lines. */
export type SmtpReply = Readonly<{ status: number; text: string }>

type Refusal = Readonly<{ status: number; enhanced: string; text: string; command: SmtpCommand }>

/** Total: every refusal has a meaning. */
export function toSmtpError(reply: SmtpReply, command: SmtpCommand): SmtpError {
  const refusal = { status: reply.status, enhanced: enhancedOf(reply), text: normalizedText(reply), command }
  return refusal.status < 500 ? toDeferral(refusal) : toPermanentError(refusal)
}

/** `5.1.1` in `550 5.1.1 …`; empty if there is none, or if its class differs from the reply's. */
function enhancedOf({ status, text }: SmtpReply): string {
  const [, enhanced = ''] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})(?!\S)/.exec(text) ?? []
  return enhanced.charAt(0) === `${status}`.charAt(0) ? enhanced : ''
}

/** The server's own codes, such as `550 5.1.1`. */
export const originalCodeOf = (reply: SmtpReply): string => `${reply.status} ${enhancedOf(reply)}`.trimEnd()

/** In lower case and on one line, with every address replaced by the word `address`. */
function normalizedText({ text }: SmtpReply): string {
  const lines = text.toLowerCase().replace(/^\d{3}[ -](?:\d\.\d{1,3}\.\d{1,3}(?!\S))?/gm, ' ')
  const words = lines.replace(/<[^<>]*>/g, ' address ').split(/\s+/)
  return words.map((word) => (word.includes('@') ? 'address' : word)).join(' ')
}

const QUOTA: Deferral = {
  ...forNow('QUOTA_EXCEEDED', "the mail server says the account's sending quota is exceeded"),
  blame: 'account',
}
const MAILBOX_FULL = forRecipient('MAILBOX_FULL', 'the mailbox is full')
export const TOO_LARGE = forMessage('TOO_LARGE', 'the email is larger than the mail server accepts')
const POLICY = forMessage('POLICY_REJECTED', 'the receiving server rejected the email by its policy')
const AUTHENTICATION = forProvider('AUTHENTICATION_FAILED', 'the mail server rejected the user name or password')
const SENDER = forProvider('INVALID_SENDER', 'the mail server says the sender is not valid or not allowed')
const UNAUTHENTICATED_SENDER = forProvider(
  'SENDER_NOT_AUTHENTICATED',
  "the receiving server could not authenticate the sender's domain (SPF, DKIM or DMARC)",
)
const RELAY = forProvider('RELAY_DENIED', 'the mail server does not relay email to this recipient')
const PROTOCOL = forProvider('PROTOCOL_ERROR', 'the mail server reported a protocol error')
const HARD_BOUNCE: Rejection = {
  ...forMessage('HARD_BOUNCE', 'the mailbox does not exist'),
  suppresses: 'hard_bounce',
}

const QUOTA_WAIT: Millis = seconds(600)

/** SMTP has no Retry-After. A quota is usually a sliding window over a day. */
export const waitAfter = (error: Deferral): Millis => (error === QUOTA ? QUOTA_WAIT : seconds(0))

/** Whether everything sent to this server must slow down. */
export const isTooFast = (error: SmtpError): boolean => error === TOO_FAST

export const DEFERRALS_BY_ENHANCED: ReadonlyMap<string, Deferral> = new Map<string, Deferral>([
  ['4.2.2', MAILBOX_FULL],
  ['4.7.28', TOO_FAST],
])

/** 5.7.0 and 5.7.9 are about authentication only if the reply code says so. */
export const BY_ENHANCED: ReadonlyMap<string, SmtpError> = new Map<string, SmtpError>([
  ...['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10'].map((code) => [code, HARD_BOUNCE] as const),
  ...['5.1.7', '5.1.8', '5.7.60'].map((code) => [code, SENDER] as const),
  ['5.2.1', forMessage('MAILBOX_DISABLED', 'the mailbox is disabled')],
  ['5.2.2', MAILBOX_FULL],
  ...['5.2.3', '5.3.4'].map((code) => [code, TOO_LARGE] as const),
  ['5.5.3', forMessage('TOO_MANY_RECIPIENTS', 'the email has more recipients than the mail server accepts')],
  ...['5.7.8', '5.7.11'].map((code) => [code, AUTHENTICATION] as const),
  ...['5.7.54', '5.7.64'].map((code) => [code, RELAY] as const),
  ...[20, 21, 22, 23, 24, 25, 26, 27, 29].map((detail) => [`5.7.${detail}`, UNAUTHENTICATED_SENDER] as const),
])

/**
 * No enhanced code, one without a detail, or one that servers use for unrelated errors: Exchange answers 5.4.1 for relay
 * errors and unknown users, Gmail answers 5.4.5 for its daily limit.
 */
const AMBIGUOUS = /^$|^[45]\.[0-57]\.0$|^4\.7\.|^5\.7\.1$|^5\.4\.[15]$/

type Meanings<Meaning extends SmtpError> = readonly (readonly [RegExp, Meaning])[]

const QUOTA_TEXT = /\b(?:daily|hourly|monthly) (?:\w+ ){0,3}(?:quota|limit)|\b(?:sending|relay) (?:quota|limit)/
const FULL_TEXT =
  /\bover ?quota|\bquota (?:is |was |has been )?exceeded|exceed\w* (?:\w+ ){0,3}quota|\bmailbox (?:\w+ ){0,3}(?:full|exceeded)\b/

const DEFERRAL_TEXTS: Meanings<Deferral> = [
  // Amazon SES uses 454 Throttling failure, without an enhanced code, for both.
  [QUOTA_TEXT, QUOTA],
  [/throttl|\b(?:sending|unusual) rate\b|\brate.?limit|\btoo much mail\b/, TOO_FAST],
  [/\btoo many (?:concurrent |smtp ){0,2}(?:connections|e?-?mails|messages|requests|sessions)/, TOO_FAST],
  [FULL_TEXT, MAILBOX_FULL],
]

const RECIPIENT = '(?:account|address|addressee|local.part|mailbox|recipient|user)'

/** The first match counts, because servers also say `mailbox unavailable` when we are on a block list. */
const PERMANENT_TEXTS: Meanings<SmtpError> = [
  [QUOTA_TEXT, QUOTA],
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
  // Amazon SES answers 554 for an unverified sender, as for rejected content.
  [/\bnot verified\b|\bsender\b|\bfrom address\b|\breturn.path\b/, SENDER],
  [FULL_TEXT, MAILBOX_FULL],
  [RegExp(`\\b(?:no such|unknown|invalid|non-?existent|not a (?:known|valid)) (?:\\w+ )?${RECIPIENT}`), HARD_BOUNCE],
  [RegExp(`\\b${RECIPIENT}:? (?:is |was )?(?:unknown|not known|not found|unavailable)\\b`), HARD_BOUNCE],
  [
    RegExp(`\\b${RECIPIENT}:? (?:[\\w-]+ ){0,6}(?:(?:does not|doesn't|did not) exist|no longer exists)\\b`),
    HARD_BOUNCE,
  ],
  [/\brecipient (?:address )?(?:is |was )?rejected\b|\bno mailbox (?:here )?by that name\b/, HARD_BOUNCE],
  // Exim and Yahoo.
  [/\bunrouteable address\b|\buser doesn't have an? \S+ account\b/, HARD_BOUNCE],
]

function byText<Meaning extends SmtpError>(refusal: Refusal, meanings: Meanings<Meaning>): Meaning | undefined {
  if (!AMBIGUOUS.test(refusal.enhanced)) return undefined
  return meanings.find(([pattern, error]) => pattern.test(refusal.text) && mayMean(refusal, error))?.[1]
}

/** Before RCPT the error is about us. A policy or protocol error does not prove that the mailbox does not exist. */
function mayMean({ status, enhanced, command }: Refusal, error: SmtpError): boolean {
  if (error === HARD_BOUNCE && (enhanced.startsWith('5.7.') || status < 550 || status > 554)) return false
  return command === 'rcpt' || command === 'data' || (error.blame !== 'message' && error.blame !== 'recipient')
}

function toDeferral(refusal: Refusal): Deferral {
  const { status, enhanced, command } = refusal
  const meant = DEFERRALS_BY_ENHANCED.get(enhanced) ?? byText(refusal, DEFERRAL_TEXTS)
  if (meant !== undefined) return meant
  if (command === 'auth') return forNow('AUTHENTICATION_DEFERRED', 'the mail server cannot check the password for now')
  if (command !== 'rcpt' || status === 421 || /^4\.[345]\./.test(enhanced)) {
    return forNow(`SMTP_${status}`, `the mail server temporarily refused the email with ${status}`)
  }
  return forRecipient('MAILBOX_UNAVAILABLE', 'the mailbox is temporarily unavailable')
}

const AUTHENTICATION_STATUSES = new Set([530, 534, 535, 538])

function toPermanentError(refusal: Refusal): SmtpError {
  const { status, command } = refusal
  if (command === 'auth' || AUTHENTICATION_STATUSES.has(status)) return AUTHENTICATION
  if (command === 'connect')
    return forProvider(`SMTP_${status}`, `the mail server refused the connection with ${status}`)
  return byCode(refusal) ?? byText(refusal, PERMANENT_TEXTS) ?? byClass(refusal)
}

/** At MAIL FROM, an address error is about the sender. */
const byCode = ({ enhanced, command }: Refusal): SmtpError | undefined =>
  command === 'mail' && enhanced.startsWith('5.1.') ? SENDER : BY_ENHANCED.get(enhanced)

/** By the subject, the second number of the code. */
const BY_SUBJECT: Readonly<Record<string, SmtpError>> = {
  '5.1': forMessage('INVALID_RECIPIENT', "the receiving server rejected the recipient's address"),
  '5.2': forMessage('MAILBOX_UNAVAILABLE', 'the mailbox is unavailable'),
  '5.4': forMessage('UNROUTABLE', "the mail server has no route to the recipient's domain"),
  '5.5': PROTOCOL,
  '5.6': forMessage('CONTENT_REJECTED', 'the receiving server rejected the content'),
  '5.7': POLICY,
}

function byClass({ status, enhanced, command }: Refusal): SmtpError {
  if (status === 551) return RELAY
  if (command === 'mail' && ['5.7.1', ''].includes(enhanced) && [550, 553, 554].includes(status)) return SENDER
  const listed = BY_SUBJECT[enhanced.slice(0, enhanced.lastIndexOf('.'))]
  if (listed !== undefined) return listed
  if (status >= 500 && status <= 504) return PROTOCOL
  if (status === 552) return command === 'rcpt' ? MAILBOX_FULL : TOO_LARGE
  // The recipient's domain accepts no email at all (RFC 7504).
  if (status === 556 && command === 'rcpt') return HARD_BOUNCE
  return forMessage(`SMTP_${status}`, `the mail server rejected the email with ${status}`)
}

/** The meaning of a failed delivery status (RFC 3464). */
export type Bounce = Readonly<{ code: 'HARD_BOUNCE' | 'SOFT_BOUNCE'; suppresses?: 'hard_bounce' }>

export function toBounce(status: string): Bounce {
  const error = BY_ENHANCED.get(status)
  if (!status.startsWith('5.') || error === MAILBOX_FULL) return { code: 'SOFT_BOUNCE' }
  return {
    code: 'HARD_BOUNCE',
    ...(status.startsWith('5.1.') && error !== SENDER ? { suppresses: 'hard_bounce' } : {}),
  }
}
