/**
 * The errors of Amazon SES, by name without its suffix, in both versions of the API (Amazon SES API v2 Reference:
 * SendEmail, and "Common Errors" of AWS; API v1 Reference). A few say more in their text than in their name; we read the
 * text but never pass it on, because it quotes addresses.
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

/** An error answer of SES. */
export type SesAnswer = Readonly<{ status: number; name?: string; text?: string }>

/** How long mail waits while the account may not send. The daily quota covers the last 24 hours. */
export const ACCOUNT_WAIT: Millis = seconds(600)

/** Our account may not send any mail for now. */
const forAccount = (code: string, detail: string): Deferral => ({ kind: 'deferred', code, detail, blame: 'account' })

const THROTTLED = forNow('SES_THROTTLING', 'SES throttles our requests')
const TOO_FAST = forNow('SES_MAX_SEND_RATE_EXCEEDED', "the account's maximum send rate is exceeded")
const QUOTA = forAccount('SES_DAILY_QUOTA_EXCEEDED', "the account's 24-hour sending quota is exceeded")
const PAUSED = forAccount('SES_ACCOUNT_SENDING_PAUSED', 'SES has paused sending for the account')
const UNVERIFIED = forProvider('SES_IDENTITY_NOT_VERIFIED', 'an address or domain is not verified in SES')
const INVALID = forMessage('SES_INVALID_PARAMETER', 'SES says the email or a recipient is invalid')
const NO_CONFIGURATION_SET = forProvider(
  'SES_CONFIGURATION_SET_DOES_NOT_EXIST',
  'the SES configuration set does not exist',
)
/**
 * InternalServiceErrorException: "the request couldn't be processed"; InternalFailure: "the request processing has
 * failed"; ServiceUnavailable: "the request has failed due to a temporary failure of the server".
 */
const UNAVAILABLE = forNow('SES_SERVICE_UNAVAILABLE', 'SES is unavailable')
/** RequestTimeoutException ("Common Errors", 408): reading the request timed out, so SES never had all of it. */
const UNREAD = forNow('SES_TIMEOUT', 'SES timed out reading the request')
const TIMED_OUT = unknownOutcome('SES_TIMEOUT', 'SES timed out, which does not say whether it took the email')
const LOST = unknownOutcome('NETWORK_ERROR', 'the connection to SES was lost before it answered')
const SKEWED = forNow('SES_CLOCK_SKEWED', "SES says the request's signature has expired: its clock differs from ours")
const UNAUTHENTICATED = forProvider('AUTHENTICATION_FAILED', 'SES rejected the AWS credentials')
const NOT_ALLOWED = forProvider('NOT_ALLOWED', 'the AWS account is not allowed to send this email')

