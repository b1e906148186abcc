// Generated from docs/openapi.json by `npm run clients`.
import type { Pages } from '../pages.ts'
import { path } from '../path.ts'
import type { CallOptions, Transport } from '../transport.ts'
import type {
  AcceptInvitationRequest,
  ApiKey,
  ApiKeyPage,
  AuditEntry,
  AuditEntryPage,
  ChangePasswordRequest,
  CircuitBreaker,
  ConfigureUserRequest,
  CreateApiKeyRequest,
  CreateDomainRequest,
  CreateEndpointRequest,
  CreateErasureRequest,
  CreateRecipientRequest,
  CreateRouteRequest,
  CreateTemplateRequest,
  CreateTenantRequest,
  CreateUserRequest,
  CreatedApiKey,
  CreatedEndpoint,
  DeadLetterReplay,
  Domain,
  DomainList,
  EmailEvent,
  EmailEventPage,
  EmailLog,
  EmailLogPage,
  Endpoint,
  EndpointList,
  EndpointSecrets,
  ErasedMessage,
  Erasure,
  ErasurePage,
  ErasurePublicKey,
  ErasureReceiptVerification,
  ErrorCount,
  ErrorCountList,
  ExportAuditLogQuery,
  ExportMessagesQuery,
  GenerateOtpRequest,
  GetEmailQuery,
  GetErrorStatsQuery,
  GetInvitationRequest,
  GetLimitQuery,
  GetMessageQuery,
  GetSmsQuery,
  GetStatsQuery,
  GetTemplateQuery,
  GetTemplateVersionQuery,
  GetUsageQuery,
  ImportSuppressionsRequest,
  Invitation,
  InvitedUser,
  Limit,
  LimitPage,
  LimitScope,
  ListApiKeysQuery,
  ListAuditEntriesQuery,
  ListDeadLettersQuery,
  ListEmailEventsQuery,
  ListEmailLogsQuery,
  ListErasuresQuery,
  ListLimitsQuery,
  ListMessagesQuery,
  ListRecipientsQuery,
  ListSimulatorInboxQuery,
  ListSuppressionsQuery,
  ListTemplateVersionsQuery,
  ListTemplatesQuery,
  ListTenantsQuery,
  ListWebhookAttemptsQuery,
  ListWebhookDeliveriesQuery,
  Liveness,
  Message,
  MessageContent,
  MessageDetails,
  MessageExplanation,
  MessagePage,
  MessageWithEvents,
  OtpChallenge,
  OtpChallengeState,
  OtpValidation,
  PreflightReport,
  PreflightRequest,
  PreviewTemplateRequest,
  Provider,
  ProviderList,
  PutSuppressionRequest,
  QueueDepth,
  Readiness,
  Recipient,
  RecipientPage,
  RemoveLimitQuery,
  RemoveTemplateQuery,
  ReplayDeadLetterQuery,
  ReplayDeadLettersQuery,
  ReplayDeadLettersRequest,
  ReplayWebhookDeliveriesRequest,
  ResendMessageQuery,
  ResentMessage,
  ResolveMessageRequest,
  ResolveRouteRequest,
  ResolvedMessage,
  RotateApiKeyRequest,
  RotateEndpointSecretRequest,
  RotatedApiKey,
  Route,
  RouteList,
  RouteResolution,
  SendAccepted,
  SendBatchRequest,
  SendBatchResult,
  SendEmailRequest,
  SendSmsAccepted,
  SendSmsRequest,
  SendToUserRequest,
  Session,
  SetLimitQuery,
  SetLimitRequest,
  SetProviderBreakerRequest,
  SignInRequest,
  SimulatorInbox,
  SimulatorMail,
  SimulatorMessage,
  Stats,
  Suppression,
  SuppressionImport,
  SuppressionPage,
  Template,
  TemplatePage,
  TemplatePreview,
  TemplateSummary,
  TemplateSummaryPage,
  Tenant,
  TenantPage,
  TenantQuotaUsage,
  TestEndpointRequest,
  UpdateEndpointRequest,
  UpdateRecipientRequest,
  UpdateRouteRequest,
  UpdateTemplateRequest,
  UpdateTenantRequest,
  UpdateUserRequest,
  UsagePage,
  UsageRecord,
  User,
  UserLimit,
  UserList,
  ValidateOtpRequest,
  VerifyErasureReceiptRequest,
  WebhookAttempt,
  WebhookAttemptDetails,
  WebhookAttemptPage,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookDeliveryPage,
  WebhookDeliveryReplay,
} from './types.ts'

export class ApiKeysCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List API keys. The keys of your tenant, newest first; in test mode only its test keys. Keys that expired or
   * were revoked are listed for another 30 days.
   */
  list(query?: ListApiKeysQuery, options?: CallOptions): Pages<ApiKey, ApiKeyPage> {
    return this.#transport.pages<ApiKey, ApiKeyPage>({ method: 'GET', path: path`/v1/api-keys`, query, repeatable: 'always' }, options)
  }

  /**
   * Create an API key. The response contains the key, and nothing else ever will. Send it as `Authorization:
   * Bearer pk_…`. Every process accepts it at once. The quota `api_keys` counts usable keys, those of test mode
   * apart.
   */
  create(body: CreateApiKeyRequest, options?: CallOptions): Promise<CreatedApiKey> {
    return this.#transport.json<CreatedApiKey>({ method: 'POST', path: path`/v1/api-keys`, body, repeatable: 'never' }, options)
  }

  /** Get an API key. Its settings and when it was last used, not the key itself. */
  get(id: string, options?: CallOptions): Promise<ApiKey> {
    return this.#transport.json<ApiKey>({ method: 'GET', path: path`/v1/api-keys/${id}`, repeatable: 'always' }, options)
  }

  /** Revoke an API key. No process accepts the key after this response. It stays listed for 30 days. */
  revoke(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ method: 'DELETE', path: path`/v1/api-keys/${id}`, repeatable: 'always' }, options)
  }

  /**
   * Rotate an API key. Creates a key with the same settings, and lets the current one expire after the overlap, so
   * that you can deploy the new one. A key that was to expire is followed by one that lives as long.
   */
  rotate(id: string, body: RotateApiKeyRequest, options?: CallOptions): Promise<RotatedApiKey> {
    return this.#transport.json<RotatedApiKey>({ method: 'POST', path: path`/v1/api-keys/${id}/rotate`, body, repeatable: 'never' }, options)
  }
}

