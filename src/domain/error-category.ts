/** Kinds of errors, for whoever counts them: a table over our codes. What is not in it is judged by what came of it. */
export const ERROR_CATEGORIES = [
  'PERMANENT_ERROR',
  'CONFIGURATION_ERROR',
  'QUOTA_ERROR',
  'TRANSIENT_ERROR',
  'TIMEOUT_ERROR',
  'VALIDATION_ERROR',
] as const
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number]

const CODES: Readonly<Record<ErrorCategory, readonly string[]>> = {
  /** The message, or our account, is refused for good. */
  PERMANENT_ERROR: [
    'SES_MESSAGE_REJECTED',
    'SES_ACCOUNT_SENDING_PAUSED',
    'SES_ACCOUNT_SUSPENDED',
    'SES_CONFIGURATION_SET_SENDING_PAUSED',
    'SES_INVALID_PARAMETER',
    'ACCOUNT_SUSPENDED',
    'INSUFFICIENT_FUNDS',
    'MESSAGE_REJECTED',
    'RECIPIENT_BLOCKED',
    'NUMBER_BLOCKED',
    'INVALID_NUMBER',
    'OPTED_OUT',
  ],
  /** Something is to be set up, here or at the provider. */
  CONFIGURATION_ERROR: [
    'SES_MAIL_FROM_DOMAIN_NOT_VERIFIED',
    'SES_CONFIGURATION_SET_DOES_NOT_EXIST',
    'SES_CREDENTIALS_UNAVAILABLE',
    'SES_IDENTITY_NOT_VERIFIED',
    'SES_TEMPLATE_DOES_NOT_EXIST',
    'ACCOUNT_NOT_FOUND',
    'AUTHENTICATION_FAILED',
    'BIND_FAILED',
    'FLASH_UNSUPPORTED',
    'INVALID_SENDER',
    'INVALID_SENDER_ID',
    'NOT_ALLOWED',
    'NO_ROUTE_FOUND',
    'PROTOCOL_ERROR',
    'REGION_NOT_ENABLED',
    'RELAY_DENIED',
    'SENDER_UNPROVEN',
    'TLS_FAILED',
    'TRIAL_ACCOUNT',
    'WRONG_CHANNEL',
  ],
  /** Too many, or too fast. */
  QUOTA_ERROR: [
    'SES_THROTTLING',
    'SES_MAX_SEND_RATE_EXCEEDED',
    'SES_DAILY_QUOTA_EXCEEDED',
    'QUEUE_FULL',
    'QUOTA_EXCEEDED',
    'RATE_LIMITED',
  ],
  TRANSIENT_ERROR: [
    'SES_SERVICE_UNAVAILABLE',
    'NETWORK_ERROR',
    'CONNECTION_FAILED',
    'CONNECTION_LOST',
    'CONNECTION_REFUSED',
    'NAME_NOT_FOUND',
    'NOT_CONNECTED',
    'SERVICE_UNAVAILABLE',
    'SIMULATOR_UNAVAILABLE',
    'UNREACHABLE',
  ],
  TIMEOUT_ERROR: ['SES_TIMEOUT', 'TIMEOUT', 'EXPIRED'],
  /** One of our own checks before sending. */
  VALIDATION_ERROR: [
    'INVALID_PAYLOAD',
    'RECIPIENT_NOT_FOUND',
    'RECIPIENT_SUPPRESSED',
    'INVALID_EMAIL',
    'INVALID_TEMPLATE',
  ],
}

const CATEGORY_OF: ReadonlyMap<string, ErrorCategory> = new Map(
  ERROR_CATEGORIES.flatMap((category) => CODES[category].map((code) => [code, category] as const)),
)

/** Total: a code nobody listed passes when it is tried again, and does not when it is not. */
export const toErrorCategory = (code: string, willRetry: boolean): ErrorCategory =>
  CATEGORY_OF.get(code) ?? (willRetry ? 'TRANSIENT_ERROR' : 'PERMANENT_ERROR')
