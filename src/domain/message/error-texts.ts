/**
 * What each error code of a message means, and what the sender can do about it. The table is total over `ErrorCode`, and
 * holds nothing of a single message.
 */
import type { ListedCode } from './error-category.ts'

/** Codes that statistics classify by the outcome, because they are ambiguous or Pombo's own decisions. */
export const UNCLASSIFIED_CODES = [
  'ABANDONED',
  'CLAIM_LATE',
  'ERASED',
  'MAILBOX_UNAVAILABLE',
  'RESOLVED_NOT_SENT',
  'RESOLVED_RESEND',
  'TENANT_SUSPENDED',
  'TEST_MODE_UNAVAILABLE',
  'TOO_LATE',
] as const

/** Every code that Pombo gives a message by itself. A provider's unlisted codes come as they are, such as `TWILIO_30999`. */
export type ErrorCode = ListedCode | (typeof UNCLASSIFIED_CODES)[number]

export type ErrorText = Readonly<{ meaning: string; advice: string }>

const text = (meaning: string, advice: string): ErrorText => ({ meaning, advice })

/** What to do about more than one code. */
export const ADVICE = {
  account: 'Check the account with the provider, then resend the message.',
  address: 'Correct the address and send a new message.',
  breaker:
    'Check the providers of the route and their circuit breakers. The message is sent as soon as one is available.',
  carrier: "Resend the message later or through another provider, and ask this one's support if it keeps failing.",
  configuration: "Correct the provider's settings, then resend the message.",
  consent: 'Do not send to this recipient again, unless they ask for it.',
  content: 'Change the text and send a new message.',
  internal: 'Look for the trace ID in the log of Pombo, fix the cause, then replay the message.',
  later: 'Pombo retries while attempts are left. If the message has failed, resend it later.',
  network:
    'Check the network and DNS of the gateway. Pombo retries while attempts are left; resend the message if it has failed.',
  number: 'Correct the number and send a new message.',
  protocol: "Compare the provider's settings with its documentation, or ask its support with the provider message ID.",
  quota: 'Raise the quota with the provider or send through another one, then resend the message.',
  rate: 'Pombo slows down and retries while attempts are left. Lower the rate or spread large batches over time.',
  sender: 'Use a sender that the provider has approved for this destination, then send a new message.',
  ses: 'Check the status of the account in the Amazon SES console, then resend the message.',
  unknown:
    'Wait for a delivery report, or ask the provider whether it has the message and resolve it. A resend may reach the recipient twice.',
} as const

/** What the sender did or wrote. */
const OF_THE_MESSAGE = {
  CONTENT_REJECTED: text('The provider rejected the content of the message.', ADVICE.content),
  DELETED: text('The carrier deleted the message before it was delivered.', ADVICE.carrier),
  DELIVERY_FAILED: text('The provider could not deliver the message and gave no reason.', ADVICE.carrier),
  EXPIRED: text(
    'The message was no longer valid before it could be sent or delivered.',
    'Send it again with a later expires_at, or without one.',
  ),
  FRAUD_BLOCKED: text(
    'The provider suspects fraud and blocked the message.',
    "Review the traffic to this destination, then ask the provider's support to unblock it.",
  ),
  INVALID_EMAIL: text('The email address is not valid.', ADVICE.address),
  INVALID_NUMBER: text('The number is not valid, or cannot receive SMS.', ADVICE.number),
  INVALID_PAYLOAD: text('The stored message is not complete or not readable.', 'Send a new message.'),
  INVALID_RECIPIENT: text('The recipient is not valid.', ADVICE.address),
  INVALID_TEMPLATE: text(
    'The rendered email is empty, too long or not valid.',
    'Check the template and its variables with the preview, then send a new message.',
  ),
  MESSAGE_REJECTED: text(
    'The provider rejected the message.',
    'Check the text and the sender, then send a new message.',
  ),
  PARTLY_REFUSED: text(
    'The carrier accepted some parts of the SMS and rejected others.',
    'Send a shorter text. The recipient may have received some of the parts.',
  ),
  PARTLY_SENT: text('The carrier accepted some parts of the SMS and deferred others.', ADVICE.unknown),
  POLICY_REJECTED: text(
    'The receiving server rejected the email by its policy.',
    'Check the reputation and the SPF, DKIM and DMARC records of your domain, and the content of the email.',
  ),
  REJECTED: text('The carrier rejected the message.', ADVICE.carrier),
  SKIPPED: text('The carrier skipped the message.', ADVICE.carrier),
  TOO_LARGE: text(
    'The email is larger than the mail server accepts.',
    'Send links instead of large attachments, in a new message.',
  ),
  TOO_MANY_RECIPIENTS: text(
    'The email has more recipients than the mail server accepts.',
    'Split the recipients over several messages.',
  ),
  UNDELIVERABLE: text('The carrier could not deliver the message.', ADVICE.carrier),
} as const