export class AuditLogCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List the audit log. Every change of the set-up and every access to content, newest first. An admin sees the
   * entries of its tenant. An operator sees all, or with `tenant_id` or the header `Pombo-Tenant` those of one
   * tenant.
   */
  list(query?: ListAuditEntriesQuery, options?: CallOptions): Pages<AuditEntry, AuditEntryPage> {
    return this.#transport.pages<AuditEntry, AuditEntryPage>({ method: 'GET', path: path`/v1/audit`, query, repeatable: 'always' }, options)
  }

  /**
   * Export the audit log. All entries that match, newest first, as lines of JSON or as CSV. A connection that ends
   * before the last chunk means that the export is incomplete. An admin sees the entries of its tenant. An
   * operator sees all, or with `tenant_id` or the header `Pombo-Tenant` those of one tenant.
   */
  export(query?: ExportAuditLogQuery, options?: CallOptions): AsyncIterable<string> {
    return this.#transport.lines({ method: 'GET', path: path`/v1/audit/export`, query, repeatable: 'always' }, options)
  }
}

export class ConsoleUsersCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** List users. The people of your tenant who can sign in to the console, by email address. */
  list(options?: CallOptions): Pages<User, UserList> {
    return this.#transport.pages<User, UserList>({ method: 'GET', path: path`/v1/users`, repeatable: 'always' }, options)
  }

  /**
   * Invite a user. Creates a user of your tenant who signs in with a password, and answers with the link to set
   * it. Roles up to `admin` need the scope `admin`; `operator` needs `operator`.
   */
  create(body: CreateUserRequest, options?: CallOptions): Promise<InvitedUser> {
    return this.#transport.json<InvitedUser>({ method: 'POST', path: path`/v1/users`, body, repeatable: 'never' }, options)
  }

  /** Get a user. Of your tenant. */
  get(id: string, options?: CallOptions): Promise<User> {
    return this.#transport.json<User>({ method: 'GET', path: path`/v1/users/${id}`, repeatable: 'always' }, options)
  }

  /**
   * Update a user. Changes the given fields; null removes the name. With another role, or disabled, the user loses
   * all sessions within a second. The last operator who can sign in stays one. The role of somebody who signs in
   * with the identity provider is changed there.
   */
  change(id: string, body: UpdateUserRequest, options?: CallOptions): Promise<User> {
    return this.#transport.json<User>({ method: 'PATCH', path: path`/v1/users/${id}`, body, repeatable: 'never' }, options)
  }

  /** Delete a user. All sessions end within a second. The last operator who can sign in cannot be deleted. */
  remove(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ method: 'DELETE', path: path`/v1/users/${id}`, repeatable: 'always' }, options)
  }

  /**
   * Invite a user again. A new link to set a password, also for somebody who has lost it. Earlier links stop
   * working; the password stays until it is replaced.
   */
  invite(id: string, options?: CallOptions): Promise<InvitedUser> {
    return this.#transport.json<InvitedUser>({ method: 'POST', path: path`/v1/users/${id}/invitation`, repeatable: 'never' }, options)
  }
}

export class DeadLettersCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Replay a dead letter. Starts a new cycle with all its attempts, and counts against the limits like a send. */
  replay(id: string, query?: ReplayDeadLetterQuery, options?: CallOptions): Promise<ResentMessage> {
    return this.#transport.json<ResentMessage>({ method: 'POST', path: path`/v1/dead-letters/${id}/replay`, query, repeatable: 'never' }, options)
  }

  /**
   * List dead letters. Messages that failed after their last attempt, newest first, with the filters of
   * `/v1/messages`, whose pages they share.
   */
  list(query?: ListDeadLettersQuery, options?: CallOptions): Pages<Message, MessagePage> {
    return this.#transport.pages<Message, MessagePage>({ method: 'GET', path: path`/v1/dead-letters`, query, repeatable: 'always' }, options)
  }

  /**
   * Replay all matching dead letters. Processes at most 10000 messages per call; pass `next_cursor` to continue.
   * Each message counts against the limits like a send. A message that a limit refuses is counted in
   * `rate_limited`, and the others are still replayed. Messages with an unknown outcome may have arrived: they are
   * replayed only with `"unknown": true` in the filter.
   */
  replayMany(body: ReplayDeadLettersRequest, query?: ReplayDeadLettersQuery, options?: CallOptions): Promise<DeadLetterReplay> {
    return this.#transport.json<DeadLetterReplay>({ method: 'POST', path: path`/v1/dead-letters/replay`, query, body, repeatable: 'never' }, options)
  }
}

export class DomainsCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** List domains. The domains of your tenant, by name. */
  list(options?: CallOptions): Pages<Domain, DomainList> {
    return this.#transport.pages<Domain, DomainList>({ method: 'GET', path: path`/v1/domains`, repeatable: 'always' }, options)
  }

  /**
   * Add a domain. Creates the two DNS records to publish: one proves that the domain is yours, and one contains
   * the public key of a new DKIM key. Then verify the domain.
   */
  add(body: CreateDomainRequest, options?: CallOptions): Promise<Domain> {
    return this.#transport.json<Domain>({ method: 'POST', path: path`/v1/domains`, body, repeatable: 'never' }, options)
  }

  /** Get a domain. Shows the DNS records to publish, and what the last check found. */
  get(domain: string, options?: CallOptions): Promise<Domain> {
    return this.#transport.json<Domain>({ method: 'GET', path: path`/v1/domains/${domain}`, repeatable: 'always' }, options)
  }

  /** Delete a domain. Destroys its DKIM key, and releases the domain for others. */
  remove(domain: string, options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ method: 'DELETE', path: path`/v1/domains/${domain}`, repeatable: 'always' }, options)
  }

  /**
   * Verify a domain. Looks the records up in the DNS. If the proof of ownership is there, only you may send email
   * from the domain and its subdomains. Email that goes out by SMTP is signed with its DKIM key, once that record
   * is there too. Call it again to check again: a domain whose proof is gone is no longer verified. While the DNS
   * gives no answer, the call gets 503 and nothing changes. A domain that another tenant has verified gets 409.
   */
  verify(domain: string, options?: CallOptions): Promise<Domain> {
    return this.#transport.json<Domain>({ method: 'POST', path: path`/v1/domains/${domain}/verify`, repeatable: 'never' }, options)
  }
}

export class EmailCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Send an email. Responds once the message is stored durably. The html is checked for scripts before it is sent.
   * For 48 hours, the same idempotency key with the same payload returns the first response, with the header
   * `Idempotent-Replayed: true`.
   */
  send(body: SendEmailRequest, options?: CallOptions): Promise<SendAccepted> {
    return this.#transport.json<SendAccepted>({ method: 'POST', path: path`/v1/email/send`, body, repeatable: 'with-key' }, options)
  }

  /**
   * Get the status of an email. The latest state of the message, and its newest events. Earlier ones come with
   * `events_cursor`.
   */
  get(requestId: string, query?: GetEmailQuery, options?: CallOptions): Promise<MessageWithEvents> {
    return this.#transport.json<MessageWithEvents>({ method: 'GET', path: path`/v1/email/${requestId}`, query, repeatable: 'always' }, options)
  }

  /**
   * List email logs. Newest first. The search index may lag a moment behind; each item still shows the latest
   * state.
   */
  listLogs(query?: ListEmailLogsQuery, options?: CallOptions): Pages<EmailLog, EmailLogPage> {
    return this.#transport.pages<EmailLog, EmailLogPage>({ method: 'GET', path: path`/v1/email/logs`, query, repeatable: 'always' }, options)
  }

  /**
   * List the pipeline events of an email. The states of the email, oldest first, with the duration of the state
   * before; the newest part, unless `cursor` asks for an earlier one.
   */
  listEvents(requestId: string, query?: ListEmailEventsQuery, options?: CallOptions): Pages<EmailEvent, EmailEventPage> {
    return this.#transport.pages<EmailEvent, EmailEventPage>({ method: 'GET', path: path`/v1/email/${requestId}/events`, query, repeatable: 'always' }, options)
  }
}

