/**
 * What it means when a mail server refuses (RFC 5321), by the command it refuses, by its enhanced code (RFC 3463)
 * and by its reply code. It is never doubt: what was refused was not processed. Words of a server are only looked
 * at where it has no code for what it means, and are never repeated: they may quote an address.
 */
import {
  type Deferral,
  forMessage,
  forNow,
  forProvider,
  forRecipient,
  type Rejection,
  TOO_FAST,
} from './provider-errors.ts'
import { type Millis, seconds } from './time.ts'

export type SmtpError = Rejection | Deferral

/** Where it was refused; `data` also after the mail itself. */
export type SmtpCommand = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data'

/** As it came: `550 5.1.1 …`, perhaps in several lines. */
export type SmtpReply = Readonly<{ status: number; text: string }>

type Refusal = Readonly<{ status: number; enhanced: string; words: string; command: SmtpCommand }>

/** Total: any refusal means something. */
export function toSmtpError(reply: SmtpReply, command: SmtpCommand): SmtpError {
  const refusal = { status: reply.status, enhanced: enhancedOf(reply), words: reply.text.toLowerCase(), command }
  return refusal.status < 500 ? forLater(refusal) : forGood(refusal)
}

/** `5.1.1` in `550 5.1.1 …`; empty where there is none, or one of another class. */
function enhancedOf({ status, text }: SmtpReply): string {
  const [, enhanced = ''] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})(?!\S)/.exec(text) ?? []
  return enhanced.charAt(0) === `${status}`.charAt(0) ? enhanced : ''
}

const QUOTA: Deferral = {
  ...forNow('QUOTA_EXCEEDED', 'the account has sent all that it may send for now'),
  blame: 'account',
}
const RATE: Deferral = { ...TOO_FAST, blame: 'account' }

function forLater(refusal: Refusal): Deferral {
  const { status, enhanced, words, command } = refusal
  // Amazon SES says both by 454 without an enhanced code.
  if (words.includes('quota exceeded') && command !== 'rcpt') return QUOTA
  if (isThrottled(refusal)) return RATE
  if (command === 'auth') return forNow('AUTHENTICATION_DEFERRED', 'the server cannot check the password for now')
  if (command !== 'rcpt' || status === 421 || /^4\.[345]\./.test(enhanced)) {
    return forNow(`SMTP_${status}`, 'the server cannot take the mail for now')
  }
  if (enhanced === '4.2.2') return MAILBOX_FULL
  return forRecipient('MAILBOX_UNAVAILABLE', 'the mailbox cannot be reached for now')
}

const isThrottled = ({ enhanced, words }: Refusal): boolean =>
  enhanced === '4.7.28' || /throttl|maximum sending rate|rate limit/.test(words)

/** Too much at once: all that goes there has to slow down. */
export const isTooFast = (error: SmtpError): boolean => error === RATE

/** How long to wait where the server, as ever, does not say: a quota comes back over a day, little by little. */
export const waitAfter = (error: Deferral): Millis => seconds(error === QUOTA ? 300 : error === RATE ? 1 : 0)

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

const BY_ENHANCED = new Map<string, SmtpError>([
  ...['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10'].map((code) => [code, HARD_BOUNCE] as const),
  ...['5.1.7', '5.1.8', '5.7.60'].map((code) => [code, SENDER] as const),
  ['5.2.1', forMessage('MAILBOX_DISABLED', 'the mailbox takes no mail')],
  ['5.2.2', MAILBOX_FULL],
  ...['5.2.3', '5.3.4'].map((code) => [code, TOO_LARGE] as const),
  ['5.5.3', forMessage('TOO_MANY_RECIPIENTS', 'the mail has more recipients than the server takes')],
  ...['5.7.0', '5.7.8', '5.7.9', '5.7.11'].map((code) => [code, AUTHENTICATION] as const),
  ...[20, 21, 22, 23, 24, 25, 26, 27, 29].map((detail) => [`5.7.${detail}`, UNPROVEN] as const),
])

/** By what the middle number says it is about. */
const BY_SUBJECT: Readonly<Record<string, SmtpError>> = {
  '5.1': forMessage('INVALID_RECIPIENT', 'the receiving side does not accept the address'),
  '5.2': forMessage('MAILBOX_UNAVAILABLE', 'the mailbox cannot be reached'),
  '5.4': forMessage('UNROUTABLE', 'there is no way to the receiving side'),
  '5.5': PROTOCOL,
  '5.6': forMessage('CONTENT_REJECTED', 'the receiving side does not take such a mail'),
  '5.7': POLICY,
}

const AUTHENTICATION_STATUSES = new Set([530, 534, 535, 538])

function forGood(refusal: Refusal): SmtpError {
  const { status, enhanced, words, command } = refusal
  if (command === 'auth' || AUTHENTICATION_STATUSES.has(status)) return AUTHENTICATION
  if (command === 'connect') return forProvider(`SMTP_${status}`, 'the server does not let us in')
  if (status === 551 || /\brelay/.test(words)) return RELAY
  // Amazon SES refuses an unverified sender by 554 like any content.
  if (words.includes('not verified')) return SENDER
  return (command === 'mail' ? ofSender(refusal) : BY_ENHANCED.get(enhanced)) ?? byClass(refusal)
}

/** Nobody has been named yet but the sender. */
function ofSender({ status, enhanced }: Refusal): SmtpError | undefined {
  if (enhanced.startsWith('5.1.') || (['5.7.1', ''].includes(enhanced) && [550, 553, 554].includes(status)))
    return SENDER
  return BY_ENHANCED.get(enhanced)
}

function byClass({ status, enhanced, command }: Refusal): SmtpError {
  const listed = BY_SUBJECT[enhanced.slice(0, enhanced.lastIndexOf('.'))]
  if (listed !== undefined) return listed
  if (status >= 500 && status <= 504) return PROTOCOL
  if (status === 552) return command === 'rcpt' ? MAILBOX_FULL : TOO_LARGE
  if ((status === 550 || status === 556) && command === 'rcpt') return HARD_BOUNCE
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
