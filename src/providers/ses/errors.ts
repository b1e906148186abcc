/**
 * What the errors of Amazon SES mean, by their names in both versions of its API, whose endings do not matter here
 * (Amazon SES API v2 Reference: SendEmail, and "Common Errors" of all of AWS; the first version's API Reference).
 * A few say more in their text than in their name; it is looked at and never passed on, because it quotes addresses.
 */

import { type Millis, seconds } from '../../lib/time.ts'
import {
  byStatusAndCode,
  type Deferral,
  forMessage,
  forNow,
  forProvider,
  type ProviderError,
  unknownOutcome,
} from '../provider-errors.ts'

/** What an answer of SES says besides that it is none we wanted. */
export type SesAnswer = Readonly<{ status: number; name?: string; text?: string }>

/** How long mail waits while the account may not send: the daily quota is counted over the last 24 hours. */
export const ACCOUNT_WAIT: Millis = seconds(600)

/** Our account may not send for now, whatever the mail. */
const forAccount = (code: string, detail: string): Deferral => ({ kind: 'deferred', code, detail, blame: 'account' })

const THROTTLED = forNow('SES_THROTTLING', 'SES takes no more requests for now')
const TOO_FAST = forNow('SES_MAX_SEND_RATE_EXCEEDED', 'the account sends faster than SES allows it')
const QUOTA = forAccount('SES_DAILY_QUOTA_EXCEEDED', 'the account has sent as much as SES allows it in 24 hours')
const PAUSED = forAccount('SES_ACCOUNT_SENDING_PAUSED', 'SES has paused what the account sends')
const UNVERIFIED = forProvider('SES_IDENTITY_NOT_VERIFIED', 'SES has not verified an address that must be')
const INVALID = forMessage('SES_INVALID_PARAMETER', 'SES finds fault with the mail or with whom it is for')
const NO_CONFIGURATION_SET = forProvider(
  'SES_CONFIGURATION_SET_DOES_NOT_EXIST',
  'SES does not know the configuration set',
)
/**
 * InternalServiceErrorException: "the request couldn't be processed"; InternalFailure: "the request processing has
 * failed"; ServiceUnavailable: "the request has failed due to a temporary failure of the server".
 */
const BROKEN = forNow('SES_SERVICE_UNAVAILABLE', 'SES failed')
/** RequestTimeoutException ("Common Errors", 408): reading the request timed out, so SES never had all of it. */
const UNREAD = forNow('SES_TIMEOUT', 'SES gave up before it had read the whole request')
const OVERDUE = unknownOutcome('SES_TIMEOUT', 'SES ran out of time, which does not tell whether it has the mail')
const LOST = unknownOutcome('NETWORK_ERROR', 'the connection to SES broke before it answered')
const SKEWED = forNow('SES_CLOCK_SKEWED', 'SES takes the request for too old or too new: its clock is not ours')
const NOT_LET_IN = forProvider('AUTHENTICATION_FAILED', 'SES does not accept the credentials')
const NOT_ALLOWED = forProvider('NOT_ALLOWED', 'SES does not allow the account to send this')