export class EndpointsCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** List endpoints. The endpoints of your account, oldest first. */
  list(options?: CallOptions): Pages<Endpoint, EndpointList> {
    return this.#transport.pages<Endpoint, EndpointList>({ method: 'GET', path: path`/v1/endpoints`, repeatable: 'always' }, options)
  }

  /**
   * Create an endpoint. From now on, Pombo POSTs every status change of every message of your account and the
   * alerts of your tenant to the URL. Events whose names begin with `tenant.`, `provider.` or `dead_letters.` are
   * about the installation: they need the scope `operator`. Webhooks follow the Standard Webhooks specification
   * and are signed with the `secret` of this response.
   */
  add(body: CreateEndpointRequest, options?: CallOptions): Promise<CreatedEndpoint> {
    return this.#transport.json<CreatedEndpoint>({ method: 'POST', path: path`/v1/endpoints`, body, repeatable: 'never' }, options)
  }

  /** Get an endpoint. Shows whether it is enabled, and since when it has been failing. */
  get(id: string, options?: CallOptions): Promise<Endpoint> {
    return this.#transport.json<Endpoint>({ method: 'GET', path: path`/v1/endpoints/${id}`, repeatable: 'always' }, options)
  }

  /**
   * Update an endpoint. Changes the given fields; null removes a field. A disabled endpoint gets no webhooks; when
   * it is enabled again it gets those it has missed.
   */
  change(id: string, body: UpdateEndpointRequest, options?: CallOptions): Promise<Endpoint> {
    return this.#transport.json<Endpoint>({ method: 'PATCH', path: path`/v1/endpoints/${id}`, body, repeatable: 'never' }, options)
  }

  /** Delete an endpoint. Stops its webhooks and deletes its delivery history. */
  remove(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ method: 'DELETE', path: path`/v1/endpoints/${id}`, repeatable: 'always' }, options)
  }

  /** Get the secret of an endpoint. Includes the previous secret while it still signs. */
  getSecret(id: string, options?: CallOptions): Promise<EndpointSecrets> {
    return this.#transport.json<EndpointSecrets>({ method: 'GET', path: path`/v1/endpoints/${id}/secret`, repeatable: 'always' }, options)
  }

  /**
   * Rotate the secret of an endpoint. The new secret signs from now on. The current one also signs for the
   * overlap, so that you can deploy the new one; an even older one stops at once.
   */
  rotateSecret(id: string, body: RotateEndpointSecretRequest, options?: CallOptions): Promise<EndpointSecrets> {
    return this.#transport.json<EndpointSecrets>({ method: 'POST', path: path`/v1/endpoints/${id}/rotate`, body, repeatable: 'never' }, options)
  }

  /**
   * List webhook deliveries. One webhook delivery per message or alert, last changed first. Deliveries are kept
   * for seven days after their last change.
   */
  listDeliveries(id: string, query?: ListWebhookDeliveriesQuery, options?: CallOptions): Pages<WebhookDelivery, WebhookDeliveryPage> {
    return this.#transport.pages<WebhookDelivery, WebhookDeliveryPage>({ method: 'GET', path: path`/v1/endpoints/${id}/deliveries`, query, repeatable: 'always' }, options)
  }

  /**
   * Replay webhook deliveries. Delivers the events of one message, an alert, or all events and alerts since a
   * time, again. Every call keeps its original `webhook-id`. A disabled endpoint gets them when it is enabled
   * again.
   */
  replayDeliveries(id: string, body: ReplayWebhookDeliveriesRequest, options?: CallOptions): Promise<WebhookDeliveryReplay> {
    return this.#transport.json<WebhookDeliveryReplay>({ method: 'POST', path: path`/v1/endpoints/${id}/replay`, body, repeatable: 'never' }, options)
  }

  /**
   * List webhook attempts. Each call of the endpoint, newest first: those of one delivery with `message_id` or
   * `alert_id`. The newest 10 of each delivery and the newest 10 test events are kept for seven days. An attempt
   * is listed up to a second after it has ended.
   */
  listAttempts(id: string, query?: ListWebhookAttemptsQuery, options?: CallOptions): Pages<WebhookAttempt, WebhookAttemptPage> {
    return this.#transport.pages<WebhookAttempt, WebhookAttemptPage>({ method: 'GET', path: path`/v1/endpoints/${id}/attempts`, query, repeatable: 'always' }, options)
  }

  /**
   * Get a webhook attempt. What was sent and what the server answered: headers and the first 4 KB of both bodies.
   * Erasing a message deletes its attempts.
   */
  getAttempt(id: string, attempt: string, options?: CallOptions): Promise<WebhookAttemptDetails> {
    return this.#transport.json<WebhookAttemptDetails>({ method: 'GET', path: path`/v1/endpoints/${id}/attempts/${attempt}`, repeatable: 'always' }, options)
  }

  /**
   * Send a test event. Posts a signed example of the event to the endpoint at once, also if it is disabled, waits
   * up to 15 seconds for the response, and shows it. Its `webhook-id` begins with `test_`. It is not retried, and
   * does not count for the health of the endpoint. A tenant may send 5 at once and 1 a second.
   */
  test(id: string, body: TestEndpointRequest, options?: CallOptions): Promise<WebhookAttemptDetails> {
    return this.#transport.json<WebhookAttemptDetails>({ method: 'POST', path: path`/v1/endpoints/${id}/test`, body, repeatable: 'never' }, options)
  }
}

