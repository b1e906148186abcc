// Generated from docs/openapi.json and docs/events by `npm run clients`.

export interface AcceptInvitationRequest {
  /** The token in the link, after `#invitation=`. */
  token: string
  /** 12 to 128 characters, and neither common nor with the email address in it. */
  password: string
}

export type ActionMethod = 'POST' | 'PATCH' | 'DELETE' | 'GET'

/** The type of the alert; null for the events of a message. */
export type AlertType = 'quota.warning' | 'quota.exceeded' | 'tenant.quota_warning' | 'tenant.quota_exceeded' | 'provider.breaker_opened' | 'provider.breaker_closed' | 'provider.degraded' | 'provider.recovered' | 'dead_letters.high'

export interface ApiKey {
  /** The part of the key after the mode. */
  id: string
  /** What the key begins with. Its secret is not stored. */
  prefix: string
  /** What the key is for: 1 to 100 characters. */
  name: string
  /** What the key permits. Only scopes that you have. */
  scopes: Scope[]
  mode: Mode
  /** The account of the tenant that the key acts for. */
  account_id: string
  /** The account SID for programs that use Twilio's API; the key is their auth token. */
  twilio_account_sid: string
  /** The key is valid only for calls from these IP addresses and networks, in CIDR notation. */
  networks: string[] | null
  status: ApiKeyStatus
  created_at: string
  /** When the key expires (RFC 3339). */
  expires_at: string | null
  revoked_at: string | null
  /** Known to the minute. Null if the key was never used. */
  last_used_at: string | null
}

