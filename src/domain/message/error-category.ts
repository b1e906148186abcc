/** Groups error codes into categories for statistics. Unlisted codes are classified by the outcome. */
export const ERROR_CATEGORIES = [
  'PERMANENT_ERROR',
  'CONFIGURATION_ERROR',
  'QUOTA_ERROR',
  'TRANSIENT_ERROR',
  'TIMEOUT_ERROR',
  'VALIDATION_ERROR',
] as const
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number]

/** Ambiguous codes are listed nowhere: `MAILBOX_UNAVAILABLE` can be temporary or permanent. */
const CODES = {
  /** The message or our account is permanently rejected. */
  PERMANENT_ERROR: [
    'SES_MESSAGE_REJECTED',
    'SES_ACCOUNT_SENDING_PAUSED',
    'SES_ACCOUNT_SUSPENDED',
    'SES_CONFIGURATION_SET_SENDING_PAUSED',
    'SES_INVALID_PARAMETER',
    'SES_REJECTED',
    'SES_RENDERING_FAILED',
    'ACCOUNT_SUSPENDED',
    'COMPLAINT',
    'CONTENT_REJECTED',
    'DELETED',
    'DELIVERY_FAILED',
    'FRAUD_BLOCKED',
    'HARD_BOUNCE',
    'INSUFFICIENT_FUNDS',
    'INVALID_NUMBER',
    'INVALID_RECIPIENT',
    'MAILBOX_DISABLED',
    'MESSAGE_REJECTED',
    'NUMBER_BLOCKED',
    'OPTED_OUT',
    'PARTLY_REFUSED',
    'POLICY_REJECTED',
    'RECIPIENT_BLOCKED',
    'REJECTED',
    'SKIPPED',
    'TOO_LARGE',
    'TOO_MANY_RECIPIENTS',
    'UNDELIVERABLE',
    'UNKNOWN',
    'UNROUTABLE',
  ],
  /** Something needs configuration, here or at the provider. */
  CONFIGURATION_ERROR: [
    'SES_MAIL_FROM_DOMAIN_NOT_VERIFIED',
    'SES_CONFIGURATION_SET_DOES_NOT_EXIST',
    'SES_CREDENTIALS_UNAVAILABLE',
    'SES_IDENTITY_NOT_VERIFIED',
    'SES_TEMPLATE_DOES_NOT_EXIST',
    'ACCOUNT_NOT_FOUND',
    'ADDRESS_REFUSED',
    'AUTHENTICATION_FAILED',
    'BIND_FAILED',
    'ENDPOINT_MOVED',
    'ENDPOINT_NOT_FOUND',
    'FLASH_UNSUPPORTED',
    'INVALID_ADDRESS_TYPE',
    'INVALID_DATA_CODING',
    'INVALID_SENDER',
    'INVALID_SENDER_ID',
    'INVALID_SERVICE_TYPE',
    'NOT_ALLOWED',
    'NOT_ROUTABLE',
    'NO_ROUTE_FOUND',
    'PROCESSING_FAILED',
    'PROTOCOL_ERROR',
    'REGION_NOT_ENABLED',
    'RELAY_DENIED',
    'SENDER_NOT_AUTHENTICATED',
    'TLS_FAILED',
    'TLS_REQUIRED',
    'TRIAL_ACCOUNT',
    'WRONG_CHANNEL',
  ],
  /** Rate limits and quotas. */
  QUOTA_ERROR: [
    'SES_THROTTLING',
    'SES_MAX_SEND_RATE_EXCEEDED',
    'SES_DAILY_QUOTA_EXCEEDED',
    'QUEUE_FULL',
    'QUOTA_EXCEEDED',
    'RATE_LIMITED',
  ],
  /** May succeed later, or the outcome is unknown. */
  TRANSIENT_ERROR: [
    'SES_CLOCK_SKEWED',
    'SES_NO_MESSAGE_ID',
    'SES_SERVICE_UNAVAILABLE',
    'ABORTED',
    'ALREADY_BOUND',
    'AUTHENTICATION_DEFERRED',
    'CARRIER_ERROR',
    'CONNECTION_FAILED',
    'CONNECTION_LOST',
    'CONNECTION_REFUSED',
    'DELAYED',
    'INTERNAL_ERROR',
    'INVALID_RESPONSE',
    'MAILBOX_FULL',
    'NAME_NOT_FOUND',
    'NETWORK_ERROR',
    'NOT_BOUND',
    'NOT_CONNECTED',
    'NOT_RECEIVED',
    'NO_PROVIDER_AVAILABLE',
    'OUTCOME_UNKNOWN',
    'PARTLY_SENT',
    'QUERY_FAILED',
    'QUIET_HOURS',
    'RECEIVER_ERROR',
    'RESPONSE_TOO_LARGE',
    'SERVICE_UNAVAILABLE',
    'SIMULATOR_UNAVAILABLE',
    'SOFT_BOUNCE',
    'SUBMIT_FAILED',
    'UNKNOWN_ERROR',
    'UNREACHABLE',
  ],
  TIMEOUT_ERROR: [
    'SES_TIMEOUT',
    'EXPIRED',
    'HTTP_408',
    'HTTP_504',
    'HTTP_524',
    'POOL_TIMEOUT',
    'RECEIPT_MISSING',
    'TIMEOUT',
  ],
  /** Our own checks before sending. */
  VALIDATION_ERROR: [
    'INVALID_PAYLOAD',
    'RECIPIENT_NOT_FOUND',
    'RECIPIENT_SUPPRESSED',
    'INVALID_EMAIL',
    'INVALID_TEMPLATE',
  ],
} as const satisfies Readonly<Record<ErrorCategory, readonly string[]>>

/** A code with a category of its own. */
export type ListedCode = (typeof CODES)[ErrorCategory][number]

/** The listed codes; engines keep them for their SQL views. */
export const CATEGORY_OF: ReadonlyMap<string, ErrorCategory> = new Map(
  ERROR_CATEGORIES.flatMap((category) => CODES[category].map((code) => [code, category] as const)),
)

/** Any HTTP server error, including the last of several. */
const SERVER_ERROR = /^HTTP_5\d\d$/

/** Total: an unlisted code is transient if it was retried, and permanent otherwise. */
export const toErrorCategory = (code: string, willRetry: boolean): ErrorCategory =>
  CATEGORY_OF.get(code) ?? (willRetry || SERVER_ERROR.test(code) ? 'TRANSIENT_ERROR' : 'PERMANENT_ERROR')
