"""Generated from docs/openapi.json and docs/events by `npm run clients`."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

ActionMethod = Literal["POST", "PATCH", "DELETE", "GET"]

AlertType = Literal["quota.warning", "quota.exceeded", "tenant.quota_warning", "tenant.quota_exceeded", "provider.breaker_opened", "provider.breaker_closed", "provider.degraded", "provider.recovered", "dead_letters.high"]
"""The type of the alert; null for the events of a message."""

ApiKeyStatus = Literal["active", "expired", "revoked"]

AuditSnapshot = Dict[str, Any]

AuthenticatedBy = Literal["user", "token", "api_key"]
"""What the call was authenticated by."""

BatchItem = Union["BatchSms", "BatchEmail"]

BreakerAction = Literal["trip", "reset"]

Channel = Literal["sms", "email"]

CircuitBreakerState = Literal["closed", "open", "half_open"]

CountedScope = Literal["tenant", "account", "recipient", "user", "otp"]
"""What the limit is for; `otp` is the limit on one-time codes per recipient."""

DeliveryReportSource = Literal["callback", "connection", "never"]

DnsRecordStatus = Literal["valid", "missing", "mismatch"]

DomainState = Literal["pending", "verified"]
"""`verified` while the last check has found the record in `ownership`."""

EmailErrorCategory = Literal["PERMANENT_ERROR", "CONFIGURATION_ERROR", "QUOTA_ERROR", "TRANSIENT_ERROR", "TIMEOUT_ERROR", "VALIDATION_ERROR"]

EmailState = Literal["RECEIVED", "VALIDATED", "SENT_ATTEMPT", "SENT", "FAILED", "RETRY_SCHEDULED", "VALIDATION_FAILED"]

Encoding = Literal["gsm7", "ucs2", "mime"]
"""`mime` for email."""

EndpointDisabledReason = Literal["by_hand", "failing", "gone"]
"""
`by_hand`: disabled through the API. `failing`: every call failed for five days. `gone`:
it responded 410.
"""

ErasureStatus = Literal["running", "completed"]

ErrorBlame = Literal["message", "recipient", "account", "provider", "pombo"]
"""
What caused the error: the `message`, its `recipient`, your `account` with the provider
and its settings, the `provider`, or `pombo`.
"""

ErrorCategory = Literal["PERMANENT_ERROR", "CONFIGURATION_ERROR", "QUOTA_ERROR", "TRANSIENT_ERROR", "TIMEOUT_ERROR", "VALIDATION_ERROR"]

ErrorCode = Literal["VALIDATION_ERROR", "UNAUTHENTICATED", "INVALID_CREDENTIALS", "FORBIDDEN", "TENANT_UNKNOWN", "TENANT_SUSPENDED", "INVALID_CSRF_TOKEN", "NOT_FOUND", "METHOD_NOT_ALLOWED", "REQUEST_TIMEOUT", "CONFLICT", "QUOTA_EXCEEDED", "INVALID_INVITATION", "PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "TEST_MODE_UNAVAILABLE", "NO_ROUTE_FOUND", "RECIPIENT_SUPPRESSED", "SENDER_NOT_ALLOWED", "IDEMPOTENCY_MISMATCH", "RATE_LIMITED", "TOO_MANY_REQUESTS", "TOO_MANY_ATTEMPTS", "HEADERS_TOO_LARGE", "INTERNAL_ERROR", "UNAVAILABLE", "AUDIT_UNAVAILABLE"]

EventName = Literal["sms.events.status.v1", "sms.outbound.retry.v1", "sms.outbound.deadletter.v1", "email.events.status.v1", "email.outbound.retry.v1", "email.outbound.deadletter.v1"]

ExplanationActionName = Literal["wait", "resend", "replay", "resolve", "send_new", "erase", "reset_breaker", "check_provider", "change_route", "activate_tenant"]

ExportFormat = Literal["ndjson", "csv"]

HandoffState = Literal["queued", "sending", "handed_off", "failed"]

IdempotencyStatus = Literal["new", "replay", "mismatch"]
"""
`new`: the key was not used in the last 48 hours. `replay`: the send would return the
first response. `mismatch`: the key was used with another payload.
"""

Lane = Literal["otp", "transactional", "bulk"]

LimitAlgorithm = Literal["fixed", "sliding"]

LimitOwner = Literal["operator", "tenant"]

LimitScope = Literal["tenant", "account", "recipient", "user"]

MessageCheck = Literal["INTEGRITY", "RECIPIENT", "TEMPLATE"]

MessageContent = Union["SmsContent", "EmailContent"]

MessageQuotaName = Literal["waiting_messages", "stored_bytes"]

MessageSituation = Literal["queued", "retry_scheduled", "waiting_for_account", "no_provider", "no_route", "tenant_suspended", "content_erased", "gateway_starting", "deadline_passed", "sending", "attempt_abandoned", "unknown_outcome", "unknown_held", "unresolved", "awaiting_report", "sent_without_reports", "delivered", "bounced", "dropped", "complaint", "report_timed_out", "expired", "resolved_not_sent", "invalid", "dead_letter", "failed"]
"""Where the message stands. Later releases may add values."""

MessageStatus = Literal["queued", "sending", "sent", "delivered", "failed", "expired"]

MessageType = Literal["sms", "flash_sms", "email"]

Metadata = Dict[str, str]
"""Up to 50 key-value pairs of your own, searchable. Keys have at most 64 characters."""

Mode = Literal["live", "test"]
"""
What a `test` key does stays in test mode: its messages go to the simulator, and its
data is apart. Defaults to the mode of the call.
"""

OtpChallengeStatus = Literal["pending", "verified", "canceled", "exhausted", "expired"]

OtpCodeAlphabet = Literal["numeric", "alphanumeric"]
"""
Defaults to `numeric`. `alphanumeric` is digits and capital letters, without vowels and
without 0, 1 and L; the case of letters does not matter when the code is validated.
"""

OtpValidationStatus = Literal["verified", "invalid", "already_verified", "exhausted", "expired", "canceled"]

PhoneNumberType = Literal["mobile", "fixed_line", "fixed_line_or_mobile", "voip", "toll_free", "premium_rate", "shared_cost", "personal", "pager", "uan", "voicemail"]
"""Null where the number plan does not tell."""

PreflightMessageKind = Literal["message"]

PreflightOtpKind = Literal["otp"]

PreflightRequest = Union["PreflightSms", "PreflightEmail", "PreflightOtp"]

ProviderState = Literal["unknown", "accepted", "timed_out", "delivered", "dropped", "bounced", "complaint"]

QuotaName = Literal["limits", "templates", "routes", "endpoints", "recipients", "api_keys", "waiting_messages", "stored_bytes"]

ReadinessStatus = Literal["ready", "not_ready"]

RecipientAddressKind = Literal["phone", "email", "user"]

Resolution = Literal["sent", "not_sent", "resend"]
"""
`sent`: the provider has it. `not_sent`: the provider does not have it, and the message
fails. `resend`: send it again now, although it may arrive twice; in a new cycle if this
one has no attempts left.
"""

Role = Literal["viewer", "support", "developer", "admin", "operator"]

RouteSource = Literal["api", "file", "built_in"]
"""
Routes of the operator's `file` cannot be changed here. `built_in` is the route of test
mode.
"""

Scope = Literal["sms:send", "email:send", "otp", "messages:read", "messages:write", "content:read", "admin", "operator"]

SearchKind = Literal["filters", "metadata", "recipient", "message_id", "provider_message_id", "idempotency_key", "batch", "template", "error_code", "tag", "words"]

SendLane = Literal["transactional", "bulk"]
"""`transactional` messages are sent before `bulk` ones. Defaults to `transactional`."""

SettableSuppressionReason = Literal["manual", "unsubscribe"]

SettableUserState = Literal["active", "disabled"]
"""Somebody who is `disabled` cannot sign in, and loses all sessions."""

SignInMethod = Literal["password", "oidc"]

SmsEncoding = Literal["gsm7", "ucs2"]

SmsType = Literal["sms", "flash_sms"]

SuppressionReason = Literal["hard_bounce", "complaint", "unsubscribe", "manual"]

TemplateData = Dict[str, Any]
"""The variables of the template."""

TenantSource = Literal["api", "file"]
"""Tenants of the operator's `file` cannot be changed here."""

TenantState = Literal["active", "suspended"]
"""
A `suspended` tenant cannot call the API, and its messages are not sent: they become
dead letters.
"""

TotalRelation = Literal["eq", "gte"]

UnknownOutcomeAction = Literal["resend", "failover", "hold"]

UsageDimension = Literal["day", "account", "channel", "country", "provider"]

UsageFormat = Literal["json", "csv"]

UserState = Literal["active", "invited", "disabled"]
"""Somebody who is `invited` has not set a password yet."""

WebhookAttemptState = Literal["delivered", "failed"]
"""`delivered`: it was answered with 2xx."""

WebhookDeliveryState = Literal["pending", "delivered", "failed"]

WebhookEventType = Literal["message.queued", "message.sending", "message.sent", "message.delivered", "message.failed", "message.expired", "quota.warning", "quota.exceeded", "tenant.quota_warning", "tenant.quota_exceeded", "provider.breaker_opened", "provider.breaker_closed", "provider.degraded", "provider.recovered", "dead_letters.high"]

class AcceptInvitationRequest(TypedDict):
    token: str
    """The token in the link, after `#invitation=`."""
    password: str
    """12 to 128 characters, and neither common nor with the email address in it."""

class ApiKey(TypedDict):
    id: str
    """The part of the key after the mode."""
    prefix: str
    """What the key begins with. Its secret is not stored."""
    name: str
    """What the key is for: 1 to 100 characters."""
    scopes: List[Scope]
    """What the key permits. Only scopes that you have."""
    mode: Mode
    account_id: str
    """The account of the tenant that the key acts for."""
    twilio_account_sid: str
    """The account SID for programs that use Twilio's API; the key is their auth token."""
    networks: Optional[List[str]]
    """
    The key is valid only for calls from these IP addresses and networks, in CIDR
    notation.
    """
    status: ApiKeyStatus
    created_at: str
    expires_at: Optional[str]
    """When the key expires (RFC 3339)."""
    revoked_at: Optional[str]
    last_used_at: Optional[str]
    """Known to the minute. Null if the key was never used."""

class ApiKeyPage(TypedDict):
    items: List[ApiKey]
    next_cursor: Optional[str]
    """Null on the last page."""

class _AttachmentRequired(TypedDict):
    filename: str
    """1 to 255 characters on one line."""
    content_type: str
    """A media type without parameters; not `multipart/…` or `message/…`."""
    content: str
    """The file, in base64."""

class Attachment(_AttachmentRequired, total=False):
    content_id: str
    """Lets the html refer to the file, as `cid:logo`."""

class AttachmentSummary(TypedDict):
    filename: str
    content_type: str
    size: int
    """In bytes."""

class AuditActor(TypedDict):
    kind: str
    """`token`, `api_key`, `user` or `anonymous`."""
    id: Optional[str]
    """The id of the user or the API key, or the claim `sub` of the token."""
    name: Optional[str]
    """The name of the API key, or the email address of the user."""
    tenant_id: Optional[str]
    """
    The tenant of the actor, if it is not the `tenant_id` of the entry: operators act
    for others.
    """

class AuditEntry(TypedDict):
    id: str
    at: str
    tenant_id: Optional[str]
    """Null for what belongs to the operator, such as circuit breakers."""
    actor: AuditActor
    address: str
    """The address that the call came from."""
    http_request_id: str
    """Also in the log lines of the call."""
    action: str
    target: AuditTarget
    before: Optional[AuditSnapshot]
    after: Optional[AuditSnapshot]

class AuditEntryPage(TypedDict):
    items: List[AuditEntry]
    next_cursor: Optional[str]
    """Null on the last page."""