export interface ApiKeyPage {
  items: ApiKey[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type ApiKeyStatus = 'active' | 'expired' | 'revoked'

export interface Attachment {
  /** 1 to 255 characters on one line. */
  filename: string
  /** A media type without parameters; not `multipart/…` or `message/…`. */
  content_type: string
  /** The file, in base64. */
  content: string
  /** Lets the html refer to the file, as `cid:logo`. */
  content_id?: string | undefined
}

export interface AttachmentSummary {
  filename: string
  content_type: string
  /** In bytes. */
  size: number
}

export interface AuditActor {
  /** `token`, `api_key`, `user` or `anonymous`. */
  kind: string
  /** The id of the user or the API key, or the claim `sub` of the token. */
  id: string | null
  /** The name of the API key, or the email address of the user. */
  name: string | null
  /** The tenant of the actor, if it is not the `tenant_id` of the entry: operators act for others. */
  tenant_id: string | null
}

export interface AuditEntry {
  id: string
  at: string
  /** Null for what belongs to the operator, such as circuit breakers. */
  tenant_id: string | null
  actor: AuditActor
  /** The address that the call came from. */
  address: string
  /** Also in the log lines of the call. */
  http_request_id: string
  action: string
  target: AuditTarget
  before: AuditSnapshot | null
  after: AuditSnapshot | null
}

export interface AuditEntryPage {
  items: AuditEntry[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type AuditSnapshot = Record<string, unknown>

export interface AuditTarget {
  kind: string
  /** Recipients are masked. */
  id: string
}

/** What the call was authenticated by. */
export type AuthenticatedBy = 'user' | 'token' | 'api_key'

export interface AwaitedReport {
  waiting_since: string
  /** How it reports. */
  provider_reports: DeliveryReportSource | null
  provider_can_be_asked: boolean
  next_poll_at: string
  /** When Pombo stops waiting and the message expires. */
  times_out_at: string
}

export interface BatchEmail {
  channel: 'email'
  /** An email address. */
  to?: string | undefined
  /** 1 to 150 characters. */
  subject?: string | undefined
  /** At most 512 KB. Html with scripts, `javascript:` URLs or event handlers is not sent. */
  html?: string | undefined
  /** The plain-text part, at most 512 KB. None is generated from the html. */
  text?: string | undefined
  /**
   * A template to render, instead of `subject`, `html` and `text`. The default locale is the recipient's, if the
   * directory has it.
   */
  template?: TemplateReference | undefined
  /** The sender. Defaults to the sender of the provider. */
  from?: string | undefined
  /** One address, or up to 10. */
  reply_to?: string | string[] | undefined
  /** Recipients of a copy. At most 50 different recipients together with `to`. */
  cc?: string[] | undefined
  /** Recipients of a blind copy. At most 50 different recipients together with `to`. */
  bcc?: string[] | undefined
  /** Up to 50 additional headers. The headers that Pombo writes itself cannot be set. */
  headers?: Record<string, string> | undefined
  /** At most 5 MiB in total. */
  attachments?: Attachment[] | undefined
  unsubscribe?: Unsubscribe | undefined
  /** The id of a recipient in the directory, instead of `to`. */
  recipient_id?: string | undefined
  /** The external id of a recipient in the directory, instead of `to`. */
  recipient_external_id?: string | undefined
  /** Makes the call safe to retry for 48 hours: the same key with the same payload returns the first response. */
  idempotency_key: string
  lane?: SendLane | undefined
  metadata?: Metadata | undefined
  tags?: string[] | undefined
  /** The message is not sent after this time. */
  expires_at?: string | undefined
  /** An http or https URL to POST webhooks about this message to. */
  callback_url?: string | undefined
}

export type BatchItem = BatchSms | BatchEmail

export interface BatchItemError {
  type: string
  title: string
  status: number
  detail: string
  error_code: ErrorCode
  /** The same as `detail`. */
  message: string
  details?: FieldError[] | undefined
  /** In seconds; also in the header `Retry-After`. */
  retry_after?: number | undefined
}

export interface BatchItemResult {
  index: number
  id?: string | undefined
  /** An alias of the message id, kept for compatibility. */
  request_id?: string | undefined
  status?: 'accepted' | undefined
  error?: BatchItemError | undefined
}

export interface BatchSms {
  channel?: 'sms' | undefined
  /** A phone number in E.164 format. */
  to?: string | undefined
  /** The text, 1 to 1600 characters. */
  message?: string | undefined
  /** A template to render, instead of `message`. The default locale is the recipient's, if the directory has it. */
  template?: TemplateReference | undefined
  /** 1 to 20 characters. */
  sender_id?: string | undefined
  /** Defaults to `sms`. */
  type?: SmsType | undefined
  /** The id of a recipient in the directory, instead of `to`. */
  recipient_id?: string | undefined
  /** The external id of a recipient in the directory, instead of `to`. */
  recipient_external_id?: string | undefined
  /** Makes the call safe to retry for 48 hours: the same key with the same payload returns the first response. */
  idempotency_key: string
  lane?: SendLane | undefined
  metadata?: Metadata | undefined
  tags?: string[] | undefined
  /** The message is not sent after this time. */
  expires_at?: string | undefined
  /** An http or https URL to POST webhooks about this message to. */
  callback_url?: string | undefined
}

export type BreakerAction = 'trip' | 'reset'

export interface CallbackReceipt {
  /** The number of reports in the callback. */
  received: number
}

export interface ChangePasswordRequest {
  /** The password. */
  current_password: string
  /** 12 to 128 characters, and neither common nor with the email address in it. */
  new_password: string
}

export type Channel = 'sms' | 'email'

export interface CircuitBreaker {
  /**
   * `closed`: the provider is used. `open`: it failed too many times in a row, or an operator paused it, and is
   * not called. `half_open`: one trial call is made.
   */
  state: CircuitBreakerState
  consecutive_failures: number
  /** Since when it has not been closed. */
  opened_at: string | null
  /** When the next trial call may be made. */
  retry_at: string | null
  /**
   * When an operator opened it, until `retry_at`; the audit log has who. Null if it opened by itself, and once the
   * pause is over.
   */
  paused_at: string | null
}

export type CircuitBreakerState = 'closed' | 'open' | 'half_open'

export interface CleanedStore {
  store: string
  action: string
}

export interface ConfigureUserRequest {
  /** The id of the user. */
  userId: number
  /** The maximum number of messages per window. */
  rateLimit: number
  /** The window, in minutes. */
  timeWindow: number
}

/** What the limit is for; `otp` is the limit on one-time codes per recipient. */
export type CountedScope = 'tenant' | 'account' | 'recipient' | 'user' | 'otp'

export interface CreateApiKeyRequest {
  /** What the key is for: 1 to 100 characters. */
  name: string
  /** What the key permits. Only scopes that you have. */
  scopes: Scope[]
  mode?: Mode | undefined
  /** The account of the tenant that the key acts for. Defaults to yours. */
  account_id?: string | undefined
  /** The key is valid only for calls from these IP addresses and networks, in CIDR notation. */
  networks?: string[] | undefined
  /** When the key expires (RFC 3339). */
  expires_at?: string | undefined
  /** Instead of `expires_at`. Without either, the key does not expire. */
  expires_in_days?: number | undefined
}

export interface CreateDomainRequest {
  /** A domain that you send email from, in ASCII (`xn--…` for others). */
  domain: string
}

export interface CreateEndpointRequest {
  /** Generated if not given. */
  id?: string | undefined
  /** An http or https URL without credentials or fragment. Use https. */
  url: string
  /** A note for your team. */
  description?: string | undefined
  /**
   * The event types to deliver. If empty, all of messages and all alerts of the tenant. Those of the installation
   * (`tenant.…`, `provider.…`, `dead_letters.…`) are only delivered where they are listed, and only operators may
   * list them.
   */
  events?: WebhookEventType[] | undefined
}

export interface CreateErasureRequest {
  /** A phone number in E.164 format, or an email address. */
  to: string
}

export interface CreateRecipientRequest {
  /** Your own id of the recipient: 1 to 128 printable characters, unique. */
  external_id?: string | undefined
  /** 1 to 200 characters. */
  name?: string | undefined
  /** In E.164 format. */
  phone?: string | undefined
  /** An email address. */
  email?: string | undefined
  /** A BCP 47 language tag: the locale of templates for this recipient. */
  locale?: string | undefined
}

export interface CreateRouteRequest {
  /** Shown in timelines. Generated if not given. */
  id?: string | undefined
  /** The channel of the messages. */
  channel: Channel
  /** Only messages of this kind. */
  kind?: SmsType | undefined
  /** Only messages from this sender: a sender id, or an email address. */
  sender?: string | undefined
  /** Only phone numbers with this prefix or, for email, this domain and its subdomains. The longest match wins. */
  prefix?: string | undefined
  /** The mobile operator, recorded in the timeline. */
  operator_id?: string | undefined
  retry?: RetrySettings | undefined
  unknown?: UnknownOutcomeSettings | undefined
  /**
   * Either names in order of preference, or all with weights: then each message draws its first provider by
   * weight, and the others are fallbacks. A provider with weight 0 is only a fallback.
   */
  providers: (string | WeightedProvider)[]
}

export interface CreateTemplateRequest {
  /** At most 64 letters, digits and . _ - */
  name: string
  /** A BCP 47 language tag. */
  locale?: string | undefined
  channel: Channel
  /** The text, a Liquid template: `Hi {{ name }}`. */
  text: string
  /** The subject of an email. */
  subject?: string | undefined
  /** The html of an email. Variables are escaped. */
  html?: string | undefined
}

export interface CreateTenantRequest {
  /** As in the claim `tenant_id` of tokens. */
  id: string
  /** For people. */
  name?: string | undefined
  state?: TenantState | undefined
  /** The only providers that the tenant's messages may take, whatever the routes say. */
  providers?: string[] | undefined
  /**
   * The only senders that the tenant's messages may have: sender ids, numbers, email addresses, domains
   * (`acme.example`) and their subdomains (`*.acme.example`).
   */
  senders?: string[] | undefined
  quotas?: TenantQuotas | undefined
  /** How many days messages are kept, if that is shorter than the installation's retention. */
  retention_days?: number | undefined
  /** The locale of templates without one, and of messages to recipients without one. */
  default_locale?: string | undefined
}

export interface CreateUserRequest {
  email: string
  /** 1 to 200 characters. */
  name?: string | undefined
  /**
   * `viewer` sees messages without their content; `support` also opens content and resends; `developer` sees and
   * sends; `admin` may do everything in the tenant; `operator` everything in the installation.
   */
  role: Role
}

export interface CreatedApiKey {
  /** The part of the key after the mode. */
  id: string
  /** What the key begins with. Its secret is not stored. */
  prefix: string
  /** What the key is for: 1 to 100 characters. */
  name: string
  /** What the key permits. Only scopes that you have. */
  scopes: Scope[]
  mode: Mode
  /** The account of the tenant that the key acts for. */
  account_id: string
  /** The account SID for programs that use Twilio's API; the key is their auth token. */
  twilio_account_sid: string
  /** The key is valid only for calls from these IP addresses and networks, in CIDR notation. */
  networks: string[] | null
  status: ApiKeyStatus
  created_at: string
  /** When the key expires (RFC 3339). */
  expires_at: string | null
  revoked_at: string | null
  /** Known to the minute. Null if the key was never used. */
  last_used_at: string | null
  /** The key itself. Only this response contains it. */
  key: string
  /**
   * The password for SMPP clients that have room for eight characters only; their system_id is the `id` of the
   * key. Missing unless the operator allows short passwords.
   */
  smpp_password?: string | undefined
}

export interface CreatedEndpoint {
  /** Generated if not given. */
  id: string
  /** An http or https URL without credentials or fragment. Use https. */
  url: string
  /** A note for your team. */
  description: string | null
  /**
   * The event types to deliver. If empty, all of messages and all alerts of the tenant. Those of the installation
   * (`tenant.…`, `provider.…`, `dead_letters.…`) are only delivered where they are listed, and only operators may
   * list them.
   */
  events: WebhookEventType[]
  /** A disabled endpoint gets no webhooks. Its pending deliveries are kept for seven days. */
  enabled: boolean
  disabled_reason: EndpointDisabledReason | null
  /** Every call has failed since this time. */
  failing_since: string | null
  created_at: string
  /** When it was last changed through the API. */
  updated_at: string
  /** In the Standard Webhooks format: the key is the base64 after `whsec_`. */
  secret: string
}

export interface DeadLetterReplay {
  replayed: number
  /** Erased, expired, already replayed, or from a sender that is no longer allowed. */
  skipped: number
  /** Refused by a limit or a quota. They stay dead letters; replay them when it admits more. */
  rate_limited: number
  /** Null when none are left. */
  next_cursor: string | null
}

export type DeliveryReportSource = 'callback' | 'connection' | 'never'

export interface Dependency {
  ok: boolean
  /** The process is not ready without it. */
  needed: boolean
  /** What is wrong. Only with a token of the scope `operator`. */
  detail?: string | undefined
}

export interface DnsRecord {
  type: 'TXT'
  name: string
  value: string
  /**
   * What the last check found: the record (`valid`), none of that name (`missing`), or only others (`mismatch`).
   * Null before the first check.
   */
  status: DnsRecordStatus | null
}

export type DnsRecordStatus = 'valid' | 'missing' | 'mismatch'

export interface Domain {
  /** A domain that you send email from, in ASCII (`xn--…` for others). */
  domain: string
  state: DomainState
  /** The DNS record that proves that the domain is yours. */
  ownership: DnsRecord
  /** The DNS record with the public key that email from the domain is signed with. */
  dkim: DnsRecord
  created_at: string
  verified_at: string | null
  last_checked_at: string | null
}

export interface DomainList {
  items: Domain[]
}

/** `verified` while the last check has found the record in `ownership`. */
export type DomainState = 'pending' | 'verified'

export interface EmailContent {
  channel: 'email'
  from: string | null
  /** The recipient in clear text. */
  to: string
  metadata: Record<string, string>
  tags: string[]
  template: RenderedTemplate | null
  reply_to: string[]
  cc: string[]
  subject: string
  html: string
  text: string | null
  /** The headers that the caller added. */
  headers: Record<string, string>
  attachments: AttachmentSummary[]
}

export type EmailErrorCategory = 'PERMANENT_ERROR' | 'CONFIGURATION_ERROR' | 'QUOTA_ERROR' | 'TRANSIENT_ERROR' | 'TIMEOUT_ERROR' | 'VALIDATION_ERROR'

export interface EmailEvent {
  email_log_id: string
  type: EmailState
  metadata: EmailEventMetadata
  created_at: string
}

/** Other fields depend on the event type. */
export interface EmailEventMetadata {
  /** The attempt made or being prepared. */
  attempt: number
  cycle: number
  /** The duration of the previous state. */
  duration_ms: number
  [name: string]: unknown
}

export interface EmailEventPage {
  items: EmailEvent[]
  /** For earlier states; null if there are none. */
  next_cursor: string | null
}

export interface EmailLog {
  outbox_id: string
  request_id: string
  /** The `X-Request-Id` of the call that created it. Null in messages of releases that did not keep it. */
  http_request_id: string | null
  /** The tenant. */
  company_id: string
  recipient_id: string | null
  /** Masked; null after erasure. */
  to: string | null
  /** Null after erasure and for one-time codes. */
  subject: string | null
  status: EmailState
  ses_message_id: string | null
  error_code: string | null
  error_category: EmailErrorCategory | null
  error_reason: string | null
  attempts: number
  /** From creation until it was sent or failed. */
  duration_ms: number | null
  created_at: string
  sent_at: string | null
  failed_at: string | null
}

export interface EmailLogPage {
  items: EmailLog[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type EmailState = 'RECEIVED' | 'VALIDATED' | 'SENT_ATTEMPT' | 'SENT' | 'FAILED' | 'RETRY_SCHEDULED' | 'VALIDATION_FAILED'

/** `mime` for email. */
export type Encoding = 'gsm7' | 'ucs2' | 'mime'

export interface Endpoint {
  /** Generated if not given. */
  id: string
  /** An http or https URL without credentials or fragment. Use https. */
  url: string
  /** A note for your team. */
  description: string | null
  /**
   * The event types to deliver. If empty, all of messages and all alerts of the tenant. Those of the installation
   * (`tenant.…`, `provider.…`, `dead_letters.…`) are only delivered where they are listed, and only operators may
   * list them.
   */
  events: WebhookEventType[]
  /** A disabled endpoint gets no webhooks. Its pending deliveries are kept for seven days. */
  enabled: boolean
  disabled_reason: EndpointDisabledReason | null
  /** Every call has failed since this time. */
  failing_since: string | null
  created_at: string
  /** When it was last changed through the API. */
  updated_at: string
}

/** `by_hand`: disabled through the API. `failing`: every call failed for five days. `gone`: it responded 410. */
export type EndpointDisabledReason = 'by_hand' | 'failing' | 'gone'

export interface EndpointList {
  items: Endpoint[]
}

export interface EndpointSecrets {
  /** In the Standard Webhooks format: the key is the base64 after `whsec_`. */
  secret: string
  /** The previous secret, while it still signs. */
  previous_secret: string | null
  previous_secret_until: string | null
}

export interface ErasedMessage {
  id: string
  erased: true
}

export interface Erasure {
  id: string
  status: ErasureStatus
  /** Messages erased so far. */
  erased: number
  /** Messages that could not be erased; they are retried while the erasure runs. */
  failed: number
  failures: ErasureFailure[]
  requested_at: string
  updated_at: string
  completed_at: string | null
  /** Null until the erasure is completed. */
  receipt: SignedErasureReceipt | null
}

export interface ErasureCounts {
  /** Erased and failed together. */
  found: number
  /** Erased. */
  erased: number
  /** Not erased. */
  failed: number
}

export interface ErasureFailure {
  message_id: string
  reason: string
}

export interface ErasurePage {
  items: Erasure[]
  /** Null on the last page. */
  next_cursor: string | null
}

export interface ErasurePublicKey {
  algorithm: 'Ed25519'
  /** 32 bytes in base64url. */
  public_key: string
  jwk: JsonWebKey
}

export interface ErasureReceipt {
  version: 1
  erasure_id: string
  tenant_id: string
  account_id: string
  /** The keyed hash of the recipient. `POST /v1/erasures/verify` compares it with an address. */
  recipient_hash: string
  requested_at: string
  completed_at: string
  messages: ErasureCounts
  /** The first 1,000 failures. */
  failures: ErasureFailure[]
  cleaned: CleanedStore[]
  remains: RemainingData[]
}

export interface ErasureReceiptVerification {
  /** The receipt was signed by this gateway and is unchanged. */
  valid: boolean
  /** Null without `to`. */
  recipient_matches: boolean | null
}

export type ErasureStatus = 'running' | 'completed'

/**
 * What caused the error: the `message`, its `recipient`, your `account` with the provider and its settings, the
 * `provider`, or `pombo`.
 */
export type ErrorBlame = 'message' | 'recipient' | 'account' | 'provider' | 'pombo'

export type ErrorCategory = 'PERMANENT_ERROR' | 'CONFIGURATION_ERROR' | 'QUOTA_ERROR' | 'TRANSIENT_ERROR' | 'TIMEOUT_ERROR' | 'VALIDATION_ERROR'

export type ErrorCode = 'VALIDATION_ERROR' | 'UNAUTHENTICATED' | 'INVALID_CREDENTIALS' | 'FORBIDDEN' | 'TENANT_UNKNOWN' | 'TENANT_SUSPENDED' | 'INVALID_CSRF_TOKEN' | 'NOT_FOUND' | 'METHOD_NOT_ALLOWED' | 'REQUEST_TIMEOUT' | 'CONFLICT' | 'QUOTA_EXCEEDED' | 'INVALID_INVITATION' | 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE' | 'TEST_MODE_UNAVAILABLE' | 'NO_ROUTE_FOUND' | 'RECIPIENT_SUPPRESSED' | 'SENDER_NOT_ALLOWED' | 'IDEMPOTENCY_MISMATCH' | 'RATE_LIMITED' | 'TOO_MANY_REQUESTS' | 'TOO_MANY_ATTEMPTS' | 'HEADERS_TOO_LARGE' | 'INTERNAL_ERROR' | 'UNAVAILABLE' | 'AUDIT_UNAVAILABLE'

export interface ErrorCount {
  channel: Channel
  /** Null for messages without an attempt. */
  provider: string | null
  error_code: string
  count: number
  /** When the newest of these messages was created. */
  newest_at: string
}

export interface ErrorCountList {
  items: ErrorCount[]
}

export type EventName = 'sms.events.status.v1' | 'sms.outbound.retry.v1' | 'sms.outbound.deadletter.v1' | 'email.events.status.v1' | 'email.outbound.retry.v1' | 'email.outbound.deadletter.v1'

export interface ExcludedRoute {
  id: string
  reason: string
}

export interface ExplainedError {
  /** The same as `error_code`. */
  code: string
  /** What happened to this message; the same as `error_detail`. */
  detail: string | null
  category: ErrorCategory
  /** What the code means. */
  meaning: string
  /** What the sender can do. */
  advice: string
  blame: ErrorBlame
}

export interface ExplainedRoute {
  id: string
  /** In the order in which the message tries them. */
  providers: ProviderStanding[]
}

export interface ExplanationAction {
  action: ExplanationActionName
  /** What it does, and why. */
  text: string
  method?: ActionMethod | undefined
  /** The call that does it. */
  path?: string | undefined
  /** The body of the call, if it takes one. */
  body?: Record<string, unknown> | undefined
  /** The scope that the call needs. */
  scope?: Scope | undefined
  /** Whether you may make the call. True for what needs no call. */
  allowed: boolean
}

export type ExplanationActionName = 'wait' | 'resend' | 'replay' | 'resolve' | 'send_new' | 'erase' | 'reset_breaker' | 'check_provider' | 'change_route' | 'activate_tenant'

export interface ExplanationData {
  checked_at: string
  channel: Channel
  lane: Lane
  handoff_state: HandoffState
  provider_state: ProviderState
  unknown: boolean
  dead_letter: boolean
  erased: boolean
  tenant_suspended: boolean
  cycle: number
  /** Over the whole life of the message. */
  attempts: number
  /** Those that count in this cycle. */
  attempts_in_cycle: number
  /** How many attempts the cycle has. */
  max_attempts: number
  /** Of the newest attempt. */
  provider: string | null
  /** Not tried again in this cycle. */
  excluded_providers: string[]
  /** Tried last. */
  avoided_providers: string[]
  created_at: string
  due_at: string | null
  expires_at: string | null
  handed_off_at: string | null
  ended_at: string | null
  /** From the beginning of the cycle to the handoff, or to the delivery. */
  took_ms: number | null
  route: ExplainedRoute | null
  queue: LaneDepth | null
  unknown_outcome: UnknownOutcomeStanding | null
  report: AwaitedReport | null
  /** Those that a resend would count against. Null while the message is in progress. */
  limits: LimitStanding[] | null
  /** Those that a resend would meet. Null while it is in progress. */
  quotas: QuotaStanding[] | null
}

export interface ExplanationNext {
  text: string
  /** When it happens at the latest, as far as that is known. */
  at: string | null
}

export interface ExplanationReason {
  /** One sentence. */
  text: string
  /** When it happened; missing for what holds now. */
  at?: string | undefined
  /** The event that it tells of. */
  event_type?: string | undefined
  provider?: string | undefined
  error_code?: string | undefined
}

export type ExportFormat = 'ndjson' | 'csv'

export interface FieldError {
  /** A JSON pointer to the invalid field. */
  path: string
  message: string
  /** The error code of the check that the field would fail before sending. */
  code?: string | undefined
}

export interface GenerateOtpRequest {
  /** A phone number in E.164 format; with the channel `email`, an email address. */
  to: string
  /** Defaults to `sms`. */
  channel?: Channel | undefined
  /** How long the code is valid. */
  ttl_seconds?: number | undefined
  /** How many codes may be tried; at most 5 where the code is easier to guess than six digits. */
  max_attempts?: number | undefined
  /** How many characters the code has. */
  code_length?: number | undefined
  code_alphabet?: OtpCodeAlphabet | undefined
  /** Makes the call safe to retry for 48 hours: the same key with the same payload returns the first response. */
  idempotency_key?: string | undefined
  /** The name of your app in the message, 1 to 40 characters. */
  app_name?: string | undefined
  /** The language of the message: a BCP 47 language tag. */
  locale?: string | undefined
}

export interface GetInvitationRequest {
  /** The token in the link, after `#invitation=`. */
  token: string
}

export type HandoffState = 'queued' | 'sending' | 'handed_off' | 'failed'

/**
 * `new`: the key was not used in the last 48 hours. `replay`: the send would return the first response.
 * `mismatch`: the key was used with another payload.
 */
export type IdempotencyStatus = 'new' | 'replay' | 'mismatch'

export interface ImportSuppressionsRequest {
  /** 1 to 1000 addresses. */
  items: SuppressionItem[]
}

export interface Invitation {
  email: string
  name: string | null
  expires_at: string
}

export interface InvitationLink {
  /** Give this link to the person: it sets a password, once. It is shown only now. */
  url: string
  expires_at: string
}

export interface InvitedUser {
  user: User
  invitation: InvitationLink
}

/** The same as a JSON Web Key (RFC 8037). */
export interface JsonWebKey {
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
}

export type Lane = 'otp' | 'transactional' | 'bulk'

export interface LaneDepth {
  lane: Lane
  /** Due now, waiting for a worker. */
  ready: number
  /** Due later, for example a retry. */
  delayed: number
  /** Waiting for a provider: all providers of the route are disconnected or have an open circuit breaker. */
  parked: number
  /** Being processed by a worker. */
  taken: number
}

export interface Latency {
  count: number
  p50_ms: number
  p95_ms: number
  max_ms: number
}

export interface Limit {
  scope: LimitScope
  /** Recipients are masked. */
  key: string
  /** Where an operator and the tenant have set a limit, both count. */
  set_by: LimitOwner
  /** The maximum number of messages per window. */
  limit: number
  /** The window. */
  window_seconds: number
  algorithm: LimitAlgorithm
  /** Null for a default limit (`*`), like `remaining`. */
  used: number | null
  remaining: number | null
  /** Null while nothing is used. */
  resets_at: string | null
  updated_at: string
}

export type LimitAlgorithm = 'fixed' | 'sliding'

export type LimitOwner = 'operator' | 'tenant'

export interface LimitPage {
  items: Limit[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type LimitScope = 'tenant' | 'account' | 'recipient' | 'user'

export interface LimitStanding {
  scope: CountedScope
  /** The id of the tenant or account, or the masked recipient. Null for the limit of a user. */
  key: string | null
  /** Who has set it; null for a setting of the installation. */
  set_by: LimitOwner | null
  limit: number
  window_seconds: number
  used: number
  remaining: number
  /** When the count drops; null while nothing is counted. */
  resets_at: string | null
  /** Whether this limit is reached. */
  would_refuse: boolean
}

export interface Liveness {
  status: 'live'
}

export interface Message {
  id: string
  status: MessageStatus
  handoff_state: HandoffState
  provider_state: ProviderState
  /** Masked; null after erasure. */
  to: string | null
  /**
   * The country of the phone number, as in ISO 3166-1. Null for email, for numbers of no country, and in messages
   * of releases that did not keep it.
   */
  country: string | null
  /** The calling code of that country, without the plus sign. */
  calling_code: string | null
  provider: string | null
  provider_message_id: string | null
  error_code: string | null
  error_detail: string | null
  attempts: number
  /** Starts at 1; every resend and replay adds one. */
  cycle: number
  /** The number of SMS segments; 1 for email. */
  segments: number
  encoding: Encoding
  channel: Channel
  type: MessageType
  lane: Lane
  tags: string[]
  /** The subject of an email; null for one-time codes and after erasure. */
  subject: string | null
  /** The name of the template. Null in messages of releases that did not keep it. */
  template: string | null
  /** The batch in which the message was sent first. */
  batch_id: string | null
  /** The outcome of the latest attempt is unknown: the provider may or may not have the message. */
  unknown: boolean
  dead_letter: boolean
  /** The content is erased. When it was erased because its one-time code ended, `to` is still shown. */
  erased: boolean
  created_at: string
  updated_at: string
}

export type MessageCheck = 'INTEGRITY' | 'RECIPIENT' | 'TEMPLATE'

export type MessageContent = SmsContent | EmailContent

export interface MessageDetails {
  id: string
  status: MessageStatus
  handoff_state: HandoffState
  provider_state: ProviderState
  /** Masked; null after erasure. */
  to: string | null
  /**
   * The country of the phone number, as in ISO 3166-1. Null for email, for numbers of no country, and in messages
   * of releases that did not keep it.
   */
  country: string | null
  /** The calling code of that country, without the plus sign. */
  calling_code: string | null
  provider: string | null
  provider_message_id: string | null
  error_code: string | null
  error_detail: string | null
  attempts: number
  /** Starts at 1; every resend and replay adds one. */
  cycle: number
  /** The number of SMS segments; 1 for email. */
  segments: number
  encoding: Encoding
  channel: Channel
  type: MessageType
  lane: Lane
  tags: string[]
  /** The subject of an email; null for one-time codes and after erasure. */
  subject: string | null
  /** The name of the template. Null in messages of releases that did not keep it. */
  template: string | null
  /** The batch in which the message was sent first. */
  batch_id: string | null
  /** The outcome of the latest attempt is unknown: the provider may or may not have the message. */
  unknown: boolean
  dead_letter: boolean
  /** The content is erased. When it was erased because its one-time code ended, `to` is still shown. */
  erased: boolean
  created_at: string
  updated_at: string
  error: MessageError | null
  account_id: string
  trace_id: string
  /** The `X-Request-Id` of the call that created it. Null in messages of releases that did not keep it. */
  http_request_id: string | null
  /** For email, the From address. */
  sender_id: string | null
  metadata: Record<string, string>
  callback_url: string | null
  expires_at: string | null
  route_id: string | null
  operator_id: string | null
  due_at: string | null
  handed_off_at: string | null
  ended_at: string | null
  /** Oldest first. */
  events: MessageEvent[]
  /** How many events the message has. */
  events_total: number
  /** For earlier events, as `events_cursor`; null if there are none. */
  events_next_cursor: string | null
}

export interface MessageError {
  /** The same as `error_code`. */
  code: string
  /** What happened to this message; the same as `error_detail`. */
  detail: string | null
  category: ErrorCategory
  /** What the code means. */
  meaning: string
  /** What the sender can do. */
  advice: string
}

export interface MessageEvent {
  event_type: string
  at: string
  payload: MessageEventPayload
}

/** Other fields depend on the event type. */
export interface MessageEventPayload {
  status: MessageStatus
  cycle: number
  attempt: number
  [name: string]: unknown
}

export interface MessageExplanation {
  message_id: string
  status: MessageStatus
  situation: MessageSituation
  /** One sentence. */
  summary: string
  /** Oldest first; what holds now comes last. */
  reasons: ExplanationReason[]
  next: ExplanationNext | null
  /** What a person can do, the most useful first. */
  actions: ExplanationAction[]
  error: ExplainedError | null
  data: ExplanationData
}

export interface MessageFilter {
  channel?: Channel | undefined
  status?: MessageStatus | undefined
  handoff_state?: HandoffState | undefined
  provider_state?: ProviderState | undefined
  /** The name of a provider. */
  provider?: string | undefined
  /** The provider's id of the message. */
  provider_message_id?: string | undefined
  /** The full phone number in E.164 format or the full email address of a recipient, also of copies. */
  to?: string | undefined
  /** One of the tags. */
  tag?: string | undefined
  /** A metadata field, as `key:value`. The whole value must match, in its case. */
  metadata?: string | undefined
  /** The name of a template. */
  template?: string | undefined
  /** At most 64 letters, digits and _ - */
  batch?: string | undefined
  /** The code of the latest error. */
  error_code?: string | undefined
  lane?: Lane | undefined
  /** Created at or after this time (RFC 3339). */
  created_from?: string | undefined
  /** Created before this time (RFC 3339). */
  created_to?: string | undefined
  /**
   * What to look for: a message id or 8 of its first digits or more, a full phone number or email address, an
   * idempotency key of your account, a provider's id, the name of a batch or template, an error code, a tag, a
   * metadata field as `key:value`, or words in tags, metadata, subject or error, of which all must match and the
   * last may be a prefix. The first of these that finds messages is the result, and `search` says which it was.
   * Operators can be combined with each other, with metadata fields and with words: `id:`, `to:`, `batch:`,
   * `template:`, `error:`, `provider:`, `provider_message_id:`, `idempotency_key:`, `tag:`, `status:`, `channel:`,
   * `lane:`. Quote values with spaces: `order:"A 17"`.
   */
  q?: string | undefined
  /** Whether the outcome of the latest attempt is unknown. */
  unknown?: boolean | undefined
}

export interface MessagePage {
  items: Message[]
  /** Null on the last page. */
  next_cursor: string | null
  search: SearchReport | null
  total: Total | null
}

export type MessageQuotaName = 'waiting_messages' | 'stored_bytes'

/** Where the message stands. Later releases may add values. */
export type MessageSituation = 'queued' | 'retry_scheduled' | 'waiting_for_account' | 'no_provider' | 'no_route' | 'tenant_suspended' | 'content_erased' | 'gateway_starting' | 'deadline_passed' | 'sending' | 'attempt_abandoned' | 'unknown_outcome' | 'unknown_held' | 'unresolved' | 'awaiting_report' | 'sent_without_reports' | 'delivered' | 'bounced' | 'dropped' | 'complaint' | 'report_timed_out' | 'expired' | 'resolved_not_sent' | 'invalid' | 'dead_letter' | 'failed'

export type MessageStatus = 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'expired'

export type MessageType = 'sms' | 'flash_sms' | 'email'

export interface MessageWithEvents {
  /** An alias of the message id, kept for compatibility. */
  request_id: string
  id: string
  status: MessageStatus
  handoff_state: HandoffState
  provider_state: ProviderState
  /** Masked; null after erasure. */
  to: string | null
  /**
   * The country of the phone number, as in ISO 3166-1. Null for email, for numbers of no country, and in messages
   * of releases that did not keep it.
   */
  country: string | null
  /** The calling code of that country, without the plus sign. */
  calling_code: string | null
  provider: string | null
  provider_message_id: string | null
  error_code: string | null
  error_detail: string | null
  attempts: number
  /** Starts at 1; every resend and replay adds one. */
  cycle: number
  /** The number of SMS segments; 1 for email. */
  segments: number
  encoding: Encoding
  channel: Channel
  type: MessageType
  lane: Lane
  tags: string[]
  /** The subject of an email; null for one-time codes and after erasure. */
  subject: string | null
  /** The name of the template. Null in messages of releases that did not keep it. */
  template: string | null
  /** The batch in which the message was sent first. */
  batch_id: string | null
  /** The outcome of the latest attempt is unknown: the provider may or may not have the message. */
  unknown: boolean
  dead_letter: boolean
  /** The content is erased. When it was erased because its one-time code ended, `to` is still shown. */
  erased: boolean
  created_at: string
  updated_at: string
  /** Oldest first. */
  events: MessageEvent[]
  /** How many events the message has. */
  events_total: number
  /** For earlier events, as `events_cursor`; null if there are none. */
  events_next_cursor: string | null
}

/** Up to 50 key-value pairs of your own, searchable. Keys have at most 64 characters. */
export type Metadata = Record<string, string>

/**
 * What a `test` key does stays in test mode: its messages go to the simulator, and its data is apart. Defaults to
 * the mode of the call.
 */
export type Mode = 'live' | 'test'

export interface OtpChallenge {
  challenge_id: string
  /** The message with the code. */
  message_id: string
  /** An alias of the message id, kept for compatibility. */
  request_id: string
  status: 'pending'
  expires_at: string
}

export interface OtpChallengeState {
  challenge_id: string
  /** The message with the code. */
  message_id: string
  status: OtpChallengeStatus
  /** How many more codes may be tried; 0 after the challenge has ended. */
  attempts_remaining: number
  channel: Channel
  /** Masked; null after erasure. */
  to: string | null
  /** How far the message with the code has come. */
  message_status: MessageStatus
  created_at: string
  expires_at: string
}

export type OtpChallengeStatus = 'pending' | 'verified' | 'canceled' | 'exhausted' | 'expired'

/**
 * Defaults to `numeric`. `alphanumeric` is digits and capital letters, without vowels and without 0, 1 and L; the
 * case of letters does not matter when the code is validated.
 */
export type OtpCodeAlphabet = 'numeric' | 'alphanumeric'

export interface OtpValidation {
  challenge_id: string
  /** True only once per challenge, when `status` is `verified`. */
  valid: boolean
  status: OtpValidationStatus
  /** How many more codes may be tried; 0 after the challenge has ended. */
  attempts_remaining: number
}

export type OtpValidationStatus = 'verified' | 'invalid' | 'already_verified' | 'exhausted' | 'expired' | 'canceled'

/** Null where the number plan does not tell. */
export type PhoneNumberType = 'mobile' | 'fixed_line' | 'fixed_line_or_mobile' | 'voip' | 'toll_free' | 'premium_rate' | 'shared_cost' | 'personal' | 'pager' | 'uan' | 'voicemail'

export interface PreflightCheck {
  check: MessageCheck
  /** Null if an earlier check failed first. */
  passed: boolean | null
  detail: string | null
}

export interface PreflightEmail {
  kind?: PreflightMessageKind | undefined
  channel: 'email'
  /** An email address. */
  to?: string | undefined
  /** 1 to 150 characters. */
  subject?: string | undefined
  /** At most 512 KB. Html with scripts, `javascript:` URLs or event handlers is not sent. */
  html?: string | undefined
  /** The plain-text part, at most 512 KB. None is generated from the html. */
  text?: string | undefined
  /**
   * A template to render, instead of `subject`, `html` and `text`. The default locale is the recipient's, if the
   * directory has it.
   */
  template?: TemplateReference | undefined
  /** The sender. Defaults to the sender of the provider. */
  from?: string | undefined
  /** One address, or up to 10. */
  reply_to?: string | string[] | undefined
  /** Recipients of a copy. At most 50 different recipients together with `to`. */
  cc?: string[] | undefined
  /** Recipients of a blind copy. At most 50 different recipients together with `to`. */
  bcc?: string[] | undefined
  /** Up to 50 additional headers. The headers that Pombo writes itself cannot be set. */
  headers?: Record<string, string> | undefined
  /** At most 5 MiB in total. */
  attachments?: Attachment[] | undefined
  unsubscribe?: Unsubscribe | undefined
  /** The id of a recipient in the directory, instead of `to`. */
  recipient_id?: string | undefined
  /** The external id of a recipient in the directory, instead of `to`. */
  recipient_external_id?: string | undefined
  /** Makes the call safe to retry for 48 hours: the same key with the same payload returns the first response. */
  idempotency_key?: string | undefined
  lane?: SendLane | undefined
  metadata?: Metadata | undefined
  tags?: string[] | undefined
  /** The message is not sent after this time. */
  expires_at?: string | undefined
  /** An http or https URL to POST webhooks about this message to. */
  callback_url?: string | undefined
}

export interface PreflightEmailForm {
  /** Html, text and attachments in bytes. */
  size: number
  /** The checks that every email goes through before it is sent. */
  checks: PreflightCheck[]
}

export interface PreflightFinding {
  /** A JSON pointer to the field; empty for the whole request. */
  path: string
  message: string
  /** The error code of the refusal or of the check. */
  code: string
}

export interface PreflightIdempotency {
  status: IdempotencyStatus
  /** The message of a `replay`. */
  message_id: string | null
}

export type PreflightMessageKind = 'message'

export interface PreflightOtp {
  kind: PreflightOtpKind
  /** A phone number in E.164 format; with the channel `email`, an email address. */
  to: string
  /** Defaults to `sms`. */
  channel?: Channel | undefined
  /** How long the code is valid. */
  ttl_seconds?: number | undefined
  /** How many codes may be tried; at most 5 where the code is easier to guess than six digits. */
  max_attempts?: number | undefined
  /** How many characters the code has. */
  code_length?: number | undefined
  code_alphabet?: OtpCodeAlphabet | undefined
  /** Makes the call safe to retry for 48 hours: the same key with the same payload returns the first response. */
  idempotency_key?: string | undefined
  /** The name of your app in the message, 1 to 40 characters. */
  app_name?: string | undefined
  /** The language of the message: a BCP 47 language tag. */
  locale?: string | undefined
}

export type PreflightOtpKind = 'otp'

export interface PreflightRecipient {
  kind: RecipientAddressKind
  /** ISO 3166-1 alpha-2, by which messages are counted. */
  country: string | null
  number_type: PhoneNumberType | null
  /** Whether a recipient of the email is suppressed, also one of a copy. */
  suppressed: boolean
  /** The directory entry, if the request names one. */
  recipient_id: string | null
}

export interface PreflightRefusal {
  error_code: ErrorCode
  status: number
  detail: string
  /** In seconds; also in the header `Retry-After`. */
  retry_after?: number | undefined
}

export interface PreflightReport {
  /** Whether there are no problems. */
  valid: boolean
  /** Everything that keeps the message from being accepted or sent. */
  problems: PreflightFinding[]
  /** What may go wrong although Pombo accepts it. */
  warnings: PreflightFinding[]
  recipient: PreflightRecipient | null
  sms: PreflightSmsForm | null
  email: PreflightEmailForm | null
  /** The rate limits that the message would count against. */
  limits: LimitStanding[]
  /** Null without the scope `messages:read`. */
  quotas: QuotaStanding[] | null
  sender: PreflightSender | null
  route: PreflightRoute | null
  /** The messages of the tenant in its lane. Null without the scope `messages:read`. */
  queue: LaneDepth | null
  idempotency: PreflightIdempotency | null
  would_send: PreflightVerdict
}

export type PreflightRequest = PreflightSms | PreflightEmail | PreflightOtp

/** Null if no route matches, and without the scope `messages:read`. */
export interface PreflightRoute {
  id: string
  /** Why this route, and why not the others. */
  reasons: string[]
  /** In the order in which they are tried. */
  providers: ProviderStanding[]
}

export interface PreflightSender {
  allowed: boolean
  reason: string | null
}

export interface PreflightSms {
  kind?: PreflightMessageKind | undefined
  channel?: 'sms' | undefined
  /** A phone number in E.164 format. */
  to?: string | undefined
  /** The text, 1 to 1600 characters. */
  message?: string | undefined
  /** A template to render, instead of `message`. The default locale is the recipient's, if the directory has it. */
  template?: TemplateReference | undefined
  /** 1 to 20 characters. */
  sender_id?: string | undefined
  /** Defaults to `sms`. */
  type?: SmsType | undefined
  /** The id of a recipient in the directory, instead of `to`. */
  recipient_id?: string | undefined
  /** The external id of a recipient in the directory, instead of `to`. */
  recipient_external_id?: string | undefined
  /** Makes the call safe to retry for 48 hours: the same key with the same payload returns the first response. */
  idempotency_key?: string | undefined
  lane?: SendLane | undefined
  metadata?: Metadata | undefined
  tags?: string[] | undefined
  /** The message is not sent after this time. */
  expires_at?: string | undefined
  /** An http or https URL to POST webhooks about this message to. */
  callback_url?: string | undefined
}

export interface PreflightSmsForm {
  encoding: SmsEncoding
  segments: number
  /** Septets in GSM-7, UTF-16 units in UCS-2. */
  units: number
  /** The first ten distinct characters that are not in GSM-7. */
  characters_forcing_ucs2: string[]
}

export interface PreflightVerdict {
  /** Whether the send would be accepted now. */
  accepted: boolean
  refusal: PreflightRefusal | null
  /** When Pombo would call a provider at the earliest; null if it would not, or if that is not known. */
  at: string | null
  /** The one that would be called first. */
  provider: string | null
  text: string
}

export interface PreviewTemplateRequest {
  /** At most 64 letters, digits and . _ - */
  name?: string | undefined
  /** A BCP 47 language tag. */
  locale?: string | undefined
  /** The text, a Liquid template: `Hi {{ name }}`. */
  text?: string | undefined
  /** The subject of an email. */
  subject?: string | undefined
  /** The html of an email. Variables are escaped. */
  html?: string | undefined
  data?: TemplateData | undefined
}

export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  error_code: ErrorCode
  /** The same as `detail`. */
  message: string
  details?: FieldError[] | undefined
  /** In seconds; also in the header `Retry-After`. */
  retry_after?: number | undefined
  /** The id of this HTTP request; also in the header `X-Request-Id`. */
  http_request_id: string
  /** Also in the header `X-Trace-Id`. */
  trace_id: string
}

export interface Provider {
  name: string
  channels: Channel[]
  /** How it sends delivery reports: to our callback URL, on its connection to us, or never. */
  reports: DeliveryReportSource
  /** Whether it supports looking up the status of a message. */
  lookup: boolean
  /** Whether it can send to users without an address. */
  users: boolean
  /** Whether it delivers to nobody: what it receives is in `GET /v1/simulator/inbox`. */
  simulated: boolean
  connections: ProviderConnections | null
  breaker: CircuitBreaker
  recent: RecentResults | null
}

/**
 * The connections of the responding process to the provider; zero if that process does not send. Null for
 * providers without connections.
 */
export interface ProviderConnections {
  wanted: number
  up: number
}

export interface ProviderList {
  items: Provider[]
}

export interface ProviderStanding {
  name: string
  /** Whether Pombo would call it now. */
  up: boolean
  breaker_state: CircuitBreakerState
  /** Why it is chosen, comes later, or cannot be called. */
  reason: string
  /** Since when its circuit breaker has not been closed. */
  open_since: string | null
  /** When a call is permitted again, while the circuit breaker is open. */
  retry_at: string | null
  /** Until when an operator has paused it. */
  paused_until: string | null
}

export type ProviderState = 'unknown' | 'accepted' | 'timed_out' | 'delivered' | 'dropped' | 'bounced' | 'complaint'

export interface PutSuppressionRequest {
  reason?: SettableSuppressionReason | undefined
  /** A note for your team. */
  note?: string | undefined
  /** When the suppression ends. Without it, it is permanent. */
  expires_at?: string | undefined
}

export interface QueueDepth {
  /** Null for all tenants together. */
  tenant_id: string | null
  lanes: LaneDepth[]
}

export type QuotaName = 'limits' | 'templates' | 'routes' | 'endpoints' | 'recipients' | 'api_keys' | 'waiting_messages' | 'stored_bytes'

export interface QuotaStanding {
  quota: MessageQuotaName
  /** Null if there is no bound. */
  limit: number | null
  /** Null while it cannot be read. */
  used: number | null
  /** Whether messages are refused because of it. */
  would_refuse: boolean
}

export interface QuotaUsage {
  quota: QuotaName
  /** Null if there is no bound. */
  limit: number | null
  /** Null while it cannot be read. */
  used: number | null
  /** `used` divided by `limit`. */
  ratio: number | null
}

export interface RateLimitedCount {
  start: string
  channel: Channel
  /** The sends and resends that rate limits refused. */
  count: number
}

export interface Readiness {
  status: ReadinessStatus
  dependencies: Record<string, Dependency>
}

export type ReadinessStatus = 'ready' | 'not_ready'

export interface ReceiptSignature {
  algorithm: 'Ed25519'
  /** 32 bytes in base64url. */
  public_key: string
  /** Over the canonical JSON (RFC 8785) of `receipt`; 64 bytes in base64url. */
  value: string
}

/** Its results for your recent messages; null while the index is unreachable. */
export interface RecentResults {
  /** The length of the period. */
  seconds: number
  messages_per_second: number
  statuses: StatusCounts
  accept_to_handoff_p95_ms: number | null
}

export interface Recipient {
  id: string
  /** Your own id of the recipient: 1 to 128 printable characters, unique. */
  external_id: string | null
  /** 1 to 200 characters. */
  name: string | null
  /** In E.164 format. */
  phone: string | null
  /** An email address. */
  email: string | null
  /** A BCP 47 language tag: the locale of templates for this recipient. */
  locale: string | null
  created_at: string
  updated_at: string
}

export type RecipientAddressKind = 'phone' | 'email' | 'user'

export interface RecipientPage {
  items: Recipient[]
  /** Null on the last page. */
  next_cursor: string | null
}

export interface RemainingData {
  where: string
  what: string
  until: string
}

/** The template that the caller named. The texts are what it rendered. */
export interface RenderedTemplate {
  name: string
  locale: string | null
}

export interface ReplayDeadLettersRequest {
  filter?: MessageFilter | undefined
  /** The `next_cursor` of the previous call. */
  cursor?: string | undefined
}

/** Exactly one of the fields. */
export interface ReplayWebhookDeliveriesRequest {
  /** Replay all events and alerts since this time, at most seven days ago. */
  since?: string | undefined
  /** Replay all events of this message. */
  message_id?: string | undefined
  /** Replay this alert. */
  alert_id?: string | undefined
}

export interface ResentMessage {
  id: string
  status: MessageStatus
  cycle: number
  updated_at: string
}

/**
 * `sent`: the provider has it. `not_sent`: the provider does not have it, and the message fails. `resend`: send it
 * again now, although it may arrive twice; in a new cycle if this one has no attempts left.
 */
export type Resolution = 'sent' | 'not_sent' | 'resend'

export interface ResolveMessageRequest {
  as: Resolution
}

export interface ResolveRouteRequest {
  /** A phone number in E.164 format, or an email address. */
  to: string
  /** Defaults to `sms`. */
  channel?: Channel | undefined
  /** Defaults to `sms`. */
  type?: SmsType | undefined
  sender_id?: string | undefined
  /**
   * The id of the message. With weighted providers it decides which is drawn; without it, the provider with the
   * highest weight is assumed.
   */
  message_id?: string | undefined
}

export interface ResolvedMessage {
  id: string
  status: MessageStatus
  attempts: number
  cycle: number
  updated_at: string
}

export interface RetryPolicy {
  /** The delay after the first attempt, the second and so on; the last one repeats. */
  delays_seconds: number[]
  max_attempts: number
  /** The fraction by which a delay may be randomly shorter or longer. */
  jitter: number
  /** After a transient error, try the next provider now instead of the same one later. */
  failover: boolean
}

/** The retry policy; missing fields have the channel's defaults. */
export interface RetrySettings {
  /** The delay after the first attempt, the second and so on; the last one repeats. */
  delays_seconds?: number[] | undefined
  max_attempts?: number | undefined
  /** The fraction by which a delay may be randomly shorter or longer. */
  jitter?: number | undefined
  /** After a transient error, try the next provider now instead of the same one later. */
  failover?: boolean | undefined
}

export type Role = 'viewer' | 'support' | 'developer' | 'admin' | 'operator'

export interface RotateApiKeyRequest {
  /** How long the current key stays valid. Defaults to one day. */
  overlap_seconds?: number | undefined
}

export interface RotateEndpointSecretRequest {
  /** How long the current secret keeps signing. Defaults to one day. */
  overlap_seconds?: number | undefined
}

export interface RotatedApiKey {
  /** The part of the key after the mode. */
  id: string
  /** What the key begins with. Its secret is not stored. */
  prefix: string
  /** What the key is for: 1 to 100 characters. */
  name: string
  /** What the key permits. Only scopes that you have. */
  scopes: Scope[]
  mode: Mode
  /** The account of the tenant that the key acts for. */
  account_id: string
  /** The account SID for programs that use Twilio's API; the key is their auth token. */
  twilio_account_sid: string
  /** The key is valid only for calls from these IP addresses and networks, in CIDR notation. */
  networks: string[] | null
  status: ApiKeyStatus
  created_at: string
  /** When the key expires (RFC 3339). */
  expires_at: string | null
  revoked_at: string | null
  /** Known to the minute. Null if the key was never used. */
  last_used_at: string | null
  /** The key itself. Only this response contains it. */
  key: string
  /**
   * The password for SMPP clients that have room for eight characters only; their system_id is the `id` of the
   * key. Missing unless the operator allows short passwords.
   */
  smpp_password?: string | undefined
  previous: ApiKey
}

export interface Route {
  /** Shown in timelines. Generated if not given. */
  id: string
  source: RouteSource
  /** The channel of the messages. */
  channel: Channel
  /** Only messages of this kind. */
  kind: SmsType | null
  /** Only messages from this sender: a sender id, or an email address. */
  sender: string | null
  /** Only phone numbers with this prefix or, for email, this domain and its subdomains. The longest match wins. */
  prefix: string | null
  /** The mobile operator, recorded in the timeline. */
  operator_id: string | null
  /**
   * Either names in order of preference, or all with weights: then each message draws its first provider by
   * weight, and the others are fallbacks. A provider with weight 0 is only a fallback.
   */
  providers: (string | WeightedProvider)[]
  retry: RetryPolicy | null
  unknown: UnknownOutcomeSettings | null
  /** Null for a route of the file. */
  created_at: string | null
  updated_at: string | null
}

export interface RouteCandidate {
  provider: string
  chosen: boolean
  reason: string
}

export interface RouteList {
  items: Route[]
}

export interface RouteResolution {
  route: Route | null
  unknown: UnknownOutcomePolicyByLane | null
  provider: string | null
  /** The providers of the route, in the order they are tried. */
  candidates: RouteCandidate[]
  /** The other routes, and why they are not used. */
  excluded: ExcludedRoute[]
}

/** Routes of the operator's `file` cannot be changed here. `built_in` is the route of test mode. */
export type RouteSource = 'api' | 'file' | 'built_in'

export type Scope = 'sms:send' | 'email:send' | 'otp' | 'messages:read' | 'messages:write' | 'content:read' | 'admin' | 'operator'

export type SearchKind = 'filters' | 'metadata' | 'recipient' | 'message_id' | 'provider_message_id' | 'idempotency_key' | 'batch' | 'template' | 'error_code' | 'tag' | 'words'

/** How `q` was understood. `found_by` is null if nothing was found. `filters` are operators. */
export interface SearchReport {
  found_by: SearchKind | null
  /** In this order, up to the one that found messages. */
  tried: SearchKind[]
}

export interface SendAccepted {
  id: string
  /** An alias of the message id, kept for compatibility. */
  request_id: string
  status: 'accepted'
  created_at: string
  accepted_at: string
}

export interface SendBatchRequest {
  /**
   * Messages are listed by it. Several calls may share one, for example the parts of a large upload. By default a
   * UUID that depends on the idempotency keys of the items.
   */
  batch_id?: string | undefined
  /** 1 to 1000 messages. */
  items: BatchItem[]
}

export interface SendBatchResult {
  batch_id: string
  results: BatchItemResult[]
}

export interface SendEmailRequest {
  /** An email address. */
  to?: string | undefined
  /** 1 to 150 characters. */
  subject?: string | undefined
  /** At most 512 KB. Html with scripts, `javascript:` URLs or event handlers is not sent. */
  html?: string | undefined
  /** The plain-text part, at most 512 KB. None is generated from the html. */
  text?: string | undefined
  /**
   * A template to render, instead of `subject`, `html` and `text`. The default locale is the recipient's, if the
   * directory has it.
   */
  template?: TemplateReference | undefined
  /** The sender. Defaults to the sender of the provider. */
  from?: string | undefined
  /** One address, or up to 10. */
  reply_to?: string | string[] | undefined
  /** Recipients of a copy. At most 50 different recipients together with `to`. */
  cc?: string[] | undefined
  /** Recipients of a blind copy. At most 50 different recipients together with `to`. */
  bcc?: string[] | undefined
  /** Up to 50 additional headers. The headers that Pombo writes itself cannot be set. */
  headers?: Record<string, string> | undefined
  /** At most 5 MiB in total. */
  attachments?: Attachment[] | undefined
  unsubscribe?: Unsubscribe | undefined
  /** The id of a recipient in the directory, instead of `to`. */
  recipient_id?: string | undefined
  /** The external id of a recipient in the directory, instead of `to`. */
  recipient_external_id?: string | undefined
  /** Makes the call safe to retry for 48 hours: the same key with the same payload returns the first response. */
  idempotency_key?: string | undefined
  lane?: SendLane | undefined
  metadata?: Metadata | undefined
  tags?: string[] | undefined
  /** The message is not sent after this time. */
  expires_at?: string | undefined
  /** An http or https URL to POST webhooks about this message to. */
  callback_url?: string | undefined
}

/** `transactional` messages are sent before `bulk` ones. Defaults to `transactional`. */
export type SendLane = 'transactional' | 'bulk'

export interface SendSmsAccepted {
  id: string
  /** An alias of the message id, kept for compatibility. */
  request_id: string
  status: 'accepted'
  created_at: string
  accepted_at: string
  segments: number
  encoding: SmsEncoding
}

export interface SendSmsRequest {
  /** A phone number in E.164 format. */
  to?: string | undefined
  /** The text, 1 to 1600 characters. */
  message?: string | undefined
  /** A template to render, instead of `message`. The default locale is the recipient's, if the directory has it. */
  template?: TemplateReference | undefined
  /** 1 to 20 characters. */
  sender_id?: string | undefined
  /** Defaults to `sms`. */
  type?: SmsType | undefined
  /** The id of a recipient in the directory, instead of `to`. */
  recipient_id?: string | undefined
  /** The external id of a recipient in the directory, instead of `to`. */
  recipient_external_id?: string | undefined
  /** Makes the call safe to retry for 48 hours: the same key with the same payload returns the first response. */
  idempotency_key?: string | undefined
  lane?: SendLane | undefined
  metadata?: Metadata | undefined
  tags?: string[] | undefined
  /** The message is not sent after this time. */
  expires_at?: string | undefined
  /** An http or https URL to POST webhooks about this message to. */
  callback_url?: string | undefined
}

export interface SendToUserRequest {
  /** The id of the user. */
  userId: number
  /** The text; not blank. */
  message: string
}

export interface Session {
  signed_in: boolean
  actor: AuthenticatedBy | null
  user: SessionUser | null
  /** The tenant in which the call happens. */
  tenant_id: string | null
  account_id: string | null
  scopes: Scope[]
  /** Calls with a session that may change something must have it in the header `X-CSRF-Token`. */
  csrf_token: string | null
  /** When the session ends at the latest. */
  expires_at: string | null
  ways: SignInMethods
}

export interface SessionUser {
  id: string
  email: string
  name: string | null
  role: Role
  sign_in: SignInMethod
}

export interface SetLimitRequest {
  /** The maximum number of messages per window. */
  limit: number
  /** The window. */
  window_seconds: number
  /** Defaults to `fixed`. */
  algorithm?: LimitAlgorithm | undefined
}

export interface SetProviderBreakerRequest {
  action: BreakerAction
  /** How long a tripped breaker stays open, at most a week. Defaults to the usual pause; ignored with `reset`. */
  seconds?: number | undefined
}

export type SettableSuppressionReason = 'manual' | 'unsubscribe'

/** Somebody who is `disabled` cannot sign in, and loses all sessions. */
export type SettableUserState = 'active' | 'disabled'

export type SignInMethod = 'password' | 'oidc'

/** How people can sign in. */
export interface SignInMethods {
  password: boolean
  /** Whether `GET /v1/session/oidc` leads to an identity provider. */
  oidc: boolean
}

export interface SignInRequest {
  email: string
  /** The password. */
  password: string
}

export interface SignedErasureReceipt {
  receipt: ErasureReceipt
  signature: ReceiptSignature
}

export interface SimulatorInbox {
  items: SimulatorMessage[]
}

export interface SimulatorMail {
  to: string
  from: string
  bcc: string[]
  reply_to: string[]
  cc: string[]
  subject: string
  html: string
  text: string | null
  /** The headers that the caller added. */
  headers: Record<string, string>
  attachments: AttachmentSummary[]
  message_id: string
  received_at: string
}

export interface SimulatorMessage {
  channel: Channel
  to: string
  from: string | null
  /** Null for an SMS. */
  subject: string | null
  /** For an email, the beginning of its text, or of the text of its html. */
  body: string
  attempt_id: string
  message_id: string
  received_at: string
}

export interface SmsContent {
  channel: 'sms'
  /** The sender id. */
  from: string | null
  /** The recipient in clear text. */
  to: string
  metadata: Record<string, string>
  tags: string[]
  template: RenderedTemplate | null
  body: string
  encoding: SmsEncoding
  /** The segments as they are sent. */
  parts: SmsPart[]
}

export type SmsEncoding = 'gsm7' | 'ucs2'

export interface SmsPart {
  text: string
  /** Septets in GSM-7, 16-bit code units in UCS-2. */
  units: number
}

export type SmsType = 'sms' | 'flash_sms'

export interface Stats {
  from: string
  to: string
  bucket: number
  buckets: StatsBucket[]
  rate_limited: RateLimitedCount[]
}

export interface StatsBucket {
  start: string
  channel: Channel
  /** Null for messages without an attempt yet. */
  provider: string | null
  statuses: StatusCounts
  accept_to_handoff: Latency | null
  handoff_to_delivery: Latency | null
}

export interface StatusCounts {
  queued?: number | undefined
  sending?: number | undefined
  sent?: number | undefined
  delivered?: number | undefined
  failed?: number | undefined
  expired?: number | undefined
}

export interface Suppression {
  /** In lower case. */
  address: string
  reason: SuppressionReason
  /** A note for your team. */
  note: string | null
  /** The message that bounced or was complained about. */
  message_id: string | null
  created_at: string
  expires_at: string | null
}

export interface SuppressionImport {
  /** The number of different addresses. */
  added: number
}

export interface SuppressionItem {
  /** An email address, in upper or lower case. */
  address: string
  reason?: SettableSuppressionReason | undefined
  /** A note for your team. */
  note?: string | undefined
  /** When the suppression ends. Without it, it is permanent. */
  expires_at?: string | undefined
}

export interface SuppressionPage {
  items: Suppression[]
  /** Null on the last page. */
  next_cursor: string | null
}

export type SuppressionReason = 'hard_bounce' | 'complaint' | 'unsubscribe' | 'manual'

export interface Template {
  /** At most 64 letters, digits and . _ - */
  name: string
  /** A BCP 47 language tag. */
  locale: string
  channel: Channel
  version: number
  /** The text, a Liquid template: `Hi {{ name }}`. */
  text: string
  /** The subject of an email. */
  subject: string | null
  /** The html of an email. Variables are escaped. */
  html: string | null
  created_at: string
}

/** The variables of the template. */
export type TemplateData = Record<string, unknown>

export interface TemplatePage {
  items: Template[]
  /** Null on the last page. */
  next_cursor: string | null
}

export interface TemplatePreview {
  text: string
  subject?: string | undefined
  html?: string | undefined
  /** The number of segments as an SMS. */
  segments: number
  encoding: SmsEncoding
  /** The locale of the template that was found. */
  locale?: string | undefined
  version?: number | undefined
}

export interface TemplateReference {
  /** At most 64 letters, digits and . _ - */
  name: string
  data?: TemplateData | undefined
  /** A BCP 47 language tag. */
  locale?: string | undefined
}

export interface TemplateSummary {
  /** At most 64 letters, digits and . _ - */
  name: string
  /** A BCP 47 language tag. */
  locale: string
  channel: Channel
  version: number
  /** How the text begins: at most 100 characters. */
  excerpt: string
  /** How many bytes its texts take together. */
  size: number
  created_at: string
}

export interface TemplateSummaryPage {
  items: TemplateSummary[]
  /** Null on the last page. */
  next_cursor: string | null
}

export interface Tenant {
  /** As in the claim `tenant_id` of tokens. */
  id: string
  source: TenantSource
  state: TenantState
  /** For people. */
  name: string | null
  /** The only providers that the tenant's messages may take, whatever the routes say. */
  providers: string[] | null
  /**
   * The only senders that the tenant's messages may have: sender ids, numbers, email addresses, domains
   * (`acme.example`) and their subdomains (`*.acme.example`).
   */
  senders: string[] | null
  quotas: TenantQuotas | null
  /** How many days messages are kept, if that is shorter than the installation's retention. */
  retention_days: number | null
  /** The locale of templates without one, and of messages to recipients without one. */
  default_locale: string | null
  /** Null for a tenant of the file. */
  created_at: string | null
  updated_at: string | null
}

export interface TenantPage {
  items: Tenant[]
  /** Null on the last page. */
  next_cursor: string | null
}

export interface TenantQuotaUsage {
  tenant_id: string
  /** Every quota. */
  items: QuotaUsage[]
}

/** How much the tenant may have; missing quotas have defaults. */
export interface TenantQuotas {
  /** At most so many rate limits. */
  limits?: number | undefined
  /** At most so many templates. */
  templates?: number | undefined
  /** At most so many routes. */
  routes?: number | undefined
  /** At most so many webhook endpoints. */
  endpoints?: number | undefined
  /** At most so many recipients. */
  recipients?: number | undefined
  /** At most so many API keys. */
  api_keys?: number | undefined
  /** At most so many messages that wait to be sent. */
  waiting_messages?: number | undefined
  /** At most so many bytes of stored messages. */
  stored_bytes?: number | undefined
}

/** Tenants of the operator's `file` cannot be changed here. */
export type TenantSource = 'api' | 'file'

/** A `suspended` tenant cannot call the API, and its messages are not sent: they become dead letters. */
export type TenantState = 'active' | 'suspended'

export interface TestEndpointRequest {
  /** An event type that the endpoint subscribes to. By default the first one. */
  event?: WebhookEventType | undefined
}

/** How many messages match: exactly so many (`eq`), or at least so many (`gte`), where counting on would take long. */
export interface Total {
  value: number
  relation: TotalRelation
}

export type TotalRelation = 'eq' | 'gte'

export type UnknownOutcomeAction = 'resend' | 'failover' | 'hold'

export interface UnknownOutcomePolicy {
  /** How long to wait for a delivery report or a lookup result. */
  wait_seconds: number
  /**
   * `hold`: wait for a delivery report or for an operator. `failover`: send with the next provider, or with the
   * same one if there is no other. `resend`: send with the same provider again. The last two may deliver the
   * message twice.
   */
  policy: UnknownOutcomeAction
  /**
   * How long after the attempt a held message fails with `OUTCOME_UNKNOWN`. Also the time after which messages
   * fail that wait for a quota, a paused account or an unavailable provider.
   */
  give_up_seconds: number
}

/** What the route does about an unknown outcome, by lane. */
export interface UnknownOutcomePolicyByLane {
  otp: UnknownOutcomePolicy
  transactional: UnknownOutcomePolicy
  bulk: UnknownOutcomePolicy
}

/**
 * What to do when the outcome of an attempt is unknown. Defaults by lane: one-time codes wait 5 seconds and fail
 * over; others wait 5 seconds and hold. All give up after 72 hours.
 */
export interface UnknownOutcomeSettings {
  /** How long to wait for a delivery report or a lookup result. */
  wait_seconds?: number | undefined
  /**
   * `hold`: wait for a delivery report or for an operator. `failover`: send with the next provider, or with the
   * same one if there is no other. `resend`: send with the same provider again. The last two may deliver the
   * message twice.
   */
  policy?: UnknownOutcomeAction | undefined
  /**
   * How long after the attempt a held message fails with `OUTCOME_UNKNOWN`. Also the time after which messages
   * fail that wait for a quota, a paused account or an unavailable provider.
   */
  give_up_seconds?: number | undefined
}

export interface UnknownOutcomeStanding {
  policy: UnknownOutcomeAction
  /** Whether Pombo can look the attempt up with the provider. */
  provider_can_be_asked: boolean
  next_check_at: string
  /** When the message is given up and counts as failed. */
  gives_up_at: string
}

/** How recipients unsubscribe: the `List-Unsubscribe` header. */
export interface Unsubscribe {
  /** An https URL for one-click unsubscribe by POST (RFC 8058). */
  url?: string | undefined
  /** An email address for unsubscribe requests. */
  mailto?: string | undefined
}

export interface UpdateEndpointRequest {
  /** An http or https URL without credentials or fragment. Use https. */
  url?: string | undefined
  /** A note for your team. */
  description?: string | null | undefined
  /**
   * The event types to deliver. If empty, all of messages and all alerts of the tenant. Those of the installation
   * (`tenant.…`, `provider.…`, `dead_letters.…`) are only delivered where they are listed, and only operators may
   * list them.
   */
  events?: WebhookEventType[] | undefined
  /** True also makes all pending deliveries due now. */
  enabled?: boolean | undefined
}

export interface UpdateRecipientRequest {
  /** Your own id of the recipient: 1 to 128 printable characters, unique. */
  external_id?: string | null | undefined
  /** 1 to 200 characters. */
  name?: string | null | undefined
  /** In E.164 format. */
  phone?: string | null | undefined
  /** An email address. */
  email?: string | null | undefined
  /** A BCP 47 language tag: the locale of templates for this recipient. */
  locale?: string | null | undefined
}

export interface UpdateRouteRequest {
  /** Only messages of this kind. */
  kind?: SmsType | null | undefined
  /** Only messages from this sender: a sender id, or an email address. */
  sender?: string | null | undefined
  /** Only phone numbers with this prefix or, for email, this domain and its subdomains. The longest match wins. */
  prefix?: string | null | undefined
  /** The mobile operator, recorded in the timeline. */
  operator_id?: string | null | undefined
  /**
   * Either names in order of preference, or all with weights: then each message draws its first provider by
   * weight, and the others are fallbacks. A provider with weight 0 is only a fallback.
   */
  providers?: (string | WeightedProvider)[] | undefined
  retry?: RetrySettings | null | undefined
  unknown?: UnknownOutcomeSettings | null | undefined
}

export interface UpdateTemplateRequest {
  /** A BCP 47 language tag. */
  locale?: string | undefined
  /** The text, a Liquid template: `Hi {{ name }}`. */
  text?: string | undefined
  /** The subject of an email. */
  subject?: string | null | undefined
  /** The html of an email. Variables are escaped. */
  html?: string | null | undefined
}

export interface UpdateTenantRequest {
  /** For people. */
  name?: string | null | undefined
  state?: TenantState | undefined
  /** The only providers that the tenant's messages may take, whatever the routes say. */
  providers?: string[] | null | undefined
  /**
   * The only senders that the tenant's messages may have: sender ids, numbers, email addresses, domains
   * (`acme.example`) and their subdomains (`*.acme.example`).
   */
  senders?: string[] | null | undefined
  quotas?: TenantQuotas | null | undefined
  /** How many days messages are kept, if that is shorter than the installation's retention. */
  retention_days?: number | null | undefined
  /** The locale of templates without one, and of messages to recipients without one. */
  default_locale?: string | null | undefined
}

export interface UpdateUserRequest {
  /** 1 to 200 characters. */
  name?: string | null | undefined
  /**
   * `viewer` sees messages without their content; `support` also opens content and resends; `developer` sees and
   * sends; `admin` may do everything in the tenant; `operator` everything in the installation.
   */
  role?: Role | undefined
  state?: SettableUserState | undefined
}

export type UsageDimension = 'day' | 'account' | 'channel' | 'country' | 'provider'

export type UsageFormat = 'json' | 'csv'

export interface UsagePage {
  from: string
  to: string
  group_by: UsageDimension[]
  items: UsageRecord[]
  /** Null on the last page. */
  next_cursor: string | null
}

export interface UsageRecord {
  day?: string | undefined
  account_id?: string | undefined
  channel?: Channel | undefined
  /** The country of the number, as in ISO 3166-1. Null for email, and for numbers of no country. */
  country?: string | null | undefined
  /** Null for messages as they were accepted, before a provider was chosen. */
  provider?: string | null | undefined
  /** Accepted by Pombo on that day. */
  messages: number
  /** Their segments; one for an email. */
  segments: number
  /** Taken by a provider on that day. A message that was sent again counts again. */
  sent_messages: number
  /** Their segments; one for an email. */
  sent_segments: number
}

export interface User {
  id: string
  tenant_id: string
  email: string
  /** 1 to 200 characters. */
  name: string | null
  /**
   * `viewer` sees messages without their content; `support` also opens content and resends; `developer` sees and
   * sends; `admin` may do everything in the tenant; `operator` everything in the installation.
   */
  role: Role
  state: UserState
  sign_in: SignInMethod
  /** Until when an invitation can be accepted; null without one. */
  invitation_expires_at: string | null
  created_at: string
  updated_at: string
  last_sign_in_at: string | null
}

export interface UserLimit {
  /** The id of the user. */
  userId: number
  /** The maximum number of messages per window. */
  rateLimit: number
  /** The window, in minutes. */
  timeWindow: number
  currentCount: number
  lastRefreshTime: string
}

export interface UserList {
  items: User[]
}

/** Somebody who is `invited` has not set a password yet. */
export type UserState = 'active' | 'invited' | 'disabled'

export interface ValidateOtpRequest {
  /** The `challenge_id` that generate returned. */
  challenge_id: string
  /** The code as the person has entered it, without spaces. */
  code: string
  /**
   * The recipient that the code must have been sent to. For another one the answer is that of a wrong code, and an
   * attempt is used.
   */
  to?: string | undefined
}

export interface VerifyErasureReceiptRequest {
  receipt: ErasureReceipt
  signature: ReceiptSignature
  /** A phone number in E.164 format, or an email address. */
  to?: string | undefined
}

export interface WebhookAttempt {
  id: string
  /** `callback` is the `callback_url` of the message. */
  endpoint_id: string
  /** The URL that was called; its query is hidden. */
  url: string
  /** Null for an alert and a test event. */
  message_id: string | null
  /** Null for a message and a test event. */
  alert_id: string | null
  /** Whether it was a test event. */
  test: boolean
  event_type: WebhookEventType
  /** The header `webhook-id`. */
  webhook_id: string
  state: WebhookAttemptState
  /** The HTTP status; null if there was no response. */
  status: number | null
  /** Why there was no response. */
  error: string | null
  attempted_at: string
  /** How long the call took. */
  duration_ms: number
  /**
   * When the event was to be attempted again, as planned after this attempt. The `due_at` of the delivery is what
   * applies now.
   */
  next_attempt_at: string | null
}

export interface WebhookAttemptBody {
  /** The first 4 KB, without control characters. Null if it is binary. */
  text: string | null
  /** The size. Of a response, at most 64 KB are read. */
  bytes: number
  /** Whether it has more than 4096 bytes. */
  truncated: boolean
}

export interface WebhookAttemptDetails {
  id: string
  /** `callback` is the `callback_url` of the message. */
  endpoint_id: string
  /** The URL that was called; its query is hidden. */
  url: string
  /** Null for an alert and a test event. */
  message_id: string | null
  /** Null for a message and a test event. */
  alert_id: string | null
  /** Whether it was a test event. */
  test: boolean
  event_type: WebhookEventType
  /** The header `webhook-id`. */
  webhook_id: string
  state: WebhookAttemptState
  /** The HTTP status; null if there was no response. */
  status: number | null
  /** Why there was no response. */
  error: string | null
  attempted_at: string
  /** How long the call took. */
  duration_ms: number
  /**
   * When the event was to be attempted again, as planned after this attempt. The `due_at` of the delivery is what
   * applies now.
   */
  next_attempt_at: string | null
  request: WebhookAttemptRequest
  response: WebhookAttemptResponse | null
}

export interface WebhookAttemptPage {
  items: WebhookAttempt[]
  /** Null on the last page. */
  next_cursor: string | null
}

export interface WebhookAttemptRequest {
  /** Values that may be secret, such as signatures, cookies and tokens, are `***`. */
  headers: Record<string, string>
  body: WebhookAttemptBody
}

/** What the server answered. Treat it as untrusted text. Null if there was no response. */
export interface WebhookAttemptResponse {
  status: number
  /** Values that may be secret, such as signatures, cookies and tokens, are `***`. */
  headers: Record<string, string>
  body: WebhookAttemptBody
}

/** `delivered`: it was answered with 2xx. */
export type WebhookAttemptState = 'delivered' | 'failed'

export interface WebhookDelivery {
  /** Null for an alert. */
  message_id: string | null
  /** Null for a message. The `webhook-id` is `alert_{alert_id}`. */
  alert_id: string | null
  event_type: AlertType | null
  /** `callback` is the `callback_url` of the message. */
  endpoint_id: string
  /** The URL of the endpoint, or the `callback_url` in a list of one message; its query is hidden. Otherwise null. */
  endpoint_url: string | null
  /**
   * `pending`: an event is waiting to be delivered. `delivered`: all events are delivered. `failed`: delivery
   * failed too often; replay it.
   */
  state: WebhookDeliveryState
  /** Failed calls for the next event. */
  failures: number
  /** Null when nothing is pending or the endpoint is disabled. */
  due_at: string | null
  /** The last HTTP status of the endpoint. */
  last_status: number | null
  /** Why the last call failed. */
  last_error: string | null
  tried_at: string | null
  created_at: string
  updated_at: string
}

export interface WebhookDeliveryList {
  items: WebhookDelivery[]
}

export interface WebhookDeliveryPage {
  items: WebhookDelivery[]
  /** Null on the last page. */
  next_cursor: string | null
}

export interface WebhookDeliveryReplay {
  replayed: number
}

export type WebhookDeliveryState = 'pending' | 'delivered' | 'failed'

export type WebhookEventType = 'message.queued' | 'message.sending' | 'message.sent' | 'message.delivered' | 'message.failed' | 'message.expired' | 'quota.warning' | 'quota.exceeded' | 'tenant.quota_warning' | 'tenant.quota_exceeded' | 'provider.breaker_opened' | 'provider.breaker_closed' | 'provider.degraded' | 'provider.recovered' | 'dead_letters.high'

export interface WeightedProvider {
  /** The name of a configured provider. */
  name: string
  weight: number
}

/** What a webhook tells about a message: how it was when the event happened. */
export interface WebhookMessage {
  message_id: string
  status: MessageStatus
  previous_status: MessageStatus | null
  channel: Channel
  type: MessageType
  /** Masked; null after erasure. */
  to: string | null
  provider: string | null
  provider_message_id: string | null
  error_code: string | null
  error_detail: string | null
  attempts: number
  /** Starts at 1; every resend and replay adds one. */
  cycle: number
  /** The number of SMS segments; 1 for email. */
  segments: number
  metadata: Record<string, string>
  tags: string[]
  created_at: string
  /** When the status changed. */
  occurred_at: string
}

/** The status of a message changed. */
export interface SmsEventsStatusV1Data {
  messageId: string
  tenantId: string
  accountId: string
  at: string
  /** Null for a new message. */
  previousStatus: 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'expired' | null
  newStatus: 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'expired'
}

/** An attempt failed and will be retried. */
export interface SmsOutboundRetryV1Data {
  messageId: string
  tenantId: string
  accountId: string
  at: string
  /** The attempt that failed. */
  attempt: number
  /** An error code. */
  reason: string
  dueAt: string
}

/** A message failed after its last attempt, or could not be attempted in time. */
export interface SmsOutboundDeadletterV1Data {
  messageId: string
  tenantId: string
  accountId: string
  at: string
  /** An error code. */
  failureReason: string
  attemptCount: number
  failedAt: string
  lastError: {
    code: string
    /** The provider's own code. */
    originalCode: string | null
    detail: string
  }
  /** The provider may have the message: a replay may send it twice. */
  outcomeUnknown: boolean
  message: {
    type: 'sms' | 'flash_sms' | 'email'
    lane: 'otp' | 'transactional' | 'bulk'
    /** The number of SMS segments; 1 for email. */
    segmentCount: number
    encoding: 'gsm7' | 'ucs2' | 'mime'
    cycle: number
    provider: string | null
    operatorId: string | null
    routeId: string | null
    enqueuedAt: string
    expiresAt: string | null
    traceId: string
    /** The `X-Request-Id` of the call that created it. */
    httpRequestId: string | null
    /** The message with its timeline, masked recipient, metadata and tags, relative to the URL of the gateway. */
    href: string
  }
  content: {
    /**
     * Recipient, sender, texts, metadata and template; needs the scope `content:read`. There is none for one-time
     * codes and after erasure.
     */
    href: string
  } | null
}

/** The status of a message changed. */
export interface EmailEventsStatusV1Data {
  messageId: string
  tenantId: string
  accountId: string
  at: string
  /** Null for a new message. */
  previousStatus: 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'expired' | null
  newStatus: 'queued' | 'sending' | 'sent' | 'delivered' | 'failed' | 'expired'
}

/** An attempt failed and will be retried. */
export interface EmailOutboundRetryV1Data {
  messageId: string
  tenantId: string
  accountId: string
  at: string
  /** The attempt that failed. */
  attempt: number
  /** An error code. */
  reason: string
  dueAt: string
}

/** A message failed after its last attempt, or could not be attempted in time. */
export interface EmailOutboundDeadletterV1Data {
  messageId: string
  tenantId: string
  accountId: string
  at: string
  /** An error code. */
  failureReason: string
  attemptCount: number
  failedAt: string
  lastError: {
    code: string
    /** The provider's own code. */
    originalCode: string | null
    detail: string
  }
  /** The provider may have the message: a replay may send it twice. */
  outcomeUnknown: boolean
  message: {
    type: 'sms' | 'flash_sms' | 'email'
    lane: 'otp' | 'transactional' | 'bulk'
    /** The number of SMS segments; 1 for email. */
    segmentCount: number
    encoding: 'gsm7' | 'ucs2' | 'mime'
    cycle: number
    provider: string | null
    operatorId: string | null
    routeId: string | null
    enqueuedAt: string
    expiresAt: string | null
    traceId: string
    /** The `X-Request-Id` of the call that created it. */
    httpRequestId: string | null
    /** The message with its timeline, masked recipient, metadata and tags, relative to the URL of the gateway. */
    href: string
  }
  content: {
    /**
     * Recipient, sender, texts, metadata and template; needs the scope `content:read`. There is none for one-time
     * codes and after erasure.
     */
    href: string
  } | null
}

/** A tenant uses 80 % of a quota of messages. */
export interface QuotaWarningData {
  tenant_id: string
  /** Test mode has quotas of its own. */
  mode: 'live' | 'test'
  quota: 'waiting_messages' | 'stored_bytes'
  limit: number
  used: number
}

/** A tenant has used up a quota of messages: sends are refused with 507. */
export interface QuotaExceededData {
  tenant_id: string
  /** Test mode has quotas of its own. */
  mode: 'live' | 'test'
  quota: 'waiting_messages' | 'stored_bytes'
  limit: number
  used: number
}

/** For operators: A tenant uses 80 % of a quota of messages. */
export interface TenantQuotaWarningData {
  tenant_id: string
  /** Test mode has quotas of its own. */
  mode: 'live' | 'test'
  quota: 'waiting_messages' | 'stored_bytes'
  limit: number
  used: number
}

/** For operators: A tenant has used up a quota of messages: sends are refused with 507. */
export interface TenantQuotaExceededData {
  tenant_id: string
  /** Test mode has quotas of its own. */
  mode: 'live' | 'test'
  quota: 'waiting_messages' | 'stored_bytes'
  limit: number
  used: number
}

/** For operators: the circuit breaker of a provider has opened. */
export interface ProviderBreakerOpenedData {
  /** The name of the provider. */
  provider: string
  /** When the circuit breaker opened. */
  opened_at: string
}

/** For operators: it has closed. */
export interface ProviderBreakerClosedData {
  /** The name of the provider. */
  provider: string
  /** When the circuit breaker opened. */
  opened_at: string
}

/** For operators: fewer calls to a provider, or of its messages, succeed than usual. */
export interface ProviderDegradedData {
  /** The name of the provider. */
  provider: string
  /** The share of recent results that were good. */
  success_rate: number
  /** The share in the day before. */
  usual_rate: number
  /** How many recent results there are. */
  results: number
  /** The time in which it was counted. */
  period_seconds: number
}

/** For operators: they succeed as usual again. */
export interface ProviderRecoveredData {
  /** The name of the provider. */
  provider: string
  /** The share of recent results that were good. */
  success_rate: number
  /** The share in the day before. */
  usual_rate: number
  /** How many recent results there are. */
  results: number
  /** The time in which it was counted. */
  period_seconds: number
}

/** For operators: many messages became dead letters within an hour. */
export interface DeadLettersHighData {
  count: number
  /** `alerts.dead_letters_per_hour`. */
  threshold: number
  /** The time in which it was counted. */
  period_seconds: number
}

export interface GetSmsQuery {
  /** The number of events. */
  events_limit?: number | undefined
  /** The `events_next_cursor` of the previous call, for earlier events. */
  events_cursor?: string | undefined
}

export interface GetEmailQuery {
  /** The number of events. */
  events_limit?: number | undefined
  /** The `events_next_cursor` of the previous call, for earlier events. */
  events_cursor?: string | undefined
}

export interface ListEmailLogsQuery {
  /** The id of the email. */
  request_id?: string | undefined
  /** The same id under its other name. */
  outbox_id?: string | undefined
  /** The provider's id of the email. */
  ses_message_id?: string | undefined
  /** `VALIDATED` and `VALIDATION_FAILED` match nothing: an email leaves them at once. */
  status?: EmailState | undefined
  /** The full address of a recipient. */
  to?: string | undefined
  /** Created at or after this time (RFC 3339). */
  created_from?: string | undefined
  /** Created before this time (RFC 3339). */
  created_to?: string | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface ListEmailEventsQuery {
  /** From how many events of the message they are derived. */
  limit?: number | undefined
  /** The `next_cursor` of the previous call, for earlier states. */
  cursor?: string | undefined
}

export interface ListMessagesQuery {
  channel?: Channel | undefined
  status?: MessageStatus | undefined
  handoff_state?: HandoffState | undefined
  provider_state?: ProviderState | undefined
  /** The name of a provider. */
  provider?: string | undefined
  /** The provider's id of the message. */
  provider_message_id?: string | undefined
  /** The full phone number in E.164 format or the full email address of a recipient, also of copies. */
  to?: string | undefined
  /** One of the tags. */
  tag?: string | undefined
  /** A metadata field, as `key:value`. The whole value must match, in its case. */
  metadata?: string | undefined
  /** The name of a template. */
  template?: string | undefined
  /** At most 64 letters, digits and _ - */
  batch?: string | undefined
  /** The code of the latest error. */
  error_code?: string | undefined
  lane?: Lane | undefined
  /** Created at or after this time (RFC 3339). */
  created_from?: string | undefined
  /** Created before this time (RFC 3339). */
  created_to?: string | undefined
  /**
   * What to look for: a message id or 8 of its first digits or more, a full phone number or email address, an
   * idempotency key of your account, a provider's id, the name of a batch or template, an error code, a tag, a
   * metadata field as `key:value`, or words in tags, metadata, subject or error, of which all must match and the
   * last may be a prefix. The first of these that finds messages is the result, and `search` says which it was.
   * Operators can be combined with each other, with metadata fields and with words: `id:`, `to:`, `batch:`,
   * `template:`, `error:`, `provider:`, `provider_message_id:`, `idempotency_key:`, `tag:`, `status:`, `channel:`,
   * `lane:`. Quote values with spaces: `order:"A 17"`.
   */
  q?: string | undefined
  /** Whether the outcome of the latest attempt is unknown. */
  unknown?: boolean | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
  /** Whether to count all messages that match, on this page and all others. */
  total?: boolean | undefined
}

export interface GetMessageQuery {
  /** The number of events. */
  events_limit?: number | undefined
  /** The `events_next_cursor` of the previous call, for earlier events. */
  events_cursor?: string | undefined
}

export interface ExportMessagesQuery {
  /** A day in UTC, such as 2030-01-31. */
  day: string
  /** Whether to include what is encrypted. */
  with_content?: boolean | undefined
}

export interface ResendMessageQuery {
  /**
   * Ignore the tenant's own limits and do not count against them. Needs the scope `admin`; with `operator` it also
   * ignores those that operators have set.
   */
  override_limits?: boolean | undefined
}

export interface ReplayDeadLetterQuery {
  /**
   * Ignore the tenant's own limits and do not count against them. Needs the scope `admin`; with `operator` it also
   * ignores those that operators have set.
   */
  override_limits?: boolean | undefined
}

export interface ListDeadLettersQuery {
  channel?: Channel | undefined
  status?: MessageStatus | undefined
  handoff_state?: HandoffState | undefined
  provider_state?: ProviderState | undefined
  /** The name of a provider. */
  provider?: string | undefined
  /** The provider's id of the message. */
  provider_message_id?: string | undefined
  /** The full phone number in E.164 format or the full email address of a recipient, also of copies. */
  to?: string | undefined
  /** One of the tags. */
  tag?: string | undefined
  /** A metadata field, as `key:value`. The whole value must match, in its case. */
  metadata?: string | undefined
  /** The name of a template. */
  template?: string | undefined
  /** At most 64 letters, digits and _ - */
  batch?: string | undefined
  /** The code of the latest error. */
  error_code?: string | undefined
  lane?: Lane | undefined
  /** Created at or after this time (RFC 3339). */
  created_from?: string | undefined
  /** Created before this time (RFC 3339). */
  created_to?: string | undefined
  /**
   * What to look for: a message id or 8 of its first digits or more, a full phone number or email address, an
   * idempotency key of your account, a provider's id, the name of a batch or template, an error code, a tag, a
   * metadata field as `key:value`, or words in tags, metadata, subject or error, of which all must match and the
   * last may be a prefix. The first of these that finds messages is the result, and `search` says which it was.
   * Operators can be combined with each other, with metadata fields and with words: `id:`, `to:`, `batch:`,
   * `template:`, `error:`, `provider:`, `provider_message_id:`, `idempotency_key:`, `tag:`, `status:`, `channel:`,
   * `lane:`. Quote values with spaces: `order:"A 17"`.
   */
  q?: string | undefined
  /** Whether the outcome of the latest attempt is unknown. */
  unknown?: boolean | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
  /** Whether to count all messages that match, on this page and all others. */
  total?: boolean | undefined
}

export interface ReplayDeadLettersQuery {
  /**
   * Ignore the tenant's own limits and do not count against them. Needs the scope `admin`; with `operator` it also
   * ignores those that operators have set.
   */
  override_limits?: boolean | undefined
}

export interface ListErasuresQuery {
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface ListWebhookDeliveriesQuery {
  /**
   * `pending`: an event is waiting to be delivered. `delivered`: all events are delivered. `failed`: delivery
   * failed too often; replay it.
   */
  state?: WebhookDeliveryState | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface ListWebhookAttemptsQuery {
  /** Only attempts to deliver events of this message. */
  message_id?: string | undefined
  /** Only attempts to deliver this alert. */
  alert_id?: string | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface ListLimitsQuery {
  scope?: LimitScope | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface GetLimitQuery {
  /** Who has set it. Without it, the tenant's limit, or else the operator's. */
  set_by?: LimitOwner | undefined
}

export interface SetLimitQuery {
  /** Whose limit it is. Defaults to `operator` for operators, and otherwise to `tenant`. */
  set_by?: LimitOwner | undefined
}

export interface RemoveLimitQuery {
  /** Whose limit. Without it, your own, or for operators else that of the tenant. */
  set_by?: LimitOwner | undefined
}

export interface ListRecipientsQuery {
  /** Prefixes of words in the name, external id, phone number or email address. All must match. */
  q?: string | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface ListSuppressionsQuery {
  reason?: SuppressionReason | undefined
  /** A prefix of the address or of its domain. */
  q?: string | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface ListTemplatesQuery {
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface GetTemplateQuery {
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface RemoveTemplateQuery {
  /** A BCP 47 language tag. */
  locale?: string | undefined
}

export interface ListTemplateVersionsQuery {
  /** A BCP 47 language tag. */
  locale?: string | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface GetTemplateVersionQuery {
  /** A BCP 47 language tag. */
  locale?: string | undefined
}

export interface GetUsageQuery {
  /** The first day, in UTC. By default the first of the month of `to`. */
  from?: string | undefined
  /** The last day, in UTC: by default today. At most 366 days in all. */
  to?: string | undefined
  /** Needs the scope `admin` if it is not your own account; `*` stands for all. By default your own. */
  account_id?: string | undefined
  /**
   * Some of `day`, `account`, `channel`, `country`, `provider`, separated by commas; empty for one sum. With
   * `account` an admin gets all accounts.
   */
  group_by?: string | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface GetStatsQuery {
  /** Created at or after this time (RFC 3339). */
  from?: string | undefined
  /** Created before this time (RFC 3339). */
  to?: string | undefined
  /** The length of a bucket in seconds. */
  bucket?: number | undefined
}

export interface GetErrorStatsQuery {
  /** Created at or after this time (RFC 3339). */
  from?: string | undefined
  /** Created before this time (RFC 3339). */
  to?: string | undefined
  /** Only dead letters (true) or only other messages (false). */
  dead?: boolean | undefined
}

export interface ListTenantsQuery {
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface ListApiKeysQuery {
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface ListAuditEntriesQuery {
  /** The entries of this tenant. Needs the scope `operator`, unless it is your own. */
  tenant_id?: string | undefined
  /** For example `template.changed`. */
  action?: string | undefined
  /** The id of a user or an API key, or the claim `sub` of a token. */
  actor?: string | undefined
  /** The `id` of what was changed or read. */
  target?: string | undefined
  /** Recorded at or after this time (RFC 3339). */
  from?: string | undefined
  /** Recorded before this time (RFC 3339). */
  to?: string | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The number of items per page. */
  limit?: number | undefined
}

export interface ExportAuditLogQuery {
  format?: ExportFormat | undefined
  /** The entries of this tenant. Needs the scope `operator`, unless it is your own. */
  tenant_id?: string | undefined
  /** For example `template.changed`. */
  action?: string | undefined
  /** The id of a user or an API key, or the claim `sub` of a token. */
  actor?: string | undefined
  /** The `id` of what was changed or read. */
  target?: string | undefined
  /** Recorded at or after this time (RFC 3339). */
  from?: string | undefined
  /** Recorded before this time (RFC 3339). */
  to?: string | undefined
}

export interface ListSimulatorInboxQuery {
  /** A phone number in E.164 format, an email address, or a user without an address, for example `user:101`. */
  to?: string | undefined
  /** Defaults to 50. */
  limit?: number | undefined
}

/** What an event of the stream carries, by its name. */
export interface EventData {
  'sms.events.status.v1': SmsEventsStatusV1Data
  'sms.outbound.retry.v1': SmsOutboundRetryV1Data
  'sms.outbound.deadletter.v1': SmsOutboundDeadletterV1Data
  'email.events.status.v1': EmailEventsStatusV1Data
  'email.outbound.retry.v1': EmailOutboundRetryV1Data
  'email.outbound.deadletter.v1': EmailOutboundDeadletterV1Data
}

/** What a webhook carries, by its type. */
export interface WebhookData {
  'message.queued': WebhookMessage
  'message.sending': WebhookMessage
  'message.sent': WebhookMessage
  'message.delivered': WebhookMessage
  'message.failed': WebhookMessage
  'message.expired': WebhookMessage
  'quota.warning': QuotaWarningData
  'quota.exceeded': QuotaExceededData
  'tenant.quota_warning': TenantQuotaWarningData
  'tenant.quota_exceeded': TenantQuotaExceededData
  'provider.breaker_opened': ProviderBreakerOpenedData
  'provider.breaker_closed': ProviderBreakerClosedData
  'provider.degraded': ProviderDegradedData
  'provider.recovered': ProviderRecoveredData
  'dead_letters.high': DeadLettersHighData
}