export class ErasuresCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Erase everything sent to a recipient. Starts an erasure of every message to the recipient that was accepted
   * before this call, including emails they got as a copy. If an erasure for the recipient is already running,
   * returns that one: it covers messages accepted before its `requested_at`, so to cover later ones call again
   * after it is completed. The same `Idempotency-Key` always returns the same erasure.
   */
  create(body: CreateErasureRequest, options?: CallOptions): Promise<Erasure> {
    return this.#transport.json<Erasure>({ method: 'POST', path: path`/v1/erasures`, body, repeatable: 'with-key' }, options)
  }

  /** List erasures. Newest first. */
  list(query?: ListErasuresQuery, options?: CallOptions): Pages<Erasure, ErasurePage> {
    return this.#transport.pages<Erasure, ErasurePage>({ method: 'GET', path: path`/v1/erasures`, query, repeatable: 'always' }, options)
  }

  /**
   * Get the public key that verifies receipts. An Ed25519 key, derived from the master key. Publish it so that
   * others can verify your receipts.
   */
  getPublicKey(options?: CallOptions): Promise<ErasurePublicKey> {
    return this.#transport.json<ErasurePublicKey>({ method: 'GET', path: path`/v1/erasures/public-key`, repeatable: 'always' }, options)
  }

  /** Verify an erasure receipt. Checks the signature and, with `to`, whether the receipt is for that recipient. */
  verifyReceipt(body: VerifyErasureReceiptRequest, options?: CallOptions): Promise<ErasureReceiptVerification> {
    return this.#transport.json<ErasureReceiptVerification>({ method: 'POST', path: path`/v1/erasures/verify`, body, repeatable: 'always' }, options)
  }

  /**
   * Get an erasure and its receipt. The receipt lists what was erased, what failed, which stores were cleaned, and
   * what remains until when.
   */
  get(id: string, options?: CallOptions): Promise<Erasure> {
    return this.#transport.json<Erasure>({ method: 'GET', path: path`/v1/erasures/${id}`, repeatable: 'always' }, options)
  }
}

export class LimitsCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** List limits. Those of the tenant and those that operators have set for it, sorted by scope and key. */
  list(query?: ListLimitsQuery, options?: CallOptions): Pages<Limit, LimitPage> {
    return this.#transport.pages<Limit, LimitPage>({ method: 'GET', path: path`/v1/limits`, query, repeatable: 'always' }, options)
  }

  /** Get a limit and its current use. Only the limit of exactly this key, not the default. */
  get(scope: LimitScope, key: string, query?: GetLimitQuery, options?: CallOptions): Promise<Limit> {
    return this.#transport.json<Limit>({ method: 'GET', path: path`/v1/limits/${scope}/${key}`, query, repeatable: 'always' }, options)
  }

  /**
   * Set a limit. Creates or replaces a limit, and resets its count. The first `fixed` window starts now, and each
   * other one with the first message after the previous one ended. With `sliding`, no period of that length ever
   * contains more messages than the limit. What a caller with the scope `operator` sets is a limit of the
   * operator: a tenant may set a lower one beside it, and never raise or delete it.
   */
  set(scope: LimitScope, key: string, body: SetLimitRequest, query?: SetLimitQuery, options?: CallOptions): Promise<Limit> {
    return this.#transport.json<Limit>({ method: 'PUT', path: path`/v1/limits/${scope}/${key}`, query, body, repeatable: 'always' }, options)
  }

  /**
   * Delete a limit. The default limit of the scope (`*`) then applies, if there is one. Deleting the tenant's own
   * limit restores that of the operator, which only an operator may delete.
   */
  remove(scope: LimitScope, key: string, query?: RemoveLimitQuery, options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ method: 'DELETE', path: path`/v1/limits/${scope}/${key}`, query, repeatable: 'always' }, options)
  }
}

export class MessagesCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Send up to 1,000 messages. Each item is accepted or refused on its own; the results have the order of the
   * items. An item is an SMS unless its `channel` is `email`. An item that repeats an earlier one stays in the
   * batch of its first call.
   */
  sendBatch(body: SendBatchRequest, options?: CallOptions): Promise<SendBatchResult> {
    return this.#transport.json<SendBatchResult>({ method: 'POST', path: path`/v1/messages/batch`, body, repeatable: 'always' }, options)
  }

  /**
   * Check a message before it is sent. Takes an item of `POST /v1/messages/batch`, or with `kind` `otp` the body
   * of `POST /v1/otp/generate`, and says what the send would answer now and what would become of the message. It
   * sends, stores and counts nothing, and reserves no idempotency key: without one, everything else is checked.
   * The scopes are those of the send.
   */
  preflight(body: PreflightRequest, options?: CallOptions): Promise<PreflightReport> {
    return this.#transport.json<PreflightReport>({ method: 'POST', path: path`/v1/preflight`, body, repeatable: 'always' }, options)
  }

  /**
   * List messages. Newest first. The search index may lag a moment behind; each item still shows the latest state.
   * A page may end before `limit` so that it does not get too long: continue until `next_cursor` is null.
   */
  list(query?: ListMessagesQuery, options?: CallOptions): Pages<Message, MessagePage> {
    return this.#transport.pages<Message, MessagePage>({ method: 'GET', path: path`/v1/messages`, query, repeatable: 'always' }, options)
  }

  /**
   * Get a message. The latest state and details of the message, and its newest events. Earlier ones come with
   * `events_cursor`.
   */
  get(id: string, query?: GetMessageQuery, options?: CallOptions): Promise<MessageDetails> {
    return this.#transport.json<MessageDetails>({ method: 'GET', path: path`/v1/messages/${id}`, query, repeatable: 'always' }, options)
  }

  /**
   * Erase the content and recipient of a message. Destroys the encryption key of the message, so that its content
   * cannot be read from any store. States and times remain. Works also for messages that the log has dropped by
   * age.
   */
  erase(id: string, options?: CallOptions): Promise<ErasedMessage> {
    return this.#transport.json<ErasedMessage>({ method: 'POST', path: path`/v1/messages/${id}/erase`, repeatable: 'never' }, options)
  }

  /**
   * Explain a message. Why the message stands where it stands, what is next and when, and what a person can do: in
   * sentences, and as the data that they were made from. It names no recipient and quotes no text. The id of a
   * one-time code is that of its message, so it works for codes, too.
   */
  explain(id: string, options?: CallOptions): Promise<MessageExplanation> {
    return this.#transport.json<MessageExplanation>({ method: 'GET', path: path`/v1/messages/${id}/explain`, repeatable: 'always' }, options)
  }

  /**
   * Export the messages of a day. Every message that was created on that day, newest first: a line of JSON with
   * the fields of `GET /v1/messages/{id}` and all its events. With `with_content` also its `content`, as at `GET
   * /v1/messages/{id}/content`: that needs the scope `content:read`, is recorded in the audit log, and is null for
   * one-time codes and after erasure. A connection that ends before the last chunk means that the export is
   * incomplete.
   */
  export(query: ExportMessagesQuery, options?: CallOptions): AsyncIterable<string> {
    return this.#transport.lines({ method: 'GET', path: path`/v1/messages/export`, query, repeatable: 'always' }, options)
  }

  /**
   * Resend a message. Starts a new cycle, and counts against the limits like a send. Refused while the message is
   * in flight, after its `expires_at`, and after erasure.
   */
  resend(id: string, query?: ResendMessageQuery, options?: CallOptions): Promise<ResentMessage> {
    return this.#transport.json<ResentMessage>({ method: 'POST', path: path`/v1/messages/${id}/resend`, query, repeatable: 'never' }, options)
  }

  /**
   * Resolve a message with an unknown outcome. For a message with `unknown: true`: an operator decides whether the
   * provider has its latest attempt. Refused for any other message, also if a delivery report arrives first. The
   * timeline records the account that resolved it.
   */
  resolve(id: string, body: ResolveMessageRequest, options?: CallOptions): Promise<ResolvedMessage> {
    return this.#transport.json<ResolvedMessage>({ method: 'POST', path: path`/v1/messages/${id}/resolve`, body, repeatable: 'never' }, options)
  }

  /**
   * Get the content of a message. Needs the scope `content:read`; every access is recorded in the audit log. Not
   * available for one-time codes or after erasure. The `html` of an email is what the caller wrote: display it
   * only in a sandbox.
   */
  getContent(id: string, options?: CallOptions): Promise<MessageContent> {
    return this.#transport.json<MessageContent>({ method: 'GET', path: path`/v1/messages/${id}/content`, repeatable: 'always' }, options)
  }

  /**
   * List the webhook deliveries of a message. One webhook delivery per endpoint, and one for the `callback_url` of
   * the message if it has one.
   */
  listWebhookDeliveries(id: string, options?: CallOptions): Pages<WebhookDelivery, WebhookDeliveryList> {
    return this.#transport.pages<WebhookDelivery, WebhookDeliveryList>({ method: 'GET', path: path`/v1/messages/${id}/webhook-deliveries`, repeatable: 'always' }, options)
  }
}