/** The recipient, and what they want. */
const OF_THE_RECIPIENT = {
  COMPLAINT: text('The recipient reported the email as spam. The address is suppressed.', ADVICE.consent),
  HARD_BOUNCE: text(
    'The mailbox does not exist. The address is suppressed.',
    'Correct the address in your data. If it is right after all, remove it from the suppressions.',
  ),
  MAILBOX_DISABLED: text('The mailbox is disabled.', 'Reach the recipient another way, or use another address.'),
  MAILBOX_FULL: text('The mailbox is full.', ADVICE.later),
  MAILBOX_UNAVAILABLE: text('The mailbox is not available.', ADVICE.later),
  NUMBER_BLOCKED: text(
    'The number is blocked by the recipient or their carrier.',
    'Do not retry. Reach the recipient another way, or ask them to unblock you.',
  ),
  OPTED_OUT: text('The recipient has unsubscribed from this sender.', ADVICE.consent),
  QUIET_HOURS: text('The provider does not deliver at this hour in the country of the recipient.', ADVICE.later),
  RECEIVER_ERROR: text('The receiving system reported a temporary error.', ADVICE.later),
  RECIPIENT_BLOCKED: text('The recipient blocks messages from this sender.', ADVICE.consent),
  RECIPIENT_NOT_FOUND: text(
    'The recipient is no longer in the directory.',
    'Add the recipient again, or send to an address.',
  ),
  RECIPIENT_SUPPRESSED: text(
    'The address is suppressed, because of a bounce, a complaint or a person.',
    'If the address works again and its owner agrees, remove it from the suppressions and send a new message.',
  ),
  SOFT_BOUNCE: text('The receiving server could not take the email for now.', 'Send a new message later.'),
  UNREACHABLE: text('The phone is switched off or out of reach.', ADVICE.later),
  UNROUTABLE: text('No network can be reached for this recipient.', ADVICE.number),
} as const

/** The account with the provider, its settings, and the sender. */
const OF_THE_ACCOUNT = {
  ACCOUNT_NOT_FOUND: text('The provider does not know the configured account.', ADVICE.configuration),
  ACCOUNT_SUSPENDED: text('The provider has suspended the account.', ADVICE.account),
  ADDRESS_REFUSED: text(
    "The provider's host resolves to an address that Pombo may not call.",
    "Check the provider's URL and the allowed networks in the configuration.",
  ),
  AUTHENTICATION_DEFERRED: text('The mail server could not check the password for now.', ADVICE.later),
  AUTHENTICATION_FAILED: text('The provider rejected the credentials.', ADVICE.configuration),
  BIND_FAILED: text('The SMSC refused the bind.', ADVICE.configuration),
  ENDPOINT_MOVED: text("The provider's API has moved to another URL.", ADVICE.configuration),
  ENDPOINT_NOT_FOUND: text("The provider's API does not exist at the configured URL.", ADVICE.configuration),
  FLASH_UNSUPPORTED: text(
    'The provider cannot send flash SMS.',
    'Route flash SMS to another provider, or send a plain SMS.',
  ),
  INSUFFICIENT_FUNDS: text('The balance of the account is too low.', 'Top up the account, then resend the message.'),
  INVALID_ADDRESS_TYPE: text('The SMSC does not accept the configured type of an address.', ADVICE.configuration),
  INVALID_DATA_CODING: text('The SMSC does not accept the data coding.', ADVICE.configuration),
  INVALID_SENDER: text('The sender address is not valid, or not allowed for this account.', ADVICE.sender),
  INVALID_SENDER_ID: text('The sender ID is not valid, or not allowed for this account.', ADVICE.sender),
  INVALID_SERVICE_TYPE: text('The SMSC does not accept the configured service type.', ADVICE.configuration),
  NOT_ALLOWED: text('The account is not allowed to send this message.', ADVICE.account),
  NOT_ROUTABLE: text('The provider cannot send from this sender to this recipient.', ADVICE.sender),
  PROTOCOL_ERROR: text('The provider reported a protocol error.', ADVICE.protocol),
  REGION_NOT_ENABLED: text(
    'The account is not enabled for the region of the recipient.',
    'Enable the region with the provider, or route it to another one, then resend the message.',
  ),
  RELAY_DENIED: text('The mail server does not relay email to this recipient.', ADVICE.configuration),
  SENDER_NOT_AUTHENTICATED: text(
    'The receiving server could not authenticate the domain of the sender.',
    'Check the SPF, DKIM and DMARC records of the domain, then resend the message.',
  ),
  TLS_FAILED: text('The TLS handshake with the provider failed.', ADVICE.configuration),
  TLS_REQUIRED: text('The server does not offer the encryption that the settings require.', ADVICE.configuration),
  TRIAL_ACCOUNT: text(
    'A trial account may only send to verified numbers.',
    'Verify the number with the provider, or upgrade the account.',
  ),
  WRONG_CHANNEL: text(
    'The provider does not carry this kind of message.',
    'Correct the providers of the route, then resend the message.',
  ),
} as const