/** By the name without `Exception` or `Error` at its end. */
export const SES_ERRORS: ReadonlyMap<string, ProviderError> = new Map<string, ProviderError>([
  ['MessageRejected', forMessage('SES_MESSAGE_REJECTED', 'SES refuses the mail')],
  [
    'MailFromDomainNotVerified',
    forProvider('SES_MAIL_FROM_DOMAIN_NOT_VERIFIED', 'SES has not verified the domain that bounces go to'),
  ],
  ['FromEmailAddressNotVerified', UNVERIFIED],
  ['NotFound', NO_CONFIGURATION_SET],
  ['ConfigurationSetDoesNotExist', NO_CONFIGURATION_SET],
  ['TemplateDoesNotExist', forProvider('SES_TEMPLATE_DOES_NOT_EXIST', 'SES does not know the template')],
  ['AccountSuspended', forAccount('SES_ACCOUNT_SUSPENDED', 'SES has suspended the account')],
  ['SendingPaused', PAUSED],
  ['AccountSendingPaused', PAUSED],
  [
    'ConfigurationSetSendingPaused',
    forAccount('SES_CONFIGURATION_SET_SENDING_PAUSED', 'SES has paused what goes by the configuration set'),
  ],
  ['LimitExceeded', QUOTA],
  ['DailyQuotaExceeded', QUOTA],
  ['MaxSendRateExceeded', TOO_FAST],
  ['MaxSendingRateExceeded', TOO_FAST],
  ...each(THROTTLED, ['TooManyRequests', 'Throttling', 'Throttled', 'RequestThrottled', 'RequestLimitExceeded']),
  ...each(INVALID, ['BadRequest', 'InvalidParameterValue', 'InvalidParameterCombination', 'MissingParameter']),
  ...each(INVALID, ['Validation', 'Serialization', 'MalformedInput']),
  ...each(NOT_LET_IN, ['InvalidClientTokenId', 'UnrecognizedClient', 'MissingAuthenticationToken', 'ExpiredToken']),
  ...each(NOT_LET_IN, ['SignatureDoesNotMatch', 'InvalidSignature', 'IncompleteSignature', 'AuthFailure']),
  ...each(NOT_ALLOWED, ['AccessDenied', 'NotAuthorized', 'OptInRequired']),
  ...each(SKEWED, ['RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed']),
  ...each(BROKEN, ['ServiceUnavailable', 'InternalFailure', 'InternalServer', 'InternalService']),
  ['RequestTimeout', UNREAD],
  ...each(OVERDUE, ['Timeout', 'GatewayTimeout', 'RequestAborted']),
  ['Networking', LOST],
])

function each(error: ProviderError, names: readonly string[]): readonly (readonly [string, ProviderError])[] {
  return names.map((name) => [name, error])
}

/** Total: any answer means something. */
export function toSesError({ status, name = '', text = '' }: SesAnswer): ProviderError {
  const plain = toPlainName(name)
  const listed = SES_ERRORS.get(plain) ?? (status === 429 ? THROTTLED : undefined)
  const exact = listed && (byText(listed, text) ?? listed)
  return inWordsOfSes(byStatusAndCode(status, exact, toUnlistedCode(status, plain)))
}

/** A 5xx without a name that we know goes by the code of those that have one. */
function inWordsOfSes(error: ProviderError): ProviderError {
  if (!error.code.startsWith('HTTP_5')) return error
  return error.kind === 'unknown' ? OVERDUE : BROKEN
}

/** `com.amazonaws.sesv2#TooManyRequestsException:http://…` and `TooManyRequests` are one. */
const toPlainName = (name: string): string =>
  name
    .replace(/^.*#/, '')
    .replace(/:.*$/, '')
    .replace(/(?:Exception|Error)$/, '')

/** What the text says more exactly than the name. */
function byText(listed: ProviderError, text: string): ProviderError | undefined {
  if (listed === THROTTLED || listed === QUOTA) {
    if (/daily (?:message|sending) quota exceeded/i.test(text)) return QUOTA
    return /maximum send(?:ing)? rate exceeded/i.test(text) ? TOO_FAST : undefined
  }
  if (listed.code !== 'SES_MESSAGE_REJECTED') return undefined
  if (/^email address is not verified/i.test(text)) return UNVERIFIED
  return /^sending (?:is )?(?:paused|suspended) for this account/i.test(text) ? PAUSED : undefined
}

const LONGEST_NAME = 64

/** `SlowDown` is `SES_SLOW_DOWN`; what is no name of an error goes by its status. */
function toUnlistedCode(status: number, plain: string): string {
  if (!/^[A-Z][A-Za-z]*$/.test(plain) || plain.length > LONGEST_NAME) return `HTTP_${status}`
  return `SES_${plain.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}`
}

/** Whether the account has to slow down. */
export const isTooFast = ({ code }: Pick<ProviderError, 'code'>): boolean =>
  code === THROTTLED.code || code === TOO_FAST.code