export class OperationsCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Get the queue depth. By lane. Operators get that of all tenants together, everybody else that of their own
   * tenant.
   */
  getQueue(options?: CallOptions): Promise<QueueDepth> {
    return this.#transport.json<QueueDepth>({ method: 'GET', path: path`/v1/queue`, repeatable: 'always' }, options)
  }

  /** Check liveness. Responds as long as the process runs. */
  getLiveness(options?: CallOptions): Promise<Liveness> {
    return this.#transport.json<Liveness>({ method: 'GET', path: path`/health/live`, repeatable: 'always' }, options)
  }

  /**
   * Check readiness. Reports the state of each dependency. Needs no token; with one of the scope `operator` it
   * says what is wrong.
   */
  getReadiness(options?: CallOptions): Promise<Readiness> {
    return this.#transport.json<Readiness>({ method: 'GET', path: path`/health/ready`, repeatable: 'always' }, options)
  }

  /** Get metrics. In the Prometheus text format. */
  getMetrics(options?: CallOptions): Promise<string> {
    return this.#transport.text({ method: 'GET', path: path`/metrics`, repeatable: 'always' }, options)
  }
}

export class OtpCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Send a one-time code. Generates a code, of six digits by default, and sends it to the recipient; the code is
   * never in a response. For 48 hours, the same idempotency key with the same payload returns the first response,
   * with the header `Idempotent-Replayed: true`. The number of codes per recipient is limited, by default to 5 in
   * 10 minutes. A recipient for whom too many wrong codes were tried, by default 10 in an hour, gets no codes
   * until the hour is over. The content of the message is erased when the challenge ends. To change the text, save
   * a template named `otp` (SMS) or `otp-email` (email) that uses `code`; it may also use `minutes` and
   * `app_name`. The code is never in the subject of an email.
   */
  generate(body: GenerateOtpRequest, options?: CallOptions): Promise<OtpChallenge> {
    return this.#transport.json<OtpChallenge>({ method: 'POST', path: path`/v1/otp/generate`, body, repeatable: 'with-key' }, options)
  }

  /**
   * Validate a one-time code. Every comparison counts as an attempt. What cannot be the code, because of its
   * length or its characters, is refused with 400 and does not count. A challenge can be verified once. Too many
   * wrong codes for one recipient, over all its challenges, lock it out: by default 10 in an hour. Keep
   * `challenge_id` in the session on your server, and give `to` if you know the recipient: then a code proves
   * nothing about another one. Wrong codes are limited to 100 a second for a tenant and 20 a second for each
   * address that it calls from. Right codes are not limited, and each makes room for two wrong ones.
   */
  validate(body: ValidateOtpRequest, options?: CallOptions): Promise<OtpValidation> {
    return this.#transport.json<OtpValidation>({ method: 'POST', path: path`/v1/otp/validate`, body, repeatable: 'never' }, options)
  }

  /**
   * Get the status of a one-time code. Whether the code can still be validated, and how far its message has come.
   * A challenge can be looked up for seven days after it has ended.
   */
  getChallenge(challengeId: string, options?: CallOptions): Promise<OtpChallengeState> {
    return this.#transport.json<OtpChallengeState>({ method: 'GET', path: path`/v1/otp/${challengeId}`, repeatable: 'always' }, options)
  }

  /**
   * Send a one-time code again. Sends the same code again, in the same message, along its route. Attempts and
   * expiry stay as they are. It counts like a new code of the recipient. Refused with 409 while the message is in
   * flight, and after the challenge has ended.
   */
  resend(challengeId: string, options?: CallOptions): Promise<OtpChallengeState> {
    return this.#transport.json<OtpChallengeState>({ method: 'POST', path: path`/v1/otp/${challengeId}/resend`, repeatable: 'never' }, options)
  }

  /**
   * Cancel a one-time code. No code verifies afterwards, and the content of the message is erased. A message that
   * is still queued by then is not sent. Canceling again changes nothing; a challenge that has ended otherwise
   * cannot be canceled.
   */
  cancelChallenge(challengeId: string, options?: CallOptions): Promise<OtpChallengeState> {
    return this.#transport.json<OtpChallengeState>({ method: 'POST', path: path`/v1/otp/${challengeId}/cancel`, repeatable: 'never' }, options)
  }
}

export class ProvidersCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List providers. Every configured provider that the tenant may use, and for operators all, with its
   * capabilities, recent results and circuit breaker. While the breaker is open, messages use the next provider of
   * their route, or wait until `retry_at`.
   */
  list(options?: CallOptions): Pages<Provider, ProviderList> {
    return this.#transport.pages<Provider, ProviderList>({ method: 'GET', path: path`/v1/providers`, repeatable: 'always' }, options)
  }

  /**
   * Trip or reset the circuit breaker of a provider. Applies to all workers and all tenants, so it needs the scope
   * `operator`. `trip` opens the breaker: messages use the next provider of their route, or wait, and after the
   * pause one trial call is made. A restart does not end the pause. `reset` closes it and clears the failure
   * count; waiting messages are released within a second.
   */
  setBreaker(name: string, body: SetProviderBreakerRequest, options?: CallOptions): Promise<CircuitBreaker> {
    return this.#transport.json<CircuitBreaker>({ method: 'POST', path: path`/v1/providers/${name}/breaker`, body, repeatable: 'never' }, options)
  }
}