/** By name, without the suffix `Exception` or `Error`. */
export const SES_ERRORS: ReadonlyMap<string, ProviderError> = new Map<string, ProviderError>([
  ['MessageRejected', forMessage('SES_MESSAGE_REJECTED', 'SES rejected the email')],
  [
    'MailFromDomainNotVerified',
    forProvider('SES_MAIL_FROM_DOMAIN_NOT_VERIFIED', 'the MAIL FROM domain is not verified in SES'),
  ],
  ['FromEmailAddressNotVerified', UNVERIFIED],
  ['NotFound', NO_CONFIGURATION_SET],
  ['ConfigurationSetDoesNotExist', NO_CONFIGURATION_SET],
  ['TemplateDoesNotExist', forProvider('SES_TEMPLATE_DOES_NOT_EXIST', 'the SES template does not exist')],
  ['AccountSuspended', forAccount('SES_ACCOUNT_SUSPENDED', 'SES has suspended the account')],
  ['SendingPaused', PAUSED],
  ['AccountSendingPaused', PAUSED],
  [
    'ConfigurationSetSendingPaused',
    forAccount('SES_CONFIGURATION_SET_SENDING_PAUSED', 'SES has paused sending for the configuration set'),
  ],
  ['LimitExceeded', QUOTA],
  ['DailyQuotaExceeded', QUOTA],
  ['MaxSendRateExceeded', TOO_FAST],
  ['MaxSendingRateExceeded', TOO_FAST],
  ...each(THROTTLED, ['TooManyRequests', 'Throttling', 'Throttled', 'RequestThrottled', 'RequestLimitExceeded']),
  ...each(INVALID, ['BadRequest', 'InvalidParameterValue', 'InvalidParameterCombination', 'MissingParameter']),
  ...each(INVALID, ['Validation', 'Serialization', 'MalformedInput']),
  ...each(UNAUTHENTICATED, [
    'InvalidClientTokenId',
    'UnrecognizedClient',
    'MissingAuthenticationToken',
    'ExpiredToken',
  ]),
  ...each(UNAUTHENTICATED, ['SignatureDoesNotMatch', 'InvalidSignature', 'IncompleteSignature', 'AuthFailure']),
  ...each(NOT_ALLOWED, ['AccessDenied', 'NotAuthorized', 'OptInRequired']),
  ...each(SKEWED, ['RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed']),
  ...each(UNAVAILABLE, ['ServiceUnavailable', 'InternalFailure', 'InternalServer', 'InternalService']),
  ['RequestTimeout', UNREAD],
  ...each(TIMED_OUT, ['Timeout', 'GatewayTimeout', 'RequestAborted']),
  ['Networking', LOST],
])

function each(error: ProviderError, names: readonly string[]): readonly (readonly [string, ProviderError])[] {
  return names.map((name) => [name, error])
}

/** Total: every answer has a meaning. */
export function toSesError({ status, name = '', text = '' }: SesAnswer): ProviderError {
  const plain = toPlainName(name)
  const listed = SES_ERRORS.get(plain) ?? (status === 429 ? THROTTLED : undefined)
  const exact = listed && (byText(listed, text) ?? listed)
  return toSesCode(byStatusAndCode(status, exact, toUnlistedCode(status, plain)))
}

/** A 5xx without a known name gets the same code as one with a name. */
function toSesCode(error: ProviderError): ProviderError {
  if (!error.code.startsWith('HTTP_5')) return error
  return error.kind === 'unknown' ? TIMED_OUT : UNAVAILABLE
}

/** `com.amazonaws.sesv2#TooManyRequestsException:http://…` is `TooManyRequestsException`. */
const toOwnName = (name: string): string => name.replace(/^.*#/, '').replace(/:.*$/, '')

const toPlainName = (name: string): string => toOwnName(name).replace(/(?:Exception|Error)$/, '')

/** SES's own name of an error; undefined for anything that is no name. */
export function originalCodeOf({ name = '' }: SesAnswer): string | undefined {
  const own = toOwnName(name)
  return isName(own) ? own : undefined
}

/** The text may be more specific than the name. */
function byText(listed: ProviderError, text: string): ProviderError | undefined {
  if (listed === THROTTLED || listed === QUOTA) {
    if (/daily (?:message|sending) quota exceeded/i.test(text)) return QUOTA
    return /maximum send(?:ing)? rate exceeded/i.test(text) ? TOO_FAST : undefined
  }
  if (listed.code !== 'SES_MESSAGE_REJECTED') return undefined
  if (/^email address is not verified/i.test(text)) return UNVERIFIED
  return /^sending (?:is )?(?:paused|suspended) for this account/i.test(text) ? PAUSED : undefined
}

const MAX_NAME_LENGTH = 64
const isName = (text: string): boolean => /^[A-Z][A-Za-z]*$/.test(text) && text.length <= MAX_NAME_LENGTH

/** `SlowDown` becomes `SES_SLOW_DOWN`; anything that is not an error name becomes its status. */
function toUnlistedCode(status: number, plain: string): string {
  if (!isName(plain)) return `HTTP_${status}`
  return `SES_${plain.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()}`
}

/** Whether we must send more slowly. */
export const isTooFast = ({ code }: Pick<ProviderError, 'code'>): boolean =>
  code === THROTTLED.code || code === TOO_FAST.code