class AuditTarget(TypedDict):
    kind: str
    id: str
    """Recipients are masked."""

class AwaitedReport(TypedDict):
    waiting_since: str
    provider_reports: Optional[DeliveryReportSource]
    """How it reports."""
    provider_can_be_asked: bool
    next_poll_at: str
    times_out_at: str
    """When Pombo stops waiting and the message expires."""

_BatchEmailOptionalKeywords = TypedDict("_BatchEmailOptionalKeywords", {"from": "str"}, total=False)

class _BatchEmailRequired(_BatchEmailOptionalKeywords):
    channel: Literal["email"]
    idempotency_key: str
    """
    Makes the call safe to retry for 48 hours: the same key with the same payload
    returns the first response.
    """

class BatchEmail(_BatchEmailRequired, total=False):
    to: str
    """An email address."""
    subject: str
    """1 to 150 characters."""
    html: str
    """At most 512 KB. Html with scripts, `javascript:` URLs or event handlers is not sent."""
    text: str
    """The plain-text part, at most 512 KB. None is generated from the html."""
    template: TemplateReference
    """
    A template to render, instead of `subject`, `html` and `text`. The default locale is
    the recipient's, if the directory has it.
    """
    reply_to: Union[str, List[str]]
    """One address, or up to 10."""
    cc: List[str]
    """Recipients of a copy. At most 50 different recipients together with `to`."""
    bcc: List[str]
    """Recipients of a blind copy. At most 50 different recipients together with `to`."""
    headers: Dict[str, str]
    """Up to 50 additional headers. The headers that Pombo writes itself cannot be set."""
    attachments: List[Attachment]
    """At most 5 MiB in total."""
    unsubscribe: Unsubscribe
    recipient_id: str
    """The id of a recipient in the directory, instead of `to`."""
    recipient_external_id: str
    """The external id of a recipient in the directory, instead of `to`."""
    lane: SendLane
    metadata: Metadata
    tags: List[str]
    expires_at: str
    """The message is not sent after this time."""
    callback_url: str
    """An http or https URL to POST webhooks about this message to."""