const OF_SES = {
  SES_ACCOUNT_SENDING_PAUSED: text('Amazon SES has paused sending for the account.', ADVICE.ses),
  SES_ACCOUNT_SUSPENDED: text('Amazon SES has suspended the account.', ADVICE.ses),
  SES_CLOCK_SKEWED: text(
    'The clock of the gateway differs from that of Amazon SES.',
    'Synchronize the clock of the gateway.',
  ),
  SES_CONFIGURATION_SET_DOES_NOT_EXIST: text('The SES configuration set does not exist.', ADVICE.configuration),
  SES_CONFIGURATION_SET_SENDING_PAUSED: text('Amazon SES has paused the configuration set.', ADVICE.ses),
  SES_CREDENTIALS_UNAVAILABLE: text('No AWS credentials could be loaded.', ADVICE.configuration),
  SES_DAILY_QUOTA_EXCEEDED: text('The daily sending quota of Amazon SES is used up.', ADVICE.quota),
  SES_IDENTITY_NOT_VERIFIED: text('The sender is not a verified identity in Amazon SES.', ADVICE.sender),
  SES_INVALID_PARAMETER: text('Amazon SES says that a parameter is not valid.', ADVICE.protocol),
  SES_MAIL_FROM_DOMAIN_NOT_VERIFIED: text('The MAIL FROM domain is not verified in Amazon SES.', ADVICE.sender),
  SES_MAX_SEND_RATE_EXCEEDED: text('The maximum send rate of Amazon SES is exceeded.', ADVICE.rate),
  SES_MESSAGE_REJECTED: text('Amazon SES rejected the message.', ADVICE.content),
  SES_NO_MESSAGE_ID: text('Amazon SES answered without a message ID.', ADVICE.unknown),
  SES_REJECTED: text('Amazon SES found a virus in the email.', ADVICE.content),
  SES_RENDERING_FAILED: text('Amazon SES could not render the email.', ADVICE.content),
  SES_SERVICE_UNAVAILABLE: text('Amazon SES is temporarily unavailable.', ADVICE.later),
  SES_TEMPLATE_DOES_NOT_EXIST: text('The template does not exist in Amazon SES.', ADVICE.configuration),
  SES_THROTTLING: text('Amazon SES throttles the account.', ADVICE.rate),
  SES_TIMEOUT: text('Amazon SES did not answer in time.', ADVICE.unknown),
} as const