export class RecipientsCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** List recipients. Newest first. */
  list(query?: ListRecipientsQuery, options?: CallOptions): Pages<Recipient, RecipientPage> {
    return this.#transport.pages<Recipient, RecipientPage>({ method: 'GET', path: path`/v1/recipients`, query, repeatable: 'always' }, options)
  }

  /** Create a recipient. Messages can then refer to it by `recipient_id` or `recipient_external_id`. */
  add(body: CreateRecipientRequest, options?: CallOptions): Promise<Recipient> {
    return this.#transport.json<Recipient>({ method: 'POST', path: path`/v1/recipients`, body, repeatable: 'never' }, options)
  }

  /** Get a recipient. Not masked. */
  get(id: string, options?: CallOptions): Promise<Recipient> {
    return this.#transport.json<Recipient>({ method: 'GET', path: path`/v1/recipients/${id}`, repeatable: 'always' }, options)
  }

  /**
   * Update a recipient. Changes the given fields; null removes a field. Messages accepted before keep their
   * address.
   */
  change(id: string, body: UpdateRecipientRequest, options?: CallOptions): Promise<Recipient> {
    return this.#transport.json<Recipient>({ method: 'PATCH', path: path`/v1/recipients/${id}`, body, repeatable: 'never' }, options)
  }

  /**
   * Delete a recipient. Deletes name, addresses and locale. Messages that refer to the recipient and are not sent
   * yet fail with `RECIPIENT_NOT_FOUND`. The external id can be reused.
   */
  remove(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ method: 'DELETE', path: path`/v1/recipients/${id}`, repeatable: 'always' }, options)
  }
}

export class RoutesCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List routes. Your own routes, oldest first, then those of the operator's file. Of the routes that match a
   * message, the one with the longest prefix is used, then the one with the most conditions (being your own counts
   * as one), then the first in this list.
   */
  list(options?: CallOptions): Pages<Route, RouteList> {
    return this.#transport.pages<Route, RouteList>({ method: 'GET', path: path`/v1/routes`, repeatable: 'always' }, options)
  }

  /** Create a route. Applies to your own messages only, starting with the next one. */
  add(body: CreateRouteRequest, options?: CallOptions): Promise<Route> {
    return this.#transport.json<Route>({ method: 'POST', path: path`/v1/routes`, body, repeatable: 'never' }, options)
  }

  /** Get a route. Your own, or one of the operator's file. */
  get(id: string, options?: CallOptions): Promise<Route> {
    return this.#transport.json<Route>({ method: 'GET', path: path`/v1/routes/${id}`, repeatable: 'always' }, options)
  }

  /**
   * Update a route. Changes the given fields; null removes a field. Applies from the next attempt on, also to
   * messages already on this route. Routes of the operator's file cannot be changed.
   */
  change(id: string, body: UpdateRouteRequest, options?: CallOptions): Promise<Route> {
    return this.#transport.json<Route>({ method: 'PATCH', path: path`/v1/routes/${id}`, body, repeatable: 'never' }, options)
  }

  /** Delete a route. Messages then use the next route that matches. Messages with an unknown outcome are held. */
  remove(id: string, options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ method: 'DELETE', path: path`/v1/routes/${id}`, repeatable: 'always' }, options)
  }

  /**
   * Resolve the route of a message. Returns the route and provider that a message would use now, and why others
   * are not used. Nothing is sent or counted. `provider` is null if no route matches or none of its providers is
   * available.
   */
  resolve(body: ResolveRouteRequest, options?: CallOptions): Promise<RouteResolution> {
    return this.#transport.json<RouteResolution>({ method: 'POST', path: path`/v1/routes/resolve`, body, repeatable: 'always' }, options)
  }
}

export class SessionsCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Get the session. Who is calling, by whatever credentials, and how people can sign in. Without credentials, or
   * with a session that has ended, `signed_in` is false.
   */
  get(options?: CallOptions): Promise<Session> {
    return this.#transport.json<Session>({ method: 'GET', path: path`/v1/session`, repeatable: 'always' }, options)
  }

  /**
   * Sign in. With email address and password, for the console. Sets a cookie; the session of an earlier cookie
   * ends. After several failures for an address or from a client, further attempts have to wait.
   */
  signIn(body: SignInRequest, options?: CallOptions): Promise<Session> {
    return this.#transport.json<Session>({ method: 'POST', path: path`/v1/session`, body, repeatable: 'never' }, options)
  }

  /** Sign out. Ends the session of the cookie. Without one, does nothing. */
  signOut(options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ method: 'DELETE', path: path`/v1/session`, repeatable: 'always' }, options)
  }

  /**
   * Change your password. For somebody who is signed in with a password. All sessions of the user end, and a new
   * one begins.
   */
  changePassword(body: ChangePasswordRequest, options?: CallOptions): Promise<Session> {
    return this.#transport.json<Session>({ method: 'POST', path: path`/v1/session/password`, body, repeatable: 'never' }, options)
  }

  /** Get an invitation. Whom a link invites, and until when. Does not use the invitation. */
  getInvitation(body: GetInvitationRequest, options?: CallOptions): Promise<Invitation> {
    return this.#transport.json<Invitation>({ method: 'POST', path: path`/v1/session/invitation`, body, repeatable: 'never' }, options)
  }

  /**
   * Accept an invitation. Sets the password of the invited user and signs in. All earlier sessions of the user
   * end.
   */
  acceptInvitation(body: AcceptInvitationRequest, options?: CallOptions): Promise<Session> {
    return this.#transport.json<Session>({ method: 'POST', path: path`/v1/session/accept-invitation`, body, repeatable: 'never' }, options)
  }
}

export class SimulatorCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List the simulator inbox. What simulated phones and mailboxes received. Recipients and texts are not masked.
   * Needs the scope `content:read`; in test mode `messages:read` suffices.
   */
  listInbox(query?: ListSimulatorInboxQuery, options?: CallOptions): Pages<SimulatorMessage, SimulatorInbox> {
    return this.#transport.pages<SimulatorMessage, SimulatorInbox>({ method: 'GET', path: path`/v1/simulator/inbox`, query, repeatable: 'always' }, options)
  }

  /**
   * Get an email in the simulator inbox. All its fields, including `bcc`. Needs the scope `content:read`; in test
   * mode `messages:read` suffices.
   */
  getMail(attemptId: string, options?: CallOptions): Promise<SimulatorMail> {
    return this.#transport.json<SimulatorMail>({ method: 'GET', path: path`/v1/simulator/mails/${attemptId}`, repeatable: 'always' }, options)
  }

  /**
   * Get the page of an email. Its html with inline images, under a Content-Security-Policy that blocks scripts and
   * external content. Needs the scope `content:read`; in test mode `messages:read` suffices.
   */
  getMailPage(attemptId: string, options?: CallOptions): Promise<string> {
    return this.#transport.text({ method: 'GET', path: path`/v1/simulator/mails/${attemptId}/html`, repeatable: 'always' }, options)
  }

  /**
   * Get the source of an email. In RFC 5322 format, as the mailbox received it. Needs the scope `content:read`; in
   * test mode `messages:read` suffices.
   */
  getMailSource(attemptId: string, options?: CallOptions): Promise<string> {
    return this.#transport.text({ method: 'GET', path: path`/v1/simulator/mails/${attemptId}/raw`, repeatable: 'always' }, options)
  }

  /**
   * Download an attachment. Sent as a download, never for display. Needs the scope `content:read`; in test mode
   * `messages:read` suffices.
   */
  getMailAttachment(attemptId: string, n: number, options?: CallOptions): Promise<Uint8Array> {
    return this.#transport.bytes({ method: 'GET', path: path`/v1/simulator/mails/${attemptId}/attachments/${n}`, repeatable: 'always' }, options)
  }
}