class _BatchItemErrorRequired(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    error_code: ErrorCode
    message: str
    """The same as `detail`."""

class BatchItemError(_BatchItemErrorRequired, total=False):
    details: List[FieldError]
    retry_after: int
    """In seconds; also in the header `Retry-After`."""

class _BatchItemResultRequired(TypedDict):
    index: int

class BatchItemResult(_BatchItemResultRequired, total=False):
    id: str
    request_id: str
    """An alias of the message id, kept for compatibility."""
    status: Literal["accepted"]
    error: BatchItemError

class _BatchSmsRequired(TypedDict):
    idempotency_key: str
    """
    Makes the call safe to retry for 48 hours: the same key with the same payload
    returns the first response.
    """

class BatchSms(_BatchSmsRequired, total=False):
    channel: Literal["sms"]
    to: str
    """A phone number in E.164 format."""
    message: str
    """The text, 1 to 1600 characters."""
    template: TemplateReference
    """
    A template to render, instead of `message`. The default locale is the recipient's,
    if the directory has it.
    """
    sender_id: str
    """1 to 20 characters."""
    type: SmsType
    """Defaults to `sms`."""
    recipient_id: str
    """The id of a recipient in the directory, instead of `to`."""
    recipient_external_id: str
    """The external id of a recipient in the directory, instead of `to`."""
    lane: SendLane
    metadata: Metadata
    tags: List[str]
    expires_at: str
    """The message is not sent after this time."""
    callback_url: str
    """An http or https URL to POST webhooks about this message to."""

class CallbackReceipt(TypedDict):
    received: int
    """The number of reports in the callback."""

class ChangePasswordRequest(TypedDict):
    current_password: str
    """The password."""
    new_password: str
    """12 to 128 characters, and neither common nor with the email address in it."""

class CircuitBreaker(TypedDict):
    state: CircuitBreakerState
    """
    `closed`: the provider is used. `open`: it failed too many times in a row, or an
    operator paused it, and is not called. `half_open`: one trial call is made.
    """
    consecutive_failures: int
    opened_at: Optional[str]
    """Since when it has not been closed."""
    retry_at: Optional[str]
    """When the next trial call may be made."""
    paused_at: Optional[str]
    """
    When an operator opened it, until `retry_at`; the audit log has who. Null if it
    opened by itself, and once the pause is over.
    """

class CleanedStore(TypedDict):
    store: str
    action: str

class ConfigureUserRequest(TypedDict):
    userId: int
    """The id of the user."""
    rateLimit: int
    """The maximum number of messages per window."""
    timeWindow: int
    """The window, in minutes."""

class _CreateApiKeyRequestRequired(TypedDict):
    name: str
    """What the key is for: 1 to 100 characters."""
    scopes: List[Scope]
    """What the key permits. Only scopes that you have."""

class CreateApiKeyRequest(_CreateApiKeyRequestRequired, total=False):
    mode: Mode
    account_id: str
    """The account of the tenant that the key acts for. Defaults to yours."""
    networks: List[str]
    """
    The key is valid only for calls from these IP addresses and networks, in CIDR
    notation.
    """
    expires_at: str
    """When the key expires (RFC 3339)."""
    expires_in_days: int
    """Instead of `expires_at`. Without either, the key does not expire."""

class CreateDomainRequest(TypedDict):
    domain: str
    """A domain that you send email from, in ASCII (`xn--…` for others)."""

class _CreateEndpointRequestRequired(TypedDict):
    url: str
    """An http or https URL without credentials or fragment. Use https."""

class CreateEndpointRequest(_CreateEndpointRequestRequired, total=False):
    id: str
    """Generated if not given."""
    description: str
    """A note for your team."""
    events: List[WebhookEventType]
    """
    The event types to deliver. If empty, all of messages and all alerts of the tenant.
    Those of the installation (`tenant.…`, `provider.…`, `dead_letters.…`) are only
    delivered where they are listed, and only operators may list them.
    """

class CreateErasureRequest(TypedDict):
    to: str
    """A phone number in E.164 format, or an email address."""

class CreateRecipientRequest(TypedDict, total=False):
    external_id: str
    """Your own id of the recipient: 1 to 128 printable characters, unique."""
    name: str
    """1 to 200 characters."""
    phone: str
    """In E.164 format."""
    email: str
    """An email address."""
    locale: str
    """A BCP 47 language tag: the locale of templates for this recipient."""

class _CreateRouteRequestRequired(TypedDict):
    channel: Channel
    """The channel of the messages."""
    providers: List[Union[str, WeightedProvider]]
    """
    Either names in order of preference, or all with weights: then each message draws
    its first provider by weight, and the others are fallbacks. A provider with weight 0
    is only a fallback.
    """

class CreateRouteRequest(_CreateRouteRequestRequired, total=False):
    id: str
    """Shown in timelines. Generated if not given."""
    kind: SmsType
    """Only messages of this kind."""
    sender: str
    """Only messages from this sender: a sender id, or an email address."""
    prefix: str
    """
    Only phone numbers with this prefix or, for email, this domain and its subdomains.
    The longest match wins.
    """
    operator_id: str
    """The mobile operator, recorded in the timeline."""
    retry: RetrySettings
    unknown: UnknownOutcomeSettings

class _CreateTemplateRequestRequired(TypedDict):
    name: str
    """At most 64 letters, digits and . _ -"""
    channel: Channel
    text: str
    """The text, a Liquid template: `Hi {{ name }}`."""

class CreateTemplateRequest(_CreateTemplateRequestRequired, total=False):
    locale: str
    """A BCP 47 language tag."""
    subject: str
    """The subject of an email."""
    html: str
    """The html of an email. Variables are escaped."""

class _CreateTenantRequestRequired(TypedDict):
    id: str
    """As in the claim `tenant_id` of tokens."""

class CreateTenantRequest(_CreateTenantRequestRequired, total=False):
    name: str
    """For people."""
    state: TenantState
    providers: List[str]
    """The only providers that the tenant's messages may take, whatever the routes say."""
    senders: List[str]
    """
    The only senders that the tenant's messages may have: sender ids, numbers, email
    addresses, domains (`acme.example`) and their subdomains (`*.acme.example`).
    """
    quotas: TenantQuotas
    retention_days: int
    """
    How many days messages are kept, if that is shorter than the installation's
    retention.
    """
    default_locale: str
    """The locale of templates without one, and of messages to recipients without one."""

class _CreateUserRequestRequired(TypedDict):
    email: str
    role: Role
    """
    `viewer` sees messages without their content; `support` also opens content and
    resends; `developer` sees and sends; `admin` may do everything in the tenant;
    `operator` everything in the installation.
    """

class CreateUserRequest(_CreateUserRequestRequired, total=False):
    name: str
    """1 to 200 characters."""

class _CreatedApiKeyRequired(TypedDict):
    id: str
    """The part of the key after the mode."""
    prefix: str
    """What the key begins with. Its secret is not stored."""
    name: str
    """What the key is for: 1 to 100 characters."""
    scopes: List[Scope]
    """What the key permits. Only scopes that you have."""
    mode: Mode
    account_id: str
    """The account of the tenant that the key acts for."""
    twilio_account_sid: str
    """The account SID for programs that use Twilio's API; the key is their auth token."""
    networks: Optional[List[str]]
    """
    The key is valid only for calls from these IP addresses and networks, in CIDR
    notation.
    """
    status: ApiKeyStatus
    created_at: str
    expires_at: Optional[str]
    """When the key expires (RFC 3339)."""
    revoked_at: Optional[str]
    last_used_at: Optional[str]
    """Known to the minute. Null if the key was never used."""
    key: str
    """The key itself. Only this response contains it."""

class CreatedApiKey(_CreatedApiKeyRequired, total=False):
    smpp_password: str
    """
    The password for SMPP clients that have room for eight characters only; their
    system_id is the `id` of the key. Missing unless the operator allows short
    passwords.
    """

class CreatedEndpoint(TypedDict):
    id: str
    """Generated if not given."""
    url: str
    """An http or https URL without credentials or fragment. Use https."""
    description: Optional[str]
    """A note for your team."""
    events: List[WebhookEventType]
    """
    The event types to deliver. If empty, all of messages and all alerts of the tenant.
    Those of the installation (`tenant.…`, `provider.…`, `dead_letters.…`) are only
    delivered where they are listed, and only operators may list them.
    """
    enabled: bool
    """
    A disabled endpoint gets no webhooks. Its pending deliveries are kept for seven
    days.
    """
    disabled_reason: Optional[EndpointDisabledReason]
    failing_since: Optional[str]
    """Every call has failed since this time."""
    created_at: str
    updated_at: str
    """When it was last changed through the API."""
    secret: str
    """In the Standard Webhooks format: the key is the base64 after `whsec_`."""

class DeadLetterReplay(TypedDict):
    replayed: int
    skipped: int
    """Erased, expired, already replayed, or from a sender that is no longer allowed."""
    rate_limited: int
    """
    Refused by a limit or a quota. They stay dead letters; replay them when it admits
    more.
    """
    next_cursor: Optional[str]
    """Null when none are left."""

class _DependencyRequired(TypedDict):
    ok: bool
    needed: bool
    """The process is not ready without it."""

class Dependency(_DependencyRequired, total=False):
    detail: str
    """What is wrong. Only with a token of the scope `operator`."""

class DnsRecord(TypedDict):
    type: Literal["TXT"]
    name: str
    value: str
    status: Optional[DnsRecordStatus]
    """
    What the last check found: the record (`valid`), none of that name (`missing`), or
    only others (`mismatch`). Null before the first check.
    """

class Domain(TypedDict):
    domain: str
    """A domain that you send email from, in ASCII (`xn--…` for others)."""
    state: DomainState
    ownership: DnsRecord
    """The DNS record that proves that the domain is yours."""
    dkim: DnsRecord
    """The DNS record with the public key that email from the domain is signed with."""
    created_at: str
    verified_at: Optional[str]
    last_checked_at: Optional[str]

class DomainList(TypedDict):
    items: List[Domain]

_EmailContentKeywords = TypedDict("_EmailContentKeywords", {"from": "Optional[str]"})

class EmailContent(_EmailContentKeywords):
    channel: Literal["email"]
    to: str
    """The recipient in clear text."""
    metadata: Dict[str, str]
    tags: List[str]
    template: Optional[RenderedTemplate]
    reply_to: List[str]
    cc: List[str]
    subject: str
    html: str
    text: Optional[str]
    headers: Dict[str, str]
    """The headers that the caller added."""
    attachments: List[AttachmentSummary]

class EmailEvent(TypedDict):
    email_log_id: str
    type: EmailState
    metadata: EmailEventMetadata
    created_at: str

class EmailEventMetadata(TypedDict):
    """Other fields depend on the event type."""

    attempt: int
    """The attempt made or being prepared."""
    cycle: int
    duration_ms: int
    """The duration of the previous state."""

class EmailEventPage(TypedDict):
    items: List[EmailEvent]
    next_cursor: Optional[str]
    """For earlier states; null if there are none."""

class EmailLog(TypedDict):
    outbox_id: str
    request_id: str
    http_request_id: Optional[str]
    """
    The `X-Request-Id` of the call that created it. Null in messages of releases that
    did not keep it.
    """
    company_id: str
    """The tenant."""
    recipient_id: Optional[str]
    to: Optional[str]
    """Masked; null after erasure."""
    subject: Optional[str]
    """Null after erasure and for one-time codes."""
    status: EmailState
    ses_message_id: Optional[str]
    error_code: Optional[str]
    error_category: Optional[EmailErrorCategory]
    error_reason: Optional[str]
    attempts: int
    duration_ms: Optional[int]
    """From creation until it was sent or failed."""
    created_at: str
    sent_at: Optional[str]
    failed_at: Optional[str]

class EmailLogPage(TypedDict):
    items: List[EmailLog]
    next_cursor: Optional[str]
    """Null on the last page."""

class Endpoint(TypedDict):
    id: str
    """Generated if not given."""
    url: str
    """An http or https URL without credentials or fragment. Use https."""
    description: Optional[str]
    """A note for your team."""
    events: List[WebhookEventType]
    """
    The event types to deliver. If empty, all of messages and all alerts of the tenant.
    Those of the installation (`tenant.…`, `provider.…`, `dead_letters.…`) are only
    delivered where they are listed, and only operators may list them.
    """
    enabled: bool
    """
    A disabled endpoint gets no webhooks. Its pending deliveries are kept for seven
    days.
    """
    disabled_reason: Optional[EndpointDisabledReason]
    failing_since: Optional[str]
    """Every call has failed since this time."""
    created_at: str
    updated_at: str
    """When it was last changed through the API."""

class EndpointList(TypedDict):
    items: List[Endpoint]

class EndpointSecrets(TypedDict):
    secret: str
    """In the Standard Webhooks format: the key is the base64 after `whsec_`."""
    previous_secret: Optional[str]
    """The previous secret, while it still signs."""
    previous_secret_until: Optional[str]

class ErasedMessage(TypedDict):
    id: str
    erased: Literal[True]

class Erasure(TypedDict):
    id: str
    status: ErasureStatus
    erased: int
    """Messages erased so far."""
    failed: int
    """Messages that could not be erased; they are retried while the erasure runs."""
    failures: List[ErasureFailure]
    requested_at: str
    updated_at: str
    completed_at: Optional[str]
    receipt: Optional[SignedErasureReceipt]
    """Null until the erasure is completed."""

class ErasureCounts(TypedDict):
    found: int
    """Erased and failed together."""
    erased: int
    """Erased."""
    failed: int
    """Not erased."""

class ErasureFailure(TypedDict):
    message_id: str
    reason: str

class ErasurePage(TypedDict):
    items: List[Erasure]
    next_cursor: Optional[str]
    """Null on the last page."""

class ErasurePublicKey(TypedDict):
    algorithm: Literal["Ed25519"]
    public_key: str
    """32 bytes in base64url."""
    jwk: JsonWebKey

class ErasureReceipt(TypedDict):
    version: Literal[1]
    erasure_id: str
    tenant_id: str
    account_id: str
    recipient_hash: str
    """
    The keyed hash of the recipient. `POST /v1/erasures/verify` compares it with an
    address.
    """
    requested_at: str
    completed_at: str
    messages: ErasureCounts
    failures: List[ErasureFailure]
    """The first 1,000 failures."""
    cleaned: List[CleanedStore]
    remains: List[RemainingData]

class ErasureReceiptVerification(TypedDict):
    valid: bool
    """The receipt was signed by this gateway and is unchanged."""
    recipient_matches: Optional[bool]
    """Null without `to`."""

class ErrorCount(TypedDict):
    channel: Channel
    provider: Optional[str]
    """Null for messages without an attempt."""
    error_code: str
    count: int
    newest_at: str
    """When the newest of these messages was created."""

class ErrorCountList(TypedDict):
    items: List[ErrorCount]

class ExcludedRoute(TypedDict):
    id: str
    reason: str

class ExplainedError(TypedDict):
    code: str
    """The same as `error_code`."""
    detail: Optional[str]
    """What happened to this message; the same as `error_detail`."""
    category: ErrorCategory
    meaning: str
    """What the code means."""
    advice: str
    """What the sender can do."""
    blame: ErrorBlame

class ExplainedRoute(TypedDict):
    id: str
    providers: List[ProviderStanding]
    """In the order in which the message tries them."""

class _ExplanationActionRequired(TypedDict):
    action: ExplanationActionName
    text: str
    """What it does, and why."""
    allowed: bool
    """Whether you may make the call. True for what needs no call."""

class ExplanationAction(_ExplanationActionRequired, total=False):
    method: ActionMethod
    path: str
    """The call that does it."""
    body: Dict[str, Any]
    """The body of the call, if it takes one."""
    scope: Scope
    """The scope that the call needs."""

class ExplanationData(TypedDict):
    checked_at: str
    channel: Channel
    lane: Lane
    handoff_state: HandoffState
    provider_state: ProviderState
    unknown: bool
    dead_letter: bool
    erased: bool
    tenant_suspended: bool
    cycle: int
    attempts: int
    """Over the whole life of the message."""
    attempts_in_cycle: int
    """Those that count in this cycle."""
    max_attempts: int
    """How many attempts the cycle has."""
    provider: Optional[str]
    """Of the newest attempt."""
    excluded_providers: List[str]
    """Not tried again in this cycle."""
    avoided_providers: List[str]
    """Tried last."""
    created_at: str
    due_at: Optional[str]
    expires_at: Optional[str]
    handed_off_at: Optional[str]
    ended_at: Optional[str]
    took_ms: Optional[int]
    """From the beginning of the cycle to the handoff, or to the delivery."""
    route: Optional[ExplainedRoute]
    queue: Optional[LaneDepth]
    unknown_outcome: Optional[UnknownOutcomeStanding]
    report: Optional[AwaitedReport]
    limits: Optional[List[LimitStanding]]
    """Those that a resend would count against. Null while the message is in progress."""
    quotas: Optional[List[QuotaStanding]]
    """Those that a resend would meet. Null while it is in progress."""

class ExplanationNext(TypedDict):
    text: str
    at: Optional[str]
    """When it happens at the latest, as far as that is known."""

class _ExplanationReasonRequired(TypedDict):
    text: str
    """One sentence."""

class ExplanationReason(_ExplanationReasonRequired, total=False):
    at: str
    """When it happened; missing for what holds now."""
    event_type: str
    """The event that it tells of."""
    provider: str
    error_code: str

class _FieldErrorRequired(TypedDict):
    path: str
    """A JSON pointer to the invalid field."""
    message: str

class FieldError(_FieldErrorRequired, total=False):
    code: str
    """The error code of the check that the field would fail before sending."""

class _GenerateOtpRequestRequired(TypedDict):
    to: str
    """A phone number in E.164 format; with the channel `email`, an email address."""

class GenerateOtpRequest(_GenerateOtpRequestRequired, total=False):
    channel: Channel
    """Defaults to `sms`."""
    ttl_seconds: int
    """How long the code is valid."""
    max_attempts: int
    """
    How many codes may be tried; at most 5 where the code is easier to guess than six
    digits.
    """
    code_length: int
    """How many characters the code has."""
    code_alphabet: OtpCodeAlphabet
    idempotency_key: str
    """
    Makes the call safe to retry for 48 hours: the same key with the same payload
    returns the first response.
    """
    app_name: str
    """The name of your app in the message, 1 to 40 characters."""
    locale: str
    """The language of the message: a BCP 47 language tag."""

class GetInvitationRequest(TypedDict):
    token: str
    """The token in the link, after `#invitation=`."""

class ImportSuppressionsRequest(TypedDict):
    items: List[SuppressionItem]
    """1 to 1000 addresses."""

class Invitation(TypedDict):
    email: str
    name: Optional[str]
    expires_at: str

class InvitationLink(TypedDict):
    url: str
    """Give this link to the person: it sets a password, once. It is shown only now."""
    expires_at: str

class InvitedUser(TypedDict):
    user: User
    invitation: InvitationLink

class JsonWebKey(TypedDict):
    """The same as a JSON Web Key (RFC 8037)."""

    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    x: str

class LaneDepth(TypedDict):
    lane: Lane
    ready: int
    """Due now, waiting for a worker."""
    delayed: int
    """Due later, for example a retry."""
    parked: int
    """
    Waiting for a provider: all providers of the route are disconnected or have an open
    circuit breaker.
    """
    taken: int
    """Being processed by a worker."""

class Latency(TypedDict):
    count: int
    p50_ms: int
    p95_ms: int
    max_ms: int

class Limit(TypedDict):
    scope: LimitScope
    key: str
    """Recipients are masked."""
    set_by: LimitOwner
    """Where an operator and the tenant have set a limit, both count."""
    limit: int
    """The maximum number of messages per window."""
    window_seconds: int
    """The window."""
    algorithm: LimitAlgorithm
    used: Optional[int]
    """Null for a default limit (`*`), like `remaining`."""
    remaining: Optional[int]
    resets_at: Optional[str]
    """Null while nothing is used."""
    updated_at: str

class LimitPage(TypedDict):
    items: List[Limit]
    next_cursor: Optional[str]
    """Null on the last page."""

class LimitStanding(TypedDict):
    scope: CountedScope
    key: Optional[str]
    """
    The id of the tenant or account, or the masked recipient. Null for the limit of a
    user.
    """
    set_by: Optional[LimitOwner]
    """Who has set it; null for a setting of the installation."""
    limit: int
    window_seconds: float
    used: int
    remaining: int
    resets_at: Optional[str]
    """When the count drops; null while nothing is counted."""
    would_refuse: bool
    """Whether this limit is reached."""

class Liveness(TypedDict):
    status: Literal["live"]

class Message(TypedDict):
    id: str
    status: MessageStatus
    handoff_state: HandoffState
    provider_state: ProviderState
    to: Optional[str]
    """Masked; null after erasure."""
    country: Optional[str]
    """
    The country of the phone number, as in ISO 3166-1. Null for email, for numbers of no
    country, and in messages of releases that did not keep it.
    """
    calling_code: Optional[str]
    """The calling code of that country, without the plus sign."""
    provider: Optional[str]
    provider_message_id: Optional[str]
    error_code: Optional[str]
    error_detail: Optional[str]
    attempts: int
    cycle: int
    """Starts at 1; every resend and replay adds one."""
    segments: int
    """The number of SMS segments; 1 for email."""
    encoding: Encoding
    channel: Channel
    type: MessageType
    lane: Lane
    tags: List[str]
    subject: Optional[str]
    """The subject of an email; null for one-time codes and after erasure."""
    template: Optional[str]
    """The name of the template. Null in messages of releases that did not keep it."""
    batch_id: Optional[str]
    """The batch in which the message was sent first."""
    unknown: bool
    """
    The outcome of the latest attempt is unknown: the provider may or may not have the
    message.
    """
    dead_letter: bool
    erased: bool
    """
    The content is erased. When it was erased because its one-time code ended, `to` is
    still shown.
    """
    created_at: str
    updated_at: str

class MessageDetails(TypedDict):
    id: str
    status: MessageStatus
    handoff_state: HandoffState
    provider_state: ProviderState
    to: Optional[str]
    """Masked; null after erasure."""
    country: Optional[str]
    """
    The country of the phone number, as in ISO 3166-1. Null for email, for numbers of no
    country, and in messages of releases that did not keep it.
    """
    calling_code: Optional[str]
    """The calling code of that country, without the plus sign."""
    provider: Optional[str]
    provider_message_id: Optional[str]
    error_code: Optional[str]
    error_detail: Optional[str]
    attempts: int
    cycle: int
    """Starts at 1; every resend and replay adds one."""
    segments: int
    """The number of SMS segments; 1 for email."""
    encoding: Encoding
    channel: Channel
    type: MessageType
    lane: Lane
    tags: List[str]
    subject: Optional[str]
    """The subject of an email; null for one-time codes and after erasure."""
    template: Optional[str]
    """The name of the template. Null in messages of releases that did not keep it."""
    batch_id: Optional[str]
    """The batch in which the message was sent first."""
    unknown: bool
    """
    The outcome of the latest attempt is unknown: the provider may or may not have the
    message.
    """
    dead_letter: bool
    erased: bool
    """
    The content is erased. When it was erased because its one-time code ended, `to` is
    still shown.
    """
    created_at: str
    updated_at: str
    error: Optional[MessageError]
    account_id: str
    trace_id: str
    http_request_id: Optional[str]
    """
    The `X-Request-Id` of the call that created it. Null in messages of releases that
    did not keep it.
    """
    sender_id: Optional[str]
    """For email, the From address."""
    metadata: Dict[str, str]
    callback_url: Optional[str]
    expires_at: Optional[str]
    route_id: Optional[str]
    operator_id: Optional[str]
    due_at: Optional[str]
    handed_off_at: Optional[str]
    ended_at: Optional[str]
    events: List[MessageEvent]
    """Oldest first."""
    events_total: int
    """How many events the message has."""
    events_next_cursor: Optional[str]
    """For earlier events, as `events_cursor`; null if there are none."""

class MessageError(TypedDict):
    code: str
    """The same as `error_code`."""
    detail: Optional[str]
    """What happened to this message; the same as `error_detail`."""
    category: ErrorCategory
    meaning: str
    """What the code means."""
    advice: str
    """What the sender can do."""

class MessageEvent(TypedDict):
    event_type: str
    at: str
    payload: MessageEventPayload

class MessageEventPayload(TypedDict):
    """Other fields depend on the event type."""

    status: MessageStatus
    cycle: int
    attempt: int

class MessageExplanation(TypedDict):
    message_id: str
    status: MessageStatus
    situation: MessageSituation
    summary: str
    """One sentence."""
    reasons: List[ExplanationReason]
    """Oldest first; what holds now comes last."""
    next: Optional[ExplanationNext]
    actions: List[ExplanationAction]
    """What a person can do, the most useful first."""
    error: Optional[ExplainedError]
    data: ExplanationData

class MessageFilter(TypedDict, total=False):
    channel: Channel
    status: MessageStatus
    handoff_state: HandoffState
    provider_state: ProviderState
    provider: str
    """The name of a provider."""
    provider_message_id: str
    """The provider's id of the message."""
    to: str
    """
    The full phone number in E.164 format or the full email address of a recipient, also
    of copies.
    """
    tag: str
    """One of the tags."""
    metadata: str
    """A metadata field, as `key:value`. The whole value must match, in its case."""
    template: str
    """The name of a template."""
    batch: str
    """At most 64 letters, digits and _ -"""
    error_code: str
    """The code of the latest error."""
    lane: Lane
    created_from: str
    """Created at or after this time (RFC 3339)."""
    created_to: str
    """Created before this time (RFC 3339)."""
    q: str
    """
    What to look for: a message id or 8 of its first digits or more, a full phone number
    or email address, an idempotency key of your account, a provider's id, the name of a
    batch or template, an error code, a tag, a metadata field as `key:value`, or words
    in tags, metadata, subject or error, of which all must match and the last may be a
    prefix. The first of these that finds messages is the result, and `search` says
    which it was. Operators can be combined with each other, with metadata fields and
    with words: `id:`, `to:`, `batch:`, `template:`, `error:`, `provider:`,
    `provider_message_id:`, `idempotency_key:`, `tag:`, `status:`, `channel:`, `lane:`.
    Quote values with spaces: `order:"A 17"`.
    """
    unknown: bool
    """Whether the outcome of the latest attempt is unknown."""

class MessagePage(TypedDict):
    items: List[Message]
    next_cursor: Optional[str]
    """Null on the last page."""
    search: Optional[SearchReport]
    total: Optional[Total]

class MessageWithEvents(TypedDict):
    request_id: str
    """An alias of the message id, kept for compatibility."""
    id: str
    status: MessageStatus
    handoff_state: HandoffState
    provider_state: ProviderState
    to: Optional[str]
    """Masked; null after erasure."""
    country: Optional[str]
    """
    The country of the phone number, as in ISO 3166-1. Null for email, for numbers of no
    country, and in messages of releases that did not keep it.
    """
    calling_code: Optional[str]
    """The calling code of that country, without the plus sign."""
    provider: Optional[str]
    provider_message_id: Optional[str]
    error_code: Optional[str]
    error_detail: Optional[str]
    attempts: int
    cycle: int
    """Starts at 1; every resend and replay adds one."""
    segments: int
    """The number of SMS segments; 1 for email."""
    encoding: Encoding
    channel: Channel
    type: MessageType
    lane: Lane
    tags: List[str]
    subject: Optional[str]
    """The subject of an email; null for one-time codes and after erasure."""
    template: Optional[str]
    """The name of the template. Null in messages of releases that did not keep it."""
    batch_id: Optional[str]
    """The batch in which the message was sent first."""
    unknown: bool
    """
    The outcome of the latest attempt is unknown: the provider may or may not have the
    message.
    """
    dead_letter: bool
    erased: bool
    """
    The content is erased. When it was erased because its one-time code ended, `to` is
    still shown.
    """
    created_at: str
    updated_at: str
    events: List[MessageEvent]
    """Oldest first."""
    events_total: int
    """How many events the message has."""
    events_next_cursor: Optional[str]
    """For earlier events, as `events_cursor`; null if there are none."""

class OtpChallenge(TypedDict):
    challenge_id: str
    message_id: str
    """The message with the code."""
    request_id: str
    """An alias of the message id, kept for compatibility."""
    status: Literal["pending"]
    expires_at: str

class OtpChallengeState(TypedDict):
    challenge_id: str
    message_id: str
    """The message with the code."""
    status: OtpChallengeStatus
    attempts_remaining: int
    """How many more codes may be tried; 0 after the challenge has ended."""
    channel: Channel
    to: Optional[str]
    """Masked; null after erasure."""
    message_status: MessageStatus
    """How far the message with the code has come."""
    created_at: str
    expires_at: str

class OtpValidation(TypedDict):
    challenge_id: str
    valid: bool
    """True only once per challenge, when `status` is `verified`."""
    status: OtpValidationStatus
    attempts_remaining: int
    """How many more codes may be tried; 0 after the challenge has ended."""

class PreflightCheck(TypedDict):
    check: MessageCheck
    passed: Optional[bool]
    """Null if an earlier check failed first."""
    detail: Optional[str]

_PreflightEmailOptionalKeywords = TypedDict("_PreflightEmailOptionalKeywords", {"from": "str"}, total=False)

class _PreflightEmailRequired(_PreflightEmailOptionalKeywords):
    channel: Literal["email"]

class PreflightEmail(_PreflightEmailRequired, total=False):
    kind: PreflightMessageKind
    to: str
    """An email address."""
    subject: str
    """1 to 150 characters."""
    html: str
    """At most 512 KB. Html with scripts, `javascript:` URLs or event handlers is not sent."""
    text: str
    """The plain-text part, at most 512 KB. None is generated from the html."""
    template: TemplateReference
    """
    A template to render, instead of `subject`, `html` and `text`. The default locale is
    the recipient's, if the directory has it.
    """
    reply_to: Union[str, List[str]]
    """One address, or up to 10."""
    cc: List[str]
    """Recipients of a copy. At most 50 different recipients together with `to`."""
    bcc: List[str]
    """Recipients of a blind copy. At most 50 different recipients together with `to`."""
    headers: Dict[str, str]
    """Up to 50 additional headers. The headers that Pombo writes itself cannot be set."""
    attachments: List[Attachment]
    """At most 5 MiB in total."""
    unsubscribe: Unsubscribe
    recipient_id: str
    """The id of a recipient in the directory, instead of `to`."""
    recipient_external_id: str
    """The external id of a recipient in the directory, instead of `to`."""
    idempotency_key: str
    """
    Makes the call safe to retry for 48 hours: the same key with the same payload
    returns the first response.
    """
    lane: SendLane
    metadata: Metadata
    tags: List[str]
    expires_at: str
    """The message is not sent after this time."""
    callback_url: str
    """An http or https URL to POST webhooks about this message to."""

class PreflightEmailForm(TypedDict):
    size: int
    """Html, text and attachments in bytes."""
    checks: List[PreflightCheck]
    """The checks that every email goes through before it is sent."""

class PreflightFinding(TypedDict):
    path: str
    """A JSON pointer to the field; empty for the whole request."""
    message: str
    code: str
    """The error code of the refusal or of the check."""

class PreflightIdempotency(TypedDict):
    status: IdempotencyStatus
    message_id: Optional[str]
    """The message of a `replay`."""

class _PreflightOtpRequired(TypedDict):
    kind: PreflightOtpKind
    to: str
    """A phone number in E.164 format; with the channel `email`, an email address."""

class PreflightOtp(_PreflightOtpRequired, total=False):
    channel: Channel
    """Defaults to `sms`."""
    ttl_seconds: int
    """How long the code is valid."""
    max_attempts: int
    """
    How many codes may be tried; at most 5 where the code is easier to guess than six
    digits.
    """
    code_length: int
    """How many characters the code has."""
    code_alphabet: OtpCodeAlphabet
    idempotency_key: str
    """
    Makes the call safe to retry for 48 hours: the same key with the same payload
    returns the first response.
    """
    app_name: str
    """The name of your app in the message, 1 to 40 characters."""
    locale: str
    """The language of the message: a BCP 47 language tag."""

class PreflightRecipient(TypedDict):
    kind: RecipientAddressKind
    country: Optional[str]
    """ISO 3166-1 alpha-2, by which messages are counted."""
    number_type: Optional[PhoneNumberType]
    suppressed: bool
    """Whether a recipient of the email is suppressed, also one of a copy."""
    recipient_id: Optional[str]
    """The directory entry, if the request names one."""

class _PreflightRefusalRequired(TypedDict):
    error_code: ErrorCode
    status: int
    detail: str

class PreflightRefusal(_PreflightRefusalRequired, total=False):
    retry_after: int
    """In seconds; also in the header `Retry-After`."""

class PreflightReport(TypedDict):
    valid: bool
    """Whether there are no problems."""
    problems: List[PreflightFinding]
    """Everything that keeps the message from being accepted or sent."""
    warnings: List[PreflightFinding]
    """What may go wrong although Pombo accepts it."""
    recipient: Optional[PreflightRecipient]
    sms: Optional[PreflightSmsForm]
    email: Optional[PreflightEmailForm]
    limits: List[LimitStanding]
    """The rate limits that the message would count against."""
    quotas: Optional[List[QuotaStanding]]
    """Null without the scope `messages:read`."""
    sender: Optional[PreflightSender]
    route: Optional[PreflightRoute]
    queue: Optional[LaneDepth]
    """The messages of the tenant in its lane. Null without the scope `messages:read`."""
    idempotency: Optional[PreflightIdempotency]
    would_send: PreflightVerdict

class PreflightRoute(TypedDict):
    """Null if no route matches, and without the scope `messages:read`."""

    id: str
    reasons: List[str]
    """Why this route, and why not the others."""
    providers: List[ProviderStanding]
    """In the order in which they are tried."""

class PreflightSender(TypedDict):
    allowed: bool
    reason: Optional[str]

class PreflightSms(TypedDict, total=False):
    kind: PreflightMessageKind
    channel: Literal["sms"]
    to: str
    """A phone number in E.164 format."""
    message: str
    """The text, 1 to 1600 characters."""
    template: TemplateReference
    """
    A template to render, instead of `message`. The default locale is the recipient's,
    if the directory has it.
    """
    sender_id: str
    """1 to 20 characters."""
    type: SmsType
    """Defaults to `sms`."""
    recipient_id: str
    """The id of a recipient in the directory, instead of `to`."""
    recipient_external_id: str
    """The external id of a recipient in the directory, instead of `to`."""
    idempotency_key: str
    """
    Makes the call safe to retry for 48 hours: the same key with the same payload
    returns the first response.
    """
    lane: SendLane
    metadata: Metadata
    tags: List[str]
    expires_at: str
    """The message is not sent after this time."""
    callback_url: str
    """An http or https URL to POST webhooks about this message to."""

class PreflightSmsForm(TypedDict):
    encoding: SmsEncoding
    segments: int
    units: int
    """Septets in GSM-7, UTF-16 units in UCS-2."""
    characters_forcing_ucs2: List[str]
    """The first ten distinct characters that are not in GSM-7."""

class PreflightVerdict(TypedDict):
    accepted: bool
    """Whether the send would be accepted now."""
    refusal: Optional[PreflightRefusal]
    at: Optional[str]
    """
    When Pombo would call a provider at the earliest; null if it would not, or if that
    is not known.
    """
    provider: Optional[str]
    """The one that would be called first."""
    text: str

class PreviewTemplateRequest(TypedDict, total=False):
    name: str
    """At most 64 letters, digits and . _ -"""
    locale: str
    """A BCP 47 language tag."""
    text: str
    """The text, a Liquid template: `Hi {{ name }}`."""
    subject: str
    """The subject of an email."""
    html: str
    """The html of an email. Variables are escaped."""
    data: TemplateData

class _ProblemRequired(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    error_code: ErrorCode
    message: str
    """The same as `detail`."""
    http_request_id: str
    """The id of this HTTP request; also in the header `X-Request-Id`."""
    trace_id: str
    """Also in the header `X-Trace-Id`."""

class Problem(_ProblemRequired, total=False):
    details: List[FieldError]
    retry_after: int
    """In seconds; also in the header `Retry-After`."""

class Provider(TypedDict):
    name: str
    channels: List[Channel]
    reports: DeliveryReportSource
    """
    How it sends delivery reports: to our callback URL, on its connection to us, or
    never.
    """
    lookup: bool
    """Whether it supports looking up the status of a message."""
    users: bool
    """Whether it can send to users without an address."""
    simulated: bool
    """Whether it delivers to nobody: what it receives is in `GET /v1/simulator/inbox`."""
    connections: Optional[ProviderConnections]
    breaker: CircuitBreaker
    recent: Optional[RecentResults]

class ProviderConnections(TypedDict):
    """
    The connections of the responding process to the provider; zero if that process does
    not send. Null for providers without connections.
    """

    wanted: int
    up: int

class ProviderList(TypedDict):
    items: List[Provider]

class ProviderStanding(TypedDict):
    name: str
    up: bool
    """Whether Pombo would call it now."""
    breaker_state: CircuitBreakerState
    reason: str
    """Why it is chosen, comes later, or cannot be called."""
    open_since: Optional[str]
    """Since when its circuit breaker has not been closed."""
    retry_at: Optional[str]
    """When a call is permitted again, while the circuit breaker is open."""
    paused_until: Optional[str]
    """Until when an operator has paused it."""

class PutSuppressionRequest(TypedDict, total=False):
    reason: SettableSuppressionReason
    note: str
    """A note for your team."""
    expires_at: str
    """When the suppression ends. Without it, it is permanent."""

class QueueDepth(TypedDict):
    tenant_id: Optional[str]
    """Null for all tenants together."""
    lanes: List[LaneDepth]

class QuotaStanding(TypedDict):
    quota: MessageQuotaName
    limit: Optional[int]
    """Null if there is no bound."""
    used: Optional[int]
    """Null while it cannot be read."""
    would_refuse: bool
    """Whether messages are refused because of it."""

class QuotaUsage(TypedDict):
    quota: QuotaName
    limit: Optional[int]
    """Null if there is no bound."""
    used: Optional[int]
    """Null while it cannot be read."""
    ratio: Optional[float]
    """`used` divided by `limit`."""

class RateLimitedCount(TypedDict):
    start: str
    channel: Channel
    count: int
    """The sends and resends that rate limits refused."""

class Readiness(TypedDict):
    status: ReadinessStatus
    dependencies: Dict[str, Dependency]

class ReceiptSignature(TypedDict):
    algorithm: Literal["Ed25519"]
    public_key: str
    """32 bytes in base64url."""
    value: str
    """Over the canonical JSON (RFC 8785) of `receipt`; 64 bytes in base64url."""

class RecentResults(TypedDict):
    """Its results for your recent messages; null while the index is unreachable."""

    seconds: int
    """The length of the period."""
    messages_per_second: float
    statuses: StatusCounts
    accept_to_handoff_p95_ms: Optional[int]

class Recipient(TypedDict):
    id: str
    external_id: Optional[str]
    """Your own id of the recipient: 1 to 128 printable characters, unique."""
    name: Optional[str]
    """1 to 200 characters."""
    phone: Optional[str]
    """In E.164 format."""
    email: Optional[str]
    """An email address."""
    locale: Optional[str]
    """A BCP 47 language tag: the locale of templates for this recipient."""
    created_at: str
    updated_at: str

class RecipientPage(TypedDict):
    items: List[Recipient]
    next_cursor: Optional[str]
    """Null on the last page."""

class RemainingData(TypedDict):
    where: str
    what: str
    until: str

class RenderedTemplate(TypedDict):
    """The template that the caller named. The texts are what it rendered."""

    name: str
    locale: Optional[str]

class ReplayDeadLettersRequest(TypedDict, total=False):
    filter: MessageFilter
    cursor: str
    """The `next_cursor` of the previous call."""

class ReplayWebhookDeliveriesRequest(TypedDict, total=False):
    """Exactly one of the fields."""

    since: str
    """Replay all events and alerts since this time, at most seven days ago."""
    message_id: str
    """Replay all events of this message."""
    alert_id: str
    """Replay this alert."""

class ResentMessage(TypedDict):
    id: str
    status: MessageStatus
    cycle: int
    updated_at: str

_ResolveMessageRequestKeywords = TypedDict("_ResolveMessageRequestKeywords", {"as": "Resolution"})

class ResolveMessageRequest(_ResolveMessageRequestKeywords):
    pass

class _ResolveRouteRequestRequired(TypedDict):
    to: str
    """A phone number in E.164 format, or an email address."""

class ResolveRouteRequest(_ResolveRouteRequestRequired, total=False):
    channel: Channel
    """Defaults to `sms`."""
    type: SmsType
    """Defaults to `sms`."""
    sender_id: str
    message_id: str
    """
    The id of the message. With weighted providers it decides which is drawn; without
    it, the provider with the highest weight is assumed.
    """

class ResolvedMessage(TypedDict):
    id: str
    status: MessageStatus
    attempts: int
    cycle: int
    updated_at: str

class RetryPolicy(TypedDict):
    delays_seconds: List[float]
    """The delay after the first attempt, the second and so on; the last one repeats."""
    max_attempts: int
    jitter: float
    """The fraction by which a delay may be randomly shorter or longer."""
    failover: bool
    """After a transient error, try the next provider now instead of the same one later."""

class RetrySettings(TypedDict, total=False):
    """The retry policy; missing fields have the channel's defaults."""

    delays_seconds: List[float]
    """The delay after the first attempt, the second and so on; the last one repeats."""
    max_attempts: int
    jitter: float
    """The fraction by which a delay may be randomly shorter or longer."""
    failover: bool
    """After a transient error, try the next provider now instead of the same one later."""

class RotateApiKeyRequest(TypedDict, total=False):
    overlap_seconds: int
    """How long the current key stays valid. Defaults to one day."""

class RotateEndpointSecretRequest(TypedDict, total=False):
    overlap_seconds: int
    """How long the current secret keeps signing. Defaults to one day."""

class _RotatedApiKeyRequired(TypedDict):
    id: str
    """The part of the key after the mode."""
    prefix: str
    """What the key begins with. Its secret is not stored."""
    name: str
    """What the key is for: 1 to 100 characters."""
    scopes: List[Scope]
    """What the key permits. Only scopes that you have."""
    mode: Mode
    account_id: str
    """The account of the tenant that the key acts for."""
    twilio_account_sid: str
    """The account SID for programs that use Twilio's API; the key is their auth token."""
    networks: Optional[List[str]]
    """
    The key is valid only for calls from these IP addresses and networks, in CIDR
    notation.
    """
    status: ApiKeyStatus
    created_at: str
    expires_at: Optional[str]
    """When the key expires (RFC 3339)."""
    revoked_at: Optional[str]
    last_used_at: Optional[str]
    """Known to the minute. Null if the key was never used."""
    key: str
    """The key itself. Only this response contains it."""
    previous: ApiKey

class RotatedApiKey(_RotatedApiKeyRequired, total=False):
    smpp_password: str
    """
    The password for SMPP clients that have room for eight characters only; their
    system_id is the `id` of the key. Missing unless the operator allows short
    passwords.
    """

class Route(TypedDict):
    id: str
    """Shown in timelines. Generated if not given."""
    source: RouteSource
    channel: Channel
    """The channel of the messages."""
    kind: Optional[SmsType]
    """Only messages of this kind."""
    sender: Optional[str]
    """Only messages from this sender: a sender id, or an email address."""
    prefix: Optional[str]
    """
    Only phone numbers with this prefix or, for email, this domain and its subdomains.
    The longest match wins.
    """
    operator_id: Optional[str]
    """The mobile operator, recorded in the timeline."""
    providers: List[Union[str, WeightedProvider]]
    """
    Either names in order of preference, or all with weights: then each message draws
    its first provider by weight, and the others are fallbacks. A provider with weight 0
    is only a fallback.
    """
    retry: Optional[RetryPolicy]
    unknown: Optional[UnknownOutcomeSettings]
    created_at: Optional[str]
    """Null for a route of the file."""
    updated_at: Optional[str]

class RouteCandidate(TypedDict):
    provider: str
    chosen: bool
    reason: str

class RouteList(TypedDict):
    items: List[Route]

class RouteResolution(TypedDict):
    route: Optional[Route]
    unknown: Optional[UnknownOutcomePolicyByLane]
    provider: Optional[str]
    candidates: List[RouteCandidate]
    """The providers of the route, in the order they are tried."""
    excluded: List[ExcludedRoute]
    """The other routes, and why they are not used."""

class SearchReport(TypedDict):
    """
    How `q` was understood. `found_by` is null if nothing was found. `filters` are
    operators.
    """

    found_by: Optional[SearchKind]
    tried: List[SearchKind]
    """In this order, up to the one that found messages."""

class SendAccepted(TypedDict):
    id: str
    request_id: str
    """An alias of the message id, kept for compatibility."""
    status: Literal["accepted"]
    created_at: str
    accepted_at: str

class _SendBatchRequestRequired(TypedDict):
    items: List[BatchItem]
    """1 to 1000 messages."""

class SendBatchRequest(_SendBatchRequestRequired, total=False):
    batch_id: str
    """
    Messages are listed by it. Several calls may share one, for example the parts of a
    large upload. By default a UUID that depends on the idempotency keys of the items.
    """

class SendBatchResult(TypedDict):
    batch_id: str
    results: List[BatchItemResult]

_SendEmailRequestOptionalKeywords = TypedDict("_SendEmailRequestOptionalKeywords", {"from": "str"}, total=False)

class SendEmailRequest(_SendEmailRequestOptionalKeywords, total=False):
    to: str
    """An email address."""
    subject: str
    """1 to 150 characters."""
    html: str
    """At most 512 KB. Html with scripts, `javascript:` URLs or event handlers is not sent."""
    text: str
    """The plain-text part, at most 512 KB. None is generated from the html."""
    template: TemplateReference
    """
    A template to render, instead of `subject`, `html` and `text`. The default locale is
    the recipient's, if the directory has it.
    """
    reply_to: Union[str, List[str]]
    """One address, or up to 10."""
    cc: List[str]
    """Recipients of a copy. At most 50 different recipients together with `to`."""
    bcc: List[str]
    """Recipients of a blind copy. At most 50 different recipients together with `to`."""
    headers: Dict[str, str]
    """Up to 50 additional headers. The headers that Pombo writes itself cannot be set."""
    attachments: List[Attachment]
    """At most 5 MiB in total."""
    unsubscribe: Unsubscribe
    recipient_id: str
    """The id of a recipient in the directory, instead of `to`."""
    recipient_external_id: str
    """The external id of a recipient in the directory, instead of `to`."""
    idempotency_key: str
    """
    Makes the call safe to retry for 48 hours: the same key with the same payload
    returns the first response.
    """
    lane: SendLane
    metadata: Metadata
    tags: List[str]
    expires_at: str
    """The message is not sent after this time."""
    callback_url: str
    """An http or https URL to POST webhooks about this message to."""

class SendSmsAccepted(TypedDict):
    id: str
    request_id: str
    """An alias of the message id, kept for compatibility."""
    status: Literal["accepted"]
    created_at: str
    accepted_at: str
    segments: int
    encoding: SmsEncoding

class SendSmsRequest(TypedDict, total=False):
    to: str
    """A phone number in E.164 format."""
    message: str
    """The text, 1 to 1600 characters."""
    template: TemplateReference
    """
    A template to render, instead of `message`. The default locale is the recipient's,
    if the directory has it.
    """
    sender_id: str
    """1 to 20 characters."""
    type: SmsType
    """Defaults to `sms`."""
    recipient_id: str
    """The id of a recipient in the directory, instead of `to`."""
    recipient_external_id: str
    """The external id of a recipient in the directory, instead of `to`."""
    idempotency_key: str
    """
    Makes the call safe to retry for 48 hours: the same key with the same payload
    returns the first response.
    """
    lane: SendLane
    metadata: Metadata
    tags: List[str]
    expires_at: str
    """The message is not sent after this time."""
    callback_url: str
    """An http or https URL to POST webhooks about this message to."""

class SendToUserRequest(TypedDict):
    userId: int
    """The id of the user."""
    message: str
    """The text; not blank."""

class Session(TypedDict):
    signed_in: bool
    actor: Optional[AuthenticatedBy]
    user: Optional[SessionUser]
    tenant_id: Optional[str]
    """The tenant in which the call happens."""
    account_id: Optional[str]
    scopes: List[Scope]
    csrf_token: Optional[str]
    """
    Calls with a session that may change something must have it in the header
    `X-CSRF-Token`.
    """
    expires_at: Optional[str]
    """When the session ends at the latest."""
    ways: SignInMethods

class SessionUser(TypedDict):
    id: str
    email: str
    name: Optional[str]
    role: Role
    sign_in: SignInMethod

class _SetLimitRequestRequired(TypedDict):
    limit: int
    """The maximum number of messages per window."""
    window_seconds: int
    """The window."""

class SetLimitRequest(_SetLimitRequestRequired, total=False):
    algorithm: LimitAlgorithm
    """Defaults to `fixed`."""

class _SetProviderBreakerRequestRequired(TypedDict):
    action: BreakerAction

class SetProviderBreakerRequest(_SetProviderBreakerRequestRequired, total=False):
    seconds: int
    """
    How long a tripped breaker stays open, at most a week. Defaults to the usual pause;
    ignored with `reset`.
    """

class SignInMethods(TypedDict):
    """How people can sign in."""

    password: bool
    oidc: bool
    """Whether `GET /v1/session/oidc` leads to an identity provider."""

class SignInRequest(TypedDict):
    email: str
    password: str
    """The password."""

class SignedErasureReceipt(TypedDict):
    receipt: ErasureReceipt
    signature: ReceiptSignature

class SimulatorInbox(TypedDict):
    items: List[SimulatorMessage]

_SimulatorMailKeywords = TypedDict("_SimulatorMailKeywords", {"from": "str"})

class SimulatorMail(_SimulatorMailKeywords):
    to: str
    bcc: List[str]
    reply_to: List[str]
    cc: List[str]
    subject: str
    html: str
    text: Optional[str]
    headers: Dict[str, str]
    """The headers that the caller added."""
    attachments: List[AttachmentSummary]
    message_id: str
    received_at: str

_SimulatorMessageKeywords = TypedDict("_SimulatorMessageKeywords", {"from": "Optional[str]"})

class SimulatorMessage(_SimulatorMessageKeywords):
    channel: Channel
    to: str
    subject: Optional[str]
    """Null for an SMS."""
    body: str
    """For an email, the beginning of its text, or of the text of its html."""
    attempt_id: str
    message_id: str
    received_at: str

_SmsContentKeywords = TypedDict("_SmsContentKeywords", {"from": "Optional[str]"})

class SmsContent(_SmsContentKeywords):
    channel: Literal["sms"]
    to: str
    """The recipient in clear text."""
    metadata: Dict[str, str]
    tags: List[str]
    template: Optional[RenderedTemplate]
    body: str
    encoding: SmsEncoding
    parts: List[SmsPart]
    """The segments as they are sent."""

class SmsPart(TypedDict):
    text: str
    units: int
    """Septets in GSM-7, 16-bit code units in UCS-2."""

_StatsKeywords = TypedDict("_StatsKeywords", {"from": "str"})

class Stats(_StatsKeywords):
    to: str
    bucket: int
    buckets: List[StatsBucket]
    rate_limited: List[RateLimitedCount]

class StatsBucket(TypedDict):
    start: str
    channel: Channel
    provider: Optional[str]
    """Null for messages without an attempt yet."""
    statuses: StatusCounts
    accept_to_handoff: Optional[Latency]
    handoff_to_delivery: Optional[Latency]

class StatusCounts(TypedDict, total=False):
    queued: int
    sending: int
    sent: int
    delivered: int
    failed: int
    expired: int

class Suppression(TypedDict):
    address: str
    """In lower case."""
    reason: SuppressionReason
    note: Optional[str]
    """A note for your team."""
    message_id: Optional[str]
    """The message that bounced or was complained about."""
    created_at: str
    expires_at: Optional[str]

class SuppressionImport(TypedDict):
    added: int
    """The number of different addresses."""

class _SuppressionItemRequired(TypedDict):
    address: str
    """An email address, in upper or lower case."""

class SuppressionItem(_SuppressionItemRequired, total=False):
    reason: SettableSuppressionReason
    note: str
    """A note for your team."""
    expires_at: str
    """When the suppression ends. Without it, it is permanent."""

class SuppressionPage(TypedDict):
    items: List[Suppression]
    next_cursor: Optional[str]
    """Null on the last page."""

class Template(TypedDict):
    name: str
    """At most 64 letters, digits and . _ -"""
    locale: str
    """A BCP 47 language tag."""
    channel: Channel
    version: int
    text: str
    """The text, a Liquid template: `Hi {{ name }}`."""
    subject: Optional[str]
    """The subject of an email."""
    html: Optional[str]
    """The html of an email. Variables are escaped."""
    created_at: str

class TemplatePage(TypedDict):
    items: List[Template]
    next_cursor: Optional[str]
    """Null on the last page."""

class _TemplatePreviewRequired(TypedDict):
    text: str
    segments: int
    """The number of segments as an SMS."""
    encoding: SmsEncoding

class TemplatePreview(_TemplatePreviewRequired, total=False):
    subject: str
    html: str
    locale: str
    """The locale of the template that was found."""
    version: int

class _TemplateReferenceRequired(TypedDict):
    name: str
    """At most 64 letters, digits and . _ -"""

class TemplateReference(_TemplateReferenceRequired, total=False):
    data: TemplateData
    locale: str
    """A BCP 47 language tag."""

class TemplateSummary(TypedDict):
    name: str
    """At most 64 letters, digits and . _ -"""
    locale: str
    """A BCP 47 language tag."""
    channel: Channel
    version: int
    excerpt: str
    """How the text begins: at most 100 characters."""
    size: int
    """How many bytes its texts take together."""
    created_at: str

class TemplateSummaryPage(TypedDict):
    items: List[TemplateSummary]
    next_cursor: Optional[str]
    """Null on the last page."""

class Tenant(TypedDict):
    id: str
    """As in the claim `tenant_id` of tokens."""
    source: TenantSource
    state: TenantState
    name: Optional[str]
    """For people."""
    providers: Optional[List[str]]
    """The only providers that the tenant's messages may take, whatever the routes say."""
    senders: Optional[List[str]]
    """
    The only senders that the tenant's messages may have: sender ids, numbers, email
    addresses, domains (`acme.example`) and their subdomains (`*.acme.example`).
    """
    quotas: Optional[TenantQuotas]
    retention_days: Optional[int]
    """
    How many days messages are kept, if that is shorter than the installation's
    retention.
    """
    default_locale: Optional[str]
    """The locale of templates without one, and of messages to recipients without one."""
    created_at: Optional[str]
    """Null for a tenant of the file."""
    updated_at: Optional[str]

class TenantPage(TypedDict):
    items: List[Tenant]
    next_cursor: Optional[str]
    """Null on the last page."""

class TenantQuotaUsage(TypedDict):
    tenant_id: str
    items: List[QuotaUsage]
    """Every quota."""

class TenantQuotas(TypedDict, total=False):
    """How much the tenant may have; missing quotas have defaults."""

    limits: int
    """At most so many rate limits."""
    templates: int
    """At most so many templates."""
    routes: int
    """At most so many routes."""
    endpoints: int
    """At most so many webhook endpoints."""
    recipients: int
    """At most so many recipients."""
    api_keys: int
    """At most so many API keys."""
    waiting_messages: int
    """At most so many messages that wait to be sent."""
    stored_bytes: int
    """At most so many bytes of stored messages."""

class TestEndpointRequest(TypedDict, total=False):
    event: WebhookEventType
    """An event type that the endpoint subscribes to. By default the first one."""

class Total(TypedDict):
    """
    How many messages match: exactly so many (`eq`), or at least so many (`gte`), where
    counting on would take long.
    """

    value: int
    relation: TotalRelation

class UnknownOutcomePolicy(TypedDict):
    wait_seconds: float
    """How long to wait for a delivery report or a lookup result."""
    policy: UnknownOutcomeAction
    """
    `hold`: wait for a delivery report or for an operator. `failover`: send with the
    next provider, or with the same one if there is no other. `resend`: send with the
    same provider again. The last two may deliver the message twice.
    """
    give_up_seconds: float
    """
    How long after the attempt a held message fails with `OUTCOME_UNKNOWN`. Also the
    time after which messages fail that wait for a quota, a paused account or an
    unavailable provider.
    """

class UnknownOutcomePolicyByLane(TypedDict):
    """What the route does about an unknown outcome, by lane."""

    otp: UnknownOutcomePolicy
    transactional: UnknownOutcomePolicy
    bulk: UnknownOutcomePolicy

class UnknownOutcomeSettings(TypedDict, total=False):
    """
    What to do when the outcome of an attempt is unknown. Defaults by lane: one-time
    codes wait 5 seconds and fail over; others wait 5 seconds and hold. All give up
    after 72 hours.
    """

    wait_seconds: float
    """How long to wait for a delivery report or a lookup result."""
    policy: UnknownOutcomeAction
    """
    `hold`: wait for a delivery report or for an operator. `failover`: send with the
    next provider, or with the same one if there is no other. `resend`: send with the
    same provider again. The last two may deliver the message twice.
    """
    give_up_seconds: float
    """
    How long after the attempt a held message fails with `OUTCOME_UNKNOWN`. Also the
    time after which messages fail that wait for a quota, a paused account or an
    unavailable provider.
    """

class UnknownOutcomeStanding(TypedDict):
    policy: UnknownOutcomeAction
    provider_can_be_asked: bool
    """Whether Pombo can look the attempt up with the provider."""
    next_check_at: str
    gives_up_at: str
    """When the message is given up and counts as failed."""

class Unsubscribe(TypedDict, total=False):
    """How recipients unsubscribe: the `List-Unsubscribe` header."""

    url: str
    """An https URL for one-click unsubscribe by POST (RFC 8058)."""
    mailto: str
    """An email address for unsubscribe requests."""

class UpdateEndpointRequest(TypedDict, total=False):
    url: str
    """An http or https URL without credentials or fragment. Use https."""
    description: Optional[str]
    """A note for your team."""
    events: List[WebhookEventType]
    """
    The event types to deliver. If empty, all of messages and all alerts of the tenant.
    Those of the installation (`tenant.…`, `provider.…`, `dead_letters.…`) are only
    delivered where they are listed, and only operators may list them.
    """
    enabled: bool
    """True also makes all pending deliveries due now."""

class UpdateRecipientRequest(TypedDict, total=False):
    external_id: Optional[str]
    """Your own id of the recipient: 1 to 128 printable characters, unique."""
    name: Optional[str]
    """1 to 200 characters."""
    phone: Optional[str]
    """In E.164 format."""
    email: Optional[str]
    """An email address."""
    locale: Optional[str]
    """A BCP 47 language tag: the locale of templates for this recipient."""

class UpdateRouteRequest(TypedDict, total=False):
    kind: Optional[SmsType]
    """Only messages of this kind."""
    sender: Optional[str]
    """Only messages from this sender: a sender id, or an email address."""
    prefix: Optional[str]
    """
    Only phone numbers with this prefix or, for email, this domain and its subdomains.
    The longest match wins.
    """
    operator_id: Optional[str]
    """The mobile operator, recorded in the timeline."""
    providers: List[Union[str, WeightedProvider]]
    """
    Either names in order of preference, or all with weights: then each message draws
    its first provider by weight, and the others are fallbacks. A provider with weight 0
    is only a fallback.
    """
    retry: Optional[RetrySettings]
    unknown: Optional[UnknownOutcomeSettings]

class UpdateTemplateRequest(TypedDict, total=False):
    locale: str
    """A BCP 47 language tag."""
    text: str
    """The text, a Liquid template: `Hi {{ name }}`."""
    subject: Optional[str]
    """The subject of an email."""
    html: Optional[str]
    """The html of an email. Variables are escaped."""

class UpdateTenantRequest(TypedDict, total=False):
    name: Optional[str]
    """For people."""
    state: TenantState
    providers: Optional[List[str]]
    """The only providers that the tenant's messages may take, whatever the routes say."""
    senders: Optional[List[str]]
    """
    The only senders that the tenant's messages may have: sender ids, numbers, email
    addresses, domains (`acme.example`) and their subdomains (`*.acme.example`).
    """
    quotas: Optional[TenantQuotas]
    retention_days: Optional[int]
    """
    How many days messages are kept, if that is shorter than the installation's
    retention.
    """
    default_locale: Optional[str]
    """The locale of templates without one, and of messages to recipients without one."""

class UpdateUserRequest(TypedDict, total=False):
    name: Optional[str]
    """1 to 200 characters."""
    role: Role
    """
    `viewer` sees messages without their content; `support` also opens content and
    resends; `developer` sees and sends; `admin` may do everything in the tenant;
    `operator` everything in the installation.
    """
    state: SettableUserState

_UsagePageKeywords = TypedDict("_UsagePageKeywords", {"from": "str"})

class UsagePage(_UsagePageKeywords):
    to: str
    group_by: List[UsageDimension]
    items: List[UsageRecord]
    next_cursor: Optional[str]
    """Null on the last page."""

class _UsageRecordRequired(TypedDict):
    messages: int
    """Accepted by Pombo on that day."""
    segments: int
    """Their segments; one for an email."""
    sent_messages: int
    """Taken by a provider on that day. A message that was sent again counts again."""
    sent_segments: int
    """Their segments; one for an email."""

class UsageRecord(_UsageRecordRequired, total=False):
    day: str
    account_id: str
    channel: Channel
    country: Optional[str]
    """
    The country of the number, as in ISO 3166-1. Null for email, and for numbers of no
    country.
    """
    provider: Optional[str]
    """Null for messages as they were accepted, before a provider was chosen."""

class User(TypedDict):
    id: str
    tenant_id: str
    email: str
    name: Optional[str]
    """1 to 200 characters."""
    role: Role
    """
    `viewer` sees messages without their content; `support` also opens content and
    resends; `developer` sees and sends; `admin` may do everything in the tenant;
    `operator` everything in the installation.
    """
    state: UserState
    sign_in: SignInMethod
    invitation_expires_at: Optional[str]
    """Until when an invitation can be accepted; null without one."""
    created_at: str
    updated_at: str
    last_sign_in_at: Optional[str]

class UserLimit(TypedDict):
    userId: int
    """The id of the user."""
    rateLimit: int
    """The maximum number of messages per window."""
    timeWindow: int
    """The window, in minutes."""
    currentCount: int
    lastRefreshTime: str

class UserList(TypedDict):
    items: List[User]

class _ValidateOtpRequestRequired(TypedDict):
    challenge_id: str
    """The `challenge_id` that generate returned."""
    code: str
    """The code as the person has entered it, without spaces."""

class ValidateOtpRequest(_ValidateOtpRequestRequired, total=False):
    to: str
    """
    The recipient that the code must have been sent to. For another one the answer is
    that of a wrong code, and an attempt is used.
    """

class _VerifyErasureReceiptRequestRequired(TypedDict):
    receipt: ErasureReceipt
    signature: ReceiptSignature

class VerifyErasureReceiptRequest(_VerifyErasureReceiptRequestRequired, total=False):
    to: str
    """A phone number in E.164 format, or an email address."""

class WebhookAttempt(TypedDict):
    id: str
    endpoint_id: str
    """`callback` is the `callback_url` of the message."""
    url: str
    """The URL that was called; its query is hidden."""
    message_id: Optional[str]
    """Null for an alert and a test event."""
    alert_id: Optional[str]
    """Null for a message and a test event."""
    test: bool
    """Whether it was a test event."""
    event_type: WebhookEventType
    webhook_id: str
    """The header `webhook-id`."""
    state: WebhookAttemptState
    status: Optional[int]
    """The HTTP status; null if there was no response."""
    error: Optional[str]
    """Why there was no response."""
    attempted_at: str
    duration_ms: int
    """How long the call took."""
    next_attempt_at: Optional[str]
    """
    When the event was to be attempted again, as planned after this attempt. The
    `due_at` of the delivery is what applies now.
    """

class WebhookAttemptBody(TypedDict):
    text: Optional[str]
    """The first 4 KB, without control characters. Null if it is binary."""
    bytes: int
    """The size. Of a response, at most 64 KB are read."""
    truncated: bool
    """Whether it has more than 4096 bytes."""

class WebhookAttemptDetails(TypedDict):
    id: str
    endpoint_id: str
    """`callback` is the `callback_url` of the message."""
    url: str
    """The URL that was called; its query is hidden."""
    message_id: Optional[str]
    """Null for an alert and a test event."""
    alert_id: Optional[str]
    """Null for a message and a test event."""
    test: bool
    """Whether it was a test event."""
    event_type: WebhookEventType
    webhook_id: str
    """The header `webhook-id`."""
    state: WebhookAttemptState
    status: Optional[int]
    """The HTTP status; null if there was no response."""
    error: Optional[str]
    """Why there was no response."""
    attempted_at: str
    duration_ms: int
    """How long the call took."""
    next_attempt_at: Optional[str]
    """
    When the event was to be attempted again, as planned after this attempt. The
    `due_at` of the delivery is what applies now.
    """
    request: WebhookAttemptRequest
    response: Optional[WebhookAttemptResponse]

class WebhookAttemptPage(TypedDict):
    items: List[WebhookAttempt]
    next_cursor: Optional[str]
    """Null on the last page."""

class WebhookAttemptRequest(TypedDict):
    headers: Dict[str, str]
    """Values that may be secret, such as signatures, cookies and tokens, are `***`."""
    body: WebhookAttemptBody

class WebhookAttemptResponse(TypedDict):
    """What the server answered. Treat it as untrusted text. Null if there was no response."""

    status: int
    headers: Dict[str, str]
    """Values that may be secret, such as signatures, cookies and tokens, are `***`."""
    body: WebhookAttemptBody

class WebhookDelivery(TypedDict):
    message_id: Optional[str]
    """Null for an alert."""
    alert_id: Optional[str]
    """Null for a message. The `webhook-id` is `alert_{alert_id}`."""
    event_type: Optional[AlertType]
    endpoint_id: str
    """`callback` is the `callback_url` of the message."""
    endpoint_url: Optional[str]
    """
    The URL of the endpoint, or the `callback_url` in a list of one message; its query
    is hidden. Otherwise null.
    """
    state: WebhookDeliveryState
    """
    `pending`: an event is waiting to be delivered. `delivered`: all events are
    delivered. `failed`: delivery failed too often; replay it.
    """
    failures: int
    """Failed calls for the next event."""
    due_at: Optional[str]
    """Null when nothing is pending or the endpoint is disabled."""
    last_status: Optional[int]
    """The last HTTP status of the endpoint."""
    last_error: Optional[str]
    """Why the last call failed."""
    tried_at: Optional[str]
    created_at: str
    updated_at: str

class WebhookDeliveryList(TypedDict):
    items: List[WebhookDelivery]

class WebhookDeliveryPage(TypedDict):
    items: List[WebhookDelivery]
    next_cursor: Optional[str]
    """Null on the last page."""

class WebhookDeliveryReplay(TypedDict):
    replayed: int

class WeightedProvider(TypedDict):
    name: str
    """The name of a configured provider."""
    weight: int

class WebhookMessage(TypedDict):
    """What a webhook tells about a message: how it was when the event happened."""

    message_id: str
    status: MessageStatus
    previous_status: Optional[MessageStatus]
    channel: Channel
    type: MessageType
    to: Optional[str]
    """Masked; null after erasure."""
    provider: Optional[str]
    provider_message_id: Optional[str]
    error_code: Optional[str]
    error_detail: Optional[str]
    attempts: int
    cycle: int
    """Starts at 1; every resend and replay adds one."""
    segments: int
    """The number of SMS segments; 1 for email."""
    metadata: Dict[str, str]
    tags: List[str]
    created_at: str
    occurred_at: str
    """When the status changed."""

class SmsEventsStatusV1Data(TypedDict):
    """The status of a message changed."""

    messageId: str
    tenantId: str
    accountId: str
    at: str
    previousStatus: Optional[Literal["queued", "sending", "sent", "delivered", "failed", "expired"]]
    """Null for a new message."""
    newStatus: Literal["queued", "sending", "sent", "delivered", "failed", "expired"]

class SmsOutboundRetryV1Data(TypedDict):
    """An attempt failed and will be retried."""

    messageId: str
    tenantId: str
    accountId: str
    at: str
    attempt: int
    """The attempt that failed."""
    reason: str
    """An error code."""
    dueAt: str

class SmsOutboundDeadletterV1Data(TypedDict):
    """A message failed after its last attempt, or could not be attempted in time."""

    messageId: str
    tenantId: str
    accountId: str
    at: str
    failureReason: str
    """An error code."""
    attemptCount: int
    failedAt: str
    lastError: SmsOutboundDeadletterV1DataLastError
    outcomeUnknown: bool
    """The provider may have the message: a replay may send it twice."""
    message: SmsOutboundDeadletterV1DataMessage
    content: Optional[SmsOutboundDeadletterV1DataContent]

class SmsOutboundDeadletterV1DataLastError(TypedDict):
    code: str
    originalCode: Optional[str]
    """The provider's own code."""
    detail: str

class SmsOutboundDeadletterV1DataMessage(TypedDict):
    type: Literal["sms", "flash_sms", "email"]
    lane: Literal["otp", "transactional", "bulk"]
    segmentCount: int
    """The number of SMS segments; 1 for email."""
    encoding: Literal["gsm7", "ucs2", "mime"]
    cycle: int
    provider: Optional[str]
    operatorId: Optional[str]
    routeId: Optional[str]
    enqueuedAt: str
    expiresAt: Optional[str]
    traceId: str
    httpRequestId: Optional[str]
    """The `X-Request-Id` of the call that created it."""
    href: str
    """
    The message with its timeline, masked recipient, metadata and tags, relative to the
    URL of the gateway.
    """

class SmsOutboundDeadletterV1DataContent(TypedDict):
    href: str
    """
    Recipient, sender, texts, metadata and template; needs the scope `content:read`.
    There is none for one-time codes and after erasure.
    """

class EmailEventsStatusV1Data(TypedDict):
    """The status of a message changed."""

    messageId: str
    tenantId: str
    accountId: str
    at: str
    previousStatus: Optional[Literal["queued", "sending", "sent", "delivered", "failed", "expired"]]
    """Null for a new message."""
    newStatus: Literal["queued", "sending", "sent", "delivered", "failed", "expired"]

class EmailOutboundRetryV1Data(TypedDict):
    """An attempt failed and will be retried."""

    messageId: str
    tenantId: str
    accountId: str
    at: str
    attempt: int
    """The attempt that failed."""
    reason: str
    """An error code."""
    dueAt: str

class EmailOutboundDeadletterV1Data(TypedDict):
    """A message failed after its last attempt, or could not be attempted in time."""

    messageId: str
    tenantId: str
    accountId: str
    at: str
    failureReason: str
    """An error code."""
    attemptCount: int
    failedAt: str
    lastError: EmailOutboundDeadletterV1DataLastError
    outcomeUnknown: bool
    """The provider may have the message: a replay may send it twice."""
    message: EmailOutboundDeadletterV1DataMessage
    content: Optional[EmailOutboundDeadletterV1DataContent]

class EmailOutboundDeadletterV1DataLastError(TypedDict):
    code: str
    originalCode: Optional[str]
    """The provider's own code."""
    detail: str

class EmailOutboundDeadletterV1DataMessage(TypedDict):
    type: Literal["sms", "flash_sms", "email"]
    lane: Literal["otp", "transactional", "bulk"]
    segmentCount: int
    """The number of SMS segments; 1 for email."""
    encoding: Literal["gsm7", "ucs2", "mime"]
    cycle: int
    provider: Optional[str]
    operatorId: Optional[str]
    routeId: Optional[str]
    enqueuedAt: str
    expiresAt: Optional[str]
    traceId: str
    httpRequestId: Optional[str]
    """The `X-Request-Id` of the call that created it."""
    href: str
    """
    The message with its timeline, masked recipient, metadata and tags, relative to the
    URL of the gateway.
    """

class EmailOutboundDeadletterV1DataContent(TypedDict):
    href: str
    """
    Recipient, sender, texts, metadata and template; needs the scope `content:read`.
    There is none for one-time codes and after erasure.
    """

class QuotaWarningData(TypedDict):
    """A tenant uses 80 % of a quota of messages."""

    tenant_id: str
    mode: Literal["live", "test"]
    """Test mode has quotas of its own."""
    quota: Literal["waiting_messages", "stored_bytes"]
    limit: int
    used: int

class QuotaExceededData(TypedDict):
    """A tenant has used up a quota of messages: sends are refused with 507."""

    tenant_id: str
    mode: Literal["live", "test"]
    """Test mode has quotas of its own."""
    quota: Literal["waiting_messages", "stored_bytes"]
    limit: int
    used: int

class TenantQuotaWarningData(TypedDict):
    """For operators: A tenant uses 80 % of a quota of messages."""

    tenant_id: str
    mode: Literal["live", "test"]
    """Test mode has quotas of its own."""
    quota: Literal["waiting_messages", "stored_bytes"]
    limit: int
    used: int

class TenantQuotaExceededData(TypedDict):
    """For operators: A tenant has used up a quota of messages: sends are refused with 507."""

    tenant_id: str
    mode: Literal["live", "test"]
    """Test mode has quotas of its own."""
    quota: Literal["waiting_messages", "stored_bytes"]
    limit: int
    used: int

class ProviderBreakerOpenedData(TypedDict):
    """For operators: the circuit breaker of a provider has opened."""

    provider: str
    """The name of the provider."""
    opened_at: str
    """When the circuit breaker opened."""

class ProviderBreakerClosedData(TypedDict):
    """For operators: it has closed."""

    provider: str
    """The name of the provider."""
    opened_at: str
    """When the circuit breaker opened."""

class ProviderDegradedData(TypedDict):
    """For operators: fewer calls to a provider, or of its messages, succeed than usual."""

    provider: str
    """The name of the provider."""
    success_rate: float
    """The share of recent results that were good."""
    usual_rate: float
    """The share in the day before."""
    results: int
    """How many recent results there are."""
    period_seconds: int
    """The time in which it was counted."""

class ProviderRecoveredData(TypedDict):
    """For operators: they succeed as usual again."""

    provider: str
    """The name of the provider."""
    success_rate: float
    """The share of recent results that were good."""
    usual_rate: float
    """The share in the day before."""
    results: int
    """How many recent results there are."""
    period_seconds: int
    """The time in which it was counted."""

class DeadLettersHighData(TypedDict):
    """For operators: many messages became dead letters within an hour."""

    count: int
    threshold: int
    """`alerts.dead_letters_per_hour`."""
    period_seconds: int
    """The time in which it was counted."""

class SmsEventsStatusV1Event(TypedDict):
    id: str
    """Pass it as `last_event_id` to go on after this event."""
    name: Literal["sms.events.status.v1"]
    data: SmsEventsStatusV1Data

class SmsOutboundRetryV1Event(TypedDict):
    id: str
    """Pass it as `last_event_id` to go on after this event."""
    name: Literal["sms.outbound.retry.v1"]
    data: SmsOutboundRetryV1Data

class SmsOutboundDeadletterV1Event(TypedDict):
    id: str
    """Pass it as `last_event_id` to go on after this event."""
    name: Literal["sms.outbound.deadletter.v1"]
    data: SmsOutboundDeadletterV1Data

class EmailEventsStatusV1Event(TypedDict):
    id: str
    """Pass it as `last_event_id` to go on after this event."""
    name: Literal["email.events.status.v1"]
    data: EmailEventsStatusV1Data

class EmailOutboundRetryV1Event(TypedDict):
    id: str
    """Pass it as `last_event_id` to go on after this event."""
    name: Literal["email.outbound.retry.v1"]
    data: EmailOutboundRetryV1Data

class EmailOutboundDeadletterV1Event(TypedDict):
    id: str
    """Pass it as `last_event_id` to go on after this event."""
    name: Literal["email.outbound.deadletter.v1"]
    data: EmailOutboundDeadletterV1Data

StreamEvent = Union[
    SmsEventsStatusV1Event,
    SmsOutboundRetryV1Event,
    SmsOutboundDeadletterV1Event,
    EmailEventsStatusV1Event,
    EmailOutboundRetryV1Event,
    EmailOutboundDeadletterV1Event,
]
"""An event of the stream: `name` tells which `data` it has."""

class WebhookMessageEvent(TypedDict):
    id: str
    """The same in every attempt and every replay."""
    timestamp: str
    """When it happened."""
    type: Literal["message.queued", "message.sending", "message.sent", "message.delivered", "message.failed", "message.expired"]
    data: WebhookMessage

class QuotaWarningEvent(TypedDict):
    id: str
    """The same in every attempt and every replay."""
    timestamp: str
    """When it happened."""
    type: Literal["quota.warning"]
    data: QuotaWarningData

class QuotaExceededEvent(TypedDict):
    id: str
    """The same in every attempt and every replay."""
    timestamp: str
    """When it happened."""
    type: Literal["quota.exceeded"]
    data: QuotaExceededData

class TenantQuotaWarningEvent(TypedDict):
    id: str
    """The same in every attempt and every replay."""
    timestamp: str
    """When it happened."""
    type: Literal["tenant.quota_warning"]
    data: TenantQuotaWarningData

class TenantQuotaExceededEvent(TypedDict):
    id: str
    """The same in every attempt and every replay."""
    timestamp: str
    """When it happened."""
    type: Literal["tenant.quota_exceeded"]
    data: TenantQuotaExceededData

class ProviderBreakerOpenedEvent(TypedDict):
    id: str
    """The same in every attempt and every replay."""
    timestamp: str
    """When it happened."""
    type: Literal["provider.breaker_opened"]
    data: ProviderBreakerOpenedData

class ProviderBreakerClosedEvent(TypedDict):
    id: str
    """The same in every attempt and every replay."""
    timestamp: str
    """When it happened."""
    type: Literal["provider.breaker_closed"]
    data: ProviderBreakerClosedData

class ProviderDegradedEvent(TypedDict):
    id: str
    """The same in every attempt and every replay."""
    timestamp: str
    """When it happened."""
    type: Literal["provider.degraded"]
    data: ProviderDegradedData

class ProviderRecoveredEvent(TypedDict):
    id: str
    """The same in every attempt and every replay."""
    timestamp: str
    """When it happened."""
    type: Literal["provider.recovered"]
    data: ProviderRecoveredData

class DeadLettersHighEvent(TypedDict):
    id: str
    """The same in every attempt and every replay."""
    timestamp: str
    """When it happened."""
    type: Literal["dead_letters.high"]
    data: DeadLettersHighData

WebhookEvent = Union[
    WebhookMessageEvent,
    QuotaWarningEvent,
    QuotaExceededEvent,
    TenantQuotaWarningEvent,
    TenantQuotaExceededEvent,
    ProviderBreakerOpenedEvent,
    ProviderBreakerClosedEvent,
    ProviderDegradedEvent,
    ProviderRecoveredEvent,
    DeadLettersHighEvent,
]
"""A webhook: `type` tells which `data` it has."""