/** Getting through to the provider, and what it answers. */
const OF_THE_PROVIDER = {
  ABORTED: text('The call to the provider was aborted.', ADVICE.later),
  ALREADY_BOUND: text('The SMSC says that the session is already bound.', ADVICE.later),
  CARRIER_ERROR: text('The network of the recipient reported an error.', ADVICE.carrier),
  CONNECTION_FAILED: text('The connection to the provider failed.', ADVICE.network),
  CONNECTION_LOST: text('The connection to the provider was lost before it had answered.', ADVICE.unknown),
  CONNECTION_REFUSED: text('The provider refused the connection.', ADVICE.network),
  DELAYED: text('The receiving server delays the email; the provider keeps trying.', 'Wait. The final report follows.'),
  HTTP_408: text('The request did not reach the provider completely.', ADVICE.later),
  HTTP_504: text('A proxy of the provider got no answer in time.', ADVICE.unknown),
  HTTP_524: text('A proxy of the provider got no answer in time.', ADVICE.unknown),
  INTERNAL_ERROR: text('The provider had an internal error.', ADVICE.later),
  INVALID_RESPONSE: text("The provider's answer could not be read.", ADVICE.unknown),
  NAME_NOT_FOUND: text("The provider's host name could not be resolved.", ADVICE.network),
  NETWORK_ERROR: text('The network failed while the provider was called.', ADVICE.network),
  NOT_BOUND: text('The SMPP session is not bound.', ADVICE.later),
  NOT_CONNECTED: text('The provider is not connected.', ADVICE.network),
  POOL_TIMEOUT: text('No connection to the mail server was free in time.', ADVICE.later),
  QUERY_FAILED: text('The SMSC could not query the message.', ADVICE.later),
  QUEUE_FULL: text("The provider's queue is full.", ADVICE.rate),
  QUOTA_EXCEEDED: text('The sending quota of the account is used up.', ADVICE.quota),
  RATE_LIMITED: text('The provider limits the request rate.', ADVICE.rate),
  RESPONSE_TOO_LARGE: text("The provider's answer is too large to be read.", ADVICE.unknown),
  SERVICE_UNAVAILABLE: text('The provider is temporarily unavailable.', ADVICE.later),
  SIMULATOR_UNAVAILABLE: text('The simulator is not available.', ADVICE.later),
  SUBMIT_FAILED: text('The SMSC could not submit the message.', ADVICE.later),
  TIMEOUT: text('The provider did not answer in time.', ADVICE.unknown),
  UNKNOWN: text('The carrier does not know what became of the message.', ADVICE.carrier),
  UNKNOWN_ERROR: text('The provider reported an unknown error.', ADVICE.carrier),
} as const

/** What Pombo or a person decided. */
const OF_POMBO = {
  ABANDONED: text('The process that called the provider stopped before the answer.', ADVICE.unknown),
  CLAIM_LATE: text('The attempt was given up before the provider was called.', ADVICE.later),
  ERASED: text('The content was erased before the message was sent.', 'Send a new message.'),
  NOT_RECEIVED: text('The provider says that it never received the attempt.', ADVICE.later),
  NO_PROVIDER_AVAILABLE: text('No provider of the route can be called for now.', ADVICE.breaker),
  NO_ROUTE_FOUND: text(
    'No route matches the message.',
    'Add a route for this channel, sender and destination, then resend the message.',
  ),
  OUTCOME_UNKNOWN: text('There is no evidence whether the provider has the message.', ADVICE.unknown),
  PROCESSING_FAILED: text('Pombo failed to process the message several times.', ADVICE.internal),
  RECEIPT_MISSING: text(
    'The carrier sent no delivery report.',
    'The message may have been delivered. Ask the recipient or the provider before you resend it.',
  ),
  RESOLVED_NOT_SENT: text(
    'A person recorded that the provider does not have the message.',
    'Resend the message if it is still wanted.',
  ),
  RESOLVED_RESEND: text('A person requested another attempt.', 'The recipient may receive the message twice.'),
  TENANT_SUSPENDED: text(
    'The tenant is suspended.',
    'Ask the operator to activate the tenant, then replay the message.',
  ),
  TEST_MODE_UNAVAILABLE: text(
    'No simulator is configured for messages in test mode.',
    'Ask the operator to add a simulator for this channel, then resend the message.',
  ),
  TOO_LATE: text('An earlier look-up reported this attempt as absent.', ADVICE.later),
} as const

/** The same, by what caused the error. */
export const ERROR_SUBJECTS = {
  message: OF_THE_MESSAGE,
  recipient: OF_THE_RECIPIENT,
  account: { ...OF_THE_ACCOUNT, ...OF_SES },
  provider: OF_THE_PROVIDER,
  pombo: OF_POMBO,
} as const

export const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  ...OF_THE_MESSAGE,
  ...OF_THE_RECIPIENT,
  ...OF_THE_ACCOUNT,
  ...OF_SES,
  ...OF_THE_PROVIDER,
  ...OF_POMBO,
}