export class SmsCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Send an SMS. Responds once the message is stored durably. For 48 hours, the same idempotency key with the same
   * payload returns the first response, with the header `Idempotent-Replayed: true`.
   */
  send(body: SendSmsRequest, options?: CallOptions): Promise<SendSmsAccepted> {
    return this.#transport.json<SendSmsAccepted>({ method: 'POST', path: path`/v1/sms/send`, body, repeatable: 'with-key' }, options)
  }

  /**
   * Get the status of an SMS. The latest state of the message, and its newest events. Earlier ones come with
   * `events_cursor`.
   */
  get(requestId: string, query?: GetSmsQuery, options?: CallOptions): Promise<MessageWithEvents> {
    return this.#transport.json<MessageWithEvents>({ method: 'GET', path: path`/v1/sms/${requestId}`, query, repeatable: 'always' }, options)
  }
}

export class StatsCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Get message statistics. Counts and latencies by creation time, channel and provider. Defaults to the last 24
   * hours in buckets of an hour. `rate_limited` are the calls that rate limits refused, counted by minute and a
   * few seconds behind.
   */
  get(query?: GetStatsQuery, options?: CallOptions): Promise<Stats> {
    return this.#transport.json<Stats>({ method: 'GET', path: path`/v1/stats`, query, repeatable: 'always' }, options)
  }

  /**
   * Count messages by error. Counts messages by channel, provider and latest error code, most frequent first, at
   * most 200 items. Messages that recovered from an error are not counted.
   */
  listErrors(query?: GetErrorStatsQuery, options?: CallOptions): Pages<ErrorCount, ErrorCountList> {
    return this.#transport.pages<ErrorCount, ErrorCountList>({ method: 'GET', path: path`/v1/stats/errors`, query, repeatable: 'always' }, options)
  }
}

export class SuppressionsCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** List suppressions. Newest first. */
  list(query?: ListSuppressionsQuery, options?: CallOptions): Pages<Suppression, SuppressionPage> {
    return this.#transport.pages<Suppression, SuppressionPage>({ method: 'GET', path: path`/v1/suppressions`, query, repeatable: 'always' }, options)
  }

  /**
   * Import up to 1,000 suppressions. Adds all addresses, or none if one is invalid. Replaces existing entries;
   * safe to retry.
   */
  import(body: ImportSuppressionsRequest, options?: CallOptions): Promise<SuppressionImport> {
    return this.#transport.json<SuppressionImport>({ method: 'POST', path: path`/v1/suppressions`, body, repeatable: 'never' }, options)
  }

  /** Get a suppression. Expired suppressions are not found. */
  get(address: string, options?: CallOptions): Promise<Suppression> {
    return this.#transport.json<Suppression>({ method: 'GET', path: path`/v1/suppressions/${address}`, repeatable: 'always' }, options)
  }

  /**
   * Suppress an address. Replaces an existing entry. The body may be `{}`. Emails to the address that are not sent
   * yet fail.
   */
  put(address: string, body: PutSuppressionRequest, options?: CallOptions): Promise<Suppression> {
    return this.#transport.json<Suppression>({ method: 'PUT', path: path`/v1/suppressions/${address}`, body, repeatable: 'always' }, options)
  }

  /** Delete a suppression. The address can get email again. Another hard bounce or complaint suppresses it again. */
  remove(address: string, options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ method: 'DELETE', path: path`/v1/suppressions/${address}`, repeatable: 'always' }, options)
  }
}

export class TemplatesCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** List templates. The newest version of each template, sorted by name and locale, without its texts. */
  list(query?: ListTemplatesQuery, options?: CallOptions): Pages<TemplateSummary, TemplateSummaryPage> {
    return this.#transport.pages<TemplateSummary, TemplateSummaryPage>({ method: 'GET', path: path`/v1/templates`, query, repeatable: 'always' }, options)
  }

  /**
   * Save a template. Creates the first or the next version of a template in a locale, by default in the default
   * locale. Texts are Liquid templates. Liquid errors and html with scripts are refused, with line and column.
   * Templates for email need a subject and html; only `otp-email` needs no subject.
   */
  add(body: CreateTemplateRequest, options?: CallOptions): Promise<Template> {
    return this.#transport.json<Template>({ method: 'POST', path: path`/v1/templates`, body, repeatable: 'never' }, options)
  }

  /**
   * Get a template. The newest version in each of its locales, with its texts. Where they are long, a page has
   * fewer locales: continue until `next_cursor` is null.
   */
  listLocales(name: string, query?: GetTemplateQuery, options?: CallOptions): Pages<Template, TemplatePage> {
    return this.#transport.pages<Template, TemplatePage>({ method: 'GET', path: path`/v1/templates/${name}`, query, repeatable: 'always' }, options)
  }

  /** Update a template. Creates the next version in one locale with the given texts; null removes an optional text. */
  change(name: string, body: UpdateTemplateRequest, options?: CallOptions): Promise<Template> {
    return this.#transport.json<Template>({ method: 'PATCH', path: path`/v1/templates/${name}`, body, repeatable: 'never' }, options)
  }

  /** Delete a template. All versions, in one locale or in all. */
  remove(name: string, query?: RemoveTemplateQuery, options?: CallOptions): Promise<void> {
    return this.#transport.nothing({ method: 'DELETE', path: path`/v1/templates/${name}`, query, repeatable: 'always' }, options)
  }

  /** List the versions of a template. In one locale, newest first, without their texts. */
  listVersions(name: string, query?: ListTemplateVersionsQuery, options?: CallOptions): Pages<TemplateSummary, TemplateSummaryPage> {
    return this.#transport.pages<TemplateSummary, TemplateSummaryPage>({ method: 'GET', path: path`/v1/templates/${name}/versions`, query, repeatable: 'always' }, options)
  }

  /** Get a version of a template. In one locale, with its texts. */
  getVersion(name: string, version: string, query?: GetTemplateVersionQuery, options?: CallOptions): Promise<Template> {
    return this.#transport.json<Template>({ method: 'GET', path: path`/v1/templates/${name}/versions/${version}`, query, repeatable: 'always' }, options)
  }

  /**
   * Preview a template. Renders a saved template (`name`) or a draft (`text`, `subject` and `html`). Nothing is
   * sent. Missing variables are refused, as in a send. A tenant may preview 10 templates a second, and 30 at once.
   */
  preview(body: PreviewTemplateRequest, options?: CallOptions): Promise<TemplatePreview> {
    return this.#transport.json<TemplatePreview>({ method: 'POST', path: path`/v1/templates/preview`, body, repeatable: 'always' }, options)
  }
}

export class TenantsCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Get the quotas of a tenant. How much a tenant may set up, have waiting and store, and how much of it is used.
   * `waiting_messages` are accepted and not handed to a provider yet. When they or `stored_bytes` reach their
   * limit, sends are refused with 507; when another quota does, additions are refused with 409.
   */
  getUsage(id: string, options?: CallOptions): Promise<TenantQuotaUsage> {
    return this.#transport.json<TenantQuotaUsage>({ method: 'GET', path: path`/v1/tenants/${id}/usage`, repeatable: 'always' }, options)
  }

  /**
   * List tenants. Those of the operator's file and those created here, sorted by id. Tenants that are not listed
   * work with the defaults of the installation, unless POMBO_TENANTS is `known`.
   */
  list(query?: ListTenantsQuery, options?: CallOptions): Pages<Tenant, TenantPage> {
    return this.#transport.pages<Tenant, TenantPage>({ method: 'GET', path: path`/v1/tenants`, query, repeatable: 'always' }, options)
  }

  /**
   * Create a tenant. Describes a tenant, whether or not it has called before. In effect in every process once it
   * responds.
   */
  add(body: CreateTenantRequest, options?: CallOptions): Promise<Tenant> {
    return this.#transport.json<Tenant>({ method: 'POST', path: path`/v1/tenants`, body, repeatable: 'never' }, options)
  }

  /** Get a tenant. One that was created here, or one of the operator's file. */
  get(id: string, options?: CallOptions): Promise<Tenant> {
    return this.#transport.json<Tenant>({ method: 'GET', path: path`/v1/tenants/${id}`, repeatable: 'always' }, options)
  }

  /**
   * Update a tenant. Changes the given fields; null removes a field. Suspending a tenant refuses its calls at
   * once, and its waiting messages become dead letters, which can be replayed once it is active again. Tenants of
   * the operator's file cannot be changed.
   */
  change(id: string, body: UpdateTenantRequest, options?: CallOptions): Promise<Tenant> {
    return this.#transport.json<Tenant>({ method: 'PATCH', path: path`/v1/tenants/${id}`, body, repeatable: 'never' }, options)
  }
}

export class UsageCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Get your quotas. How much a tenant may set up, have waiting and store, and how much of it is used.
   * `waiting_messages` are accepted and not handed to a provider yet. When they or `stored_bytes` reach their
   * limit, sends are refused with 507; when another quota does, additions are refused with 409.
   */
  getQuotas(options?: CallOptions): Promise<TenantQuotaUsage> {
    return this.#transport.json<TenantQuotaUsage>({ method: 'GET', path: path`/v1/usage/quotas`, repeatable: 'always' }, options)
  }

  /**
   * Get the usage of accounts. How many messages and segments were accepted and sent, for bills: also when the
   * messages have been erased or deleted since. Needs `messages:read`, and `admin` for other accounts than your
   * own. As CSV, the header `Link` names the next page.
   */
  list(query?: GetUsageQuery, options?: CallOptions): Pages<UsageRecord, UsagePage> {
    return this.#transport.pages<UsageRecord, UsagePage>({ method: 'GET', path: path`/v1/usage`, query, repeatable: 'always' }, options)
  }
}

export class UsersCalls {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Set the limit of a user. Replaces an existing limit and resets its count. */
  configure(body: ConfigureUserRequest, options?: CallOptions): Promise<UserLimit> {
    return this.#transport.json<UserLimit>({ method: 'POST', path: path`/api/config`, body, repeatable: 'never' }, options)
  }

  /**
   * Send an SMS to a user. Sends to the phone number of the recipient whose `external_id` is the user id. Without
   * such a recipient, sends to the simulator as `user:101`.
   */
  send(body: SendToUserRequest, options?: CallOptions): Promise<string> {
    return this.#transport.text({ method: 'POST', path: path`/api/send`, body, repeatable: 'never' }, options)
  }
}

/** Every call of the API by its resource. */
export class Resources {
  readonly apiKeys: ApiKeysCalls
  readonly auditLog: AuditLogCalls
  readonly consoleUsers: ConsoleUsersCalls
  readonly deadLetters: DeadLettersCalls
  readonly domains: DomainsCalls
  readonly email: EmailCalls
  readonly endpoints: EndpointsCalls
  readonly erasures: ErasuresCalls
  readonly limits: LimitsCalls
  readonly messages: MessagesCalls
  readonly operations: OperationsCalls
  readonly otp: OtpCalls
  readonly providers: ProvidersCalls
  readonly recipients: RecipientsCalls
  readonly routes: RoutesCalls
  readonly sessions: SessionsCalls
  readonly simulator: SimulatorCalls
  readonly sms: SmsCalls
  readonly stats: StatsCalls
  readonly suppressions: SuppressionsCalls
  readonly templates: TemplatesCalls
  readonly tenants: TenantsCalls
  readonly usage: UsageCalls
  readonly users: UsersCalls

  constructor(transport: Transport) {
    this.apiKeys = new ApiKeysCalls(transport)
    this.auditLog = new AuditLogCalls(transport)
    this.consoleUsers = new ConsoleUsersCalls(transport)
    this.deadLetters = new DeadLettersCalls(transport)
    this.domains = new DomainsCalls(transport)
    this.email = new EmailCalls(transport)
    this.endpoints = new EndpointsCalls(transport)
    this.erasures = new ErasuresCalls(transport)
    this.limits = new LimitsCalls(transport)
    this.messages = new MessagesCalls(transport)
    this.operations = new OperationsCalls(transport)
    this.otp = new OtpCalls(transport)
    this.providers = new ProvidersCalls(transport)
    this.recipients = new RecipientsCalls(transport)
    this.routes = new RoutesCalls(transport)
    this.sessions = new SessionsCalls(transport)
    this.simulator = new SimulatorCalls(transport)
    this.sms = new SmsCalls(transport)
    this.stats = new StatsCalls(transport)
    this.suppressions = new SuppressionsCalls(transport)
    this.templates = new TemplatesCalls(transport)
    this.tenants = new TenantsCalls(transport)
    this.usage = new UsageCalls(transport)
    this.users = new UsersCalls(transport)
  }
}
