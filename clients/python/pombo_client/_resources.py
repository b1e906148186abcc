"""Generated from docs/openapi.json by `npm run clients`."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Optional, Union

from ._call import NOT_GIVEN, Call, Maybe, path
from ._pages import Pages
from ._transport import Transport
from .types import (
    ApiKey,
    ApiKeyPage,
    Attachment,
    AuditEntry,
    AuditEntryPage,
    BatchItem,
    BreakerAction,
    Channel,
    CircuitBreaker,
    CreatedApiKey,
    CreatedEndpoint,
    DeadLetterReplay,
    Domain,
    DomainList,
    EmailEvent,
    EmailEventPage,
    EmailLog,
    EmailLogPage,
    EmailState,
    Endpoint,
    EndpointList,
    EndpointSecrets,
    ErasedMessage,
    Erasure,
    ErasurePage,
    ErasurePublicKey,
    ErasureReceipt,
    ErasureReceiptVerification,
    ErrorCount,
    ErrorCountList,
    ExportFormat,
    HandoffState,
    Invitation,
    InvitedUser,
    Lane,
    Limit,
    LimitAlgorithm,
    LimitOwner,
    LimitPage,
    LimitScope,
    Liveness,
    Message,
    MessageContent,
    MessageDetails,
    MessageExplanation,
    MessageFilter,
    MessagePage,
    MessageStatus,
    MessageWithEvents,
    Metadata,
    Mode,
    OtpChallenge,
    OtpChallengeState,
    OtpCodeAlphabet,
    OtpValidation,
    PreflightReport,
    PreflightRequest,
    Provider,
    ProviderList,
    ProviderState,
    QueueDepth,
    Readiness,
    ReceiptSignature,
    Recipient,
    RecipientPage,
    ResentMessage,
    Resolution,
    ResolvedMessage,
    RetrySettings,
    Role,
    RotatedApiKey,
    Route,
    RouteList,
    RouteResolution,
    Scope,
    SendAccepted,
    SendBatchResult,
    SendLane,
    SendSmsAccepted,
    Session,
    SettableSuppressionReason,
    SettableUserState,
    SimulatorInbox,
    SimulatorMail,
    SimulatorMessage,
    SmsType,
    Stats,
    Suppression,
    SuppressionImport,
    SuppressionItem,
    SuppressionPage,
    SuppressionReason,
    Template,
    TemplateData,
    TemplatePage,
    TemplatePreview,
    TemplateReference,
    TemplateSummary,
    TemplateSummaryPage,
    Tenant,
    TenantPage,
    TenantQuotaUsage,
    TenantQuotas,
    TenantState,
    UnknownOutcomeSettings,
    Unsubscribe,
    UsagePage,
    UsageRecord,
    User,
    UserLimit,
    UserList,
    WebhookAttempt,
    WebhookAttemptDetails,
    WebhookAttemptPage,
    WebhookDelivery,
    WebhookDeliveryList,
    WebhookDeliveryPage,
    WebhookDeliveryReplay,
    WebhookDeliveryState,
    WebhookEventType,
    WeightedProvider,
)


class ApiKeysCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[ApiKey, ApiKeyPage]:
        """
        List API keys. The keys of your tenant, newest first; in test mode only its test
        keys. Keys that expired or were revoked are listed for another 30 days.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/api-keys"),
                repeatable="always",
                query={"cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )

    def create(
        self,
        *,
        name: str,
        scopes: List[Scope],
        mode: Maybe[Mode] = NOT_GIVEN,
        account_id: Maybe[str] = NOT_GIVEN,
        networks: Maybe[List[str]] = NOT_GIVEN,
        expires_at: Maybe[str] = NOT_GIVEN,
        expires_in_days: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> CreatedApiKey:
        """
        Create an API key. The response contains the key, and nothing else ever will.
        Send it as `Authorization: Bearer pk_…`. Every process accepts it at once. The
        quota `api_keys` counts usable keys, those of test mode apart.
        """
        answer: CreatedApiKey = self._transport.json(
            Call(
                "POST",
                path("/v1/api-keys"),
                repeatable="never",
                body={"name": name, "scopes": scopes, "mode": mode, "account_id": account_id, "networks": networks, "expires_at": expires_at, "expires_in_days": expires_in_days},
                timeout=request_timeout,
            )
        )
        return answer

    def get(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> ApiKey:
        """Get an API key. Its settings and when it was last used, not the key itself."""
        answer: ApiKey = self._transport.json(
            Call(
                "GET",
                path("/v1/api-keys/{id}", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def revoke(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> None:
        """
        Revoke an API key. No process accepts the key after this response. It stays
        listed for 30 days.
        """
        return self._transport.nothing(
            Call(
                "DELETE",
                path("/v1/api-keys/{id}", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )

    def rotate(
        self,
        id: str,
        *,
        overlap_seconds: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> RotatedApiKey:
        """
        Rotate an API key. Creates a key with the same settings, and lets the current
        one expire after the overlap, so that you can deploy the new one. A key that was
        to expire is followed by one that lives as long.
        """
        answer: RotatedApiKey = self._transport.json(
            Call(
                "POST",
                path("/v1/api-keys/{id}/rotate", id=id),
                repeatable="never",
                body={"overlap_seconds": overlap_seconds},
                timeout=request_timeout,
            )
        )
        return answer


class AuditLogCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        tenant_id: Maybe[str] = NOT_GIVEN,
        action: Maybe[str] = NOT_GIVEN,
        actor: Maybe[str] = NOT_GIVEN,
        target: Maybe[str] = NOT_GIVEN,
        from_: Maybe[str] = NOT_GIVEN,
        to: Maybe[str] = NOT_GIVEN,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[AuditEntry, AuditEntryPage]:
        """
        List the audit log. Every change of the set-up and every access to content,
        newest first. An admin sees the entries of its tenant. An operator sees all, or
        with `tenant_id` or the header `Pombo-Tenant` those of one tenant.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/audit"),
                repeatable="always",
                query={"tenant_id": tenant_id, "action": action, "actor": actor, "target": target, "from": from_, "to": to, "cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )

    def export(
        self,
        *,
        format: Maybe[ExportFormat] = NOT_GIVEN,
        tenant_id: Maybe[str] = NOT_GIVEN,
        action: Maybe[str] = NOT_GIVEN,
        actor: Maybe[str] = NOT_GIVEN,
        target: Maybe[str] = NOT_GIVEN,
        from_: Maybe[str] = NOT_GIVEN,
        to: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Iterator[str]:
        """
        Export the audit log. All entries that match, newest first, as lines of JSON or
        as CSV. A connection that ends before the last chunk means that the export is
        incomplete. An admin sees the entries of its tenant. An operator sees all, or
        with `tenant_id` or the header `Pombo-Tenant` those of one tenant.
        """
        return self._transport.lines(
            Call(
                "GET",
                path("/v1/audit/export"),
                repeatable="always",
                query={"format": format, "tenant_id": tenant_id, "action": action, "actor": actor, "target": target, "from": from_, "to": to},
                timeout=request_timeout,
            )
        )


class ConsoleUsersCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        request_timeout: Optional[float] = None,
    ) -> Pages[User, UserList]:
        """
        List users. The people of your tenant who can sign in to the console, by email
        address.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/users"),
                repeatable="always",
                timeout=request_timeout,
            )
        )

    def create(
        self,
        *,
        email: str,
        role: Role,
        name: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> InvitedUser:
        """
        Invite a user. Creates a user of your tenant who signs in with a password, and
        answers with the link to set it. Roles up to `admin` need the scope `admin`;
        `operator` needs `operator`.
        """
        answer: InvitedUser = self._transport.json(
            Call(
                "POST",
                path("/v1/users"),
                repeatable="never",
                body={"email": email, "name": name, "role": role},
                timeout=request_timeout,
            )
        )
        return answer

    def get(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> User:
        """Get a user. Of your tenant."""
        answer: User = self._transport.json(
            Call(
                "GET",
                path("/v1/users/{id}", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def change(
        self,
        id: str,
        *,
        name: Maybe[Optional[str]] = NOT_GIVEN,
        role: Maybe[Role] = NOT_GIVEN,
        state: Maybe[SettableUserState] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> User:
        """
        Update a user. Changes the given fields; null removes the name. With another
        role, or disabled, the user loses all sessions within a second. The last
        operator who can sign in stays one. The role of somebody who signs in with the
        identity provider is changed there.
        """
        answer: User = self._transport.json(
            Call(
                "PATCH",
                path("/v1/users/{id}", id=id),
                repeatable="never",
                body={"name": name, "role": role, "state": state},
                timeout=request_timeout,
            )
        )
        return answer

    def remove(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> None:
        """
        Delete a user. All sessions end within a second. The last operator who can sign
        in cannot be deleted.
        """
        return self._transport.nothing(
            Call(
                "DELETE",
                path("/v1/users/{id}", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )

    def invite(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> InvitedUser:
        """
        Invite a user again. A new link to set a password, also for somebody who has
        lost it. Earlier links stop working; the password stays until it is replaced.
        """
        answer: InvitedUser = self._transport.json(
            Call(
                "POST",
                path("/v1/users/{id}/invitation", id=id),
                repeatable="never",
                timeout=request_timeout,
            )
        )
        return answer


class DeadLettersCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def replay(
        self,
        id: str,
        *,
        override_limits: Maybe[bool] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> ResentMessage:
        """
        Replay a dead letter. Starts a new cycle with all its attempts, and counts
        against the limits like a send.
        """
        answer: ResentMessage = self._transport.json(
            Call(
                "POST",
                path("/v1/dead-letters/{id}/replay", id=id),
                repeatable="never",
                query={"override_limits": override_limits},
                timeout=request_timeout,
            )
        )
        return answer

    def list(
        self,
        *,
        channel: Maybe[Channel] = NOT_GIVEN,
        status: Maybe[MessageStatus] = NOT_GIVEN,
        handoff_state: Maybe[HandoffState] = NOT_GIVEN,
        provider_state: Maybe[ProviderState] = NOT_GIVEN,
        provider: Maybe[str] = NOT_GIVEN,
        provider_message_id: Maybe[str] = NOT_GIVEN,
        to: Maybe[str] = NOT_GIVEN,
        tag: Maybe[str] = NOT_GIVEN,
        metadata: Maybe[str] = NOT_GIVEN,
        template: Maybe[str] = NOT_GIVEN,
        batch: Maybe[str] = NOT_GIVEN,
        error_code: Maybe[str] = NOT_GIVEN,
        lane: Maybe[Lane] = NOT_GIVEN,
        created_from: Maybe[str] = NOT_GIVEN,
        created_to: Maybe[str] = NOT_GIVEN,
        q: Maybe[str] = NOT_GIVEN,
        unknown: Maybe[bool] = NOT_GIVEN,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        total: Maybe[bool] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[Message, MessagePage]:
        """
        List dead letters. Messages that failed after their last attempt, newest first,
        with the filters of `/v1/messages`, whose pages they share.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/dead-letters"),
                repeatable="always",
                query={"channel": channel, "status": status, "handoff_state": handoff_state, "provider_state": provider_state, "provider": provider, "provider_message_id": provider_message_id, "to": to, "tag": tag, "metadata": metadata, "template": template, "batch": batch, "error_code": error_code, "lane": lane, "created_from": created_from, "created_to": created_to, "q": q, "unknown": unknown, "cursor": cursor, "limit": limit, "total": total},
                timeout=request_timeout,
            )
        )

    def replay_many(
        self,
        *,
        filter: Maybe[MessageFilter] = NOT_GIVEN,
        cursor: Maybe[str] = NOT_GIVEN,
        override_limits: Maybe[bool] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> DeadLetterReplay:
        """
        Replay all matching dead letters. Processes at most 10000 messages per call;
        pass `next_cursor` to continue. Each message counts against the limits like a
        send. A message that a limit refuses is counted in `rate_limited`, and the
        others are still replayed. Messages with an unknown outcome may have arrived:
        they are replayed only with `"unknown": true` in the filter.
        """
        answer: DeadLetterReplay = self._transport.json(
            Call(
                "POST",
                path("/v1/dead-letters/replay"),
                repeatable="never",
                query={"override_limits": override_limits},
                body={"filter": filter, "cursor": cursor},
                timeout=request_timeout,
            )
        )
        return answer


class DomainsCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        request_timeout: Optional[float] = None,
    ) -> Pages[Domain, DomainList]:
        """List domains. The domains of your tenant, by name."""
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/domains"),
                repeatable="always",
                timeout=request_timeout,
            )
        )

    def add(
        self,
        *,
        domain: str,
        request_timeout: Optional[float] = None,
    ) -> Domain:
        """
        Add a domain. Creates the two DNS records to publish: one proves that the domain
        is yours, and one contains the public key of a new DKIM key. Then verify the
        domain.
        """
        answer: Domain = self._transport.json(
            Call(
                "POST",
                path("/v1/domains"),
                repeatable="never",
                body={"domain": domain},
                timeout=request_timeout,
            )
        )
        return answer

    def get(
        self,
        domain: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> Domain:
        """Get a domain. Shows the DNS records to publish, and what the last check found."""
        answer: Domain = self._transport.json(
            Call(
                "GET",
                path("/v1/domains/{domain}", domain=domain),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def remove(
        self,
        domain: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> None:
        """Delete a domain. Destroys its DKIM key, and releases the domain for others."""
        return self._transport.nothing(
            Call(
                "DELETE",
                path("/v1/domains/{domain}", domain=domain),
                repeatable="always",
                timeout=request_timeout,
            )
        )

    def verify(
        self,
        domain: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> Domain:
        """
        Verify a domain. Looks the records up in the DNS. If the proof of ownership is
        there, only you may send email from the domain and its subdomains. Email that
        goes out by SMTP is signed with its DKIM key, once that record is there too.
        Call it again to check again: a domain whose proof is gone is no longer
        verified. While the DNS gives no answer, the call gets 503 and nothing changes.
        A domain that another tenant has verified gets 409.
        """
        answer: Domain = self._transport.json(
            Call(
                "POST",
                path("/v1/domains/{domain}/verify", domain=domain),
                repeatable="never",
                timeout=request_timeout,
            )
        )
        return answer


class EmailCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def send(
        self,
        *,
        to: Maybe[str] = NOT_GIVEN,
        subject: Maybe[str] = NOT_GIVEN,
        html: Maybe[str] = NOT_GIVEN,
        text: Maybe[str] = NOT_GIVEN,
        template: Maybe[TemplateReference] = NOT_GIVEN,
        from_: Maybe[str] = NOT_GIVEN,
        reply_to: Maybe[Union[str, List[str]]] = NOT_GIVEN,
        cc: Maybe[List[str]] = NOT_GIVEN,
        bcc: Maybe[List[str]] = NOT_GIVEN,
        headers: Maybe[Dict[str, str]] = NOT_GIVEN,
        attachments: Maybe[List[Attachment]] = NOT_GIVEN,
        unsubscribe: Maybe[Unsubscribe] = NOT_GIVEN,
        recipient_id: Maybe[str] = NOT_GIVEN,
        recipient_external_id: Maybe[str] = NOT_GIVEN,
        idempotency_key: Maybe[str] = NOT_GIVEN,
        lane: Maybe[SendLane] = NOT_GIVEN,
        metadata: Maybe[Metadata] = NOT_GIVEN,
        tags: Maybe[List[str]] = NOT_GIVEN,
        expires_at: Maybe[str] = NOT_GIVEN,
        callback_url: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> SendAccepted:
        """
        Send an email. Responds once the message is stored durably. The html is checked
        for scripts before it is sent. For 48 hours, the same idempotency key with the
        same payload returns the first response, with the header `Idempotent-Replayed:
        true`.
        """
        answer: SendAccepted = self._transport.json(
            Call(
                "POST",
                path("/v1/email/send"),
                repeatable="with-key",
                body={"to": to, "subject": subject, "html": html, "text": text, "template": template, "from": from_, "reply_to": reply_to, "cc": cc, "bcc": bcc, "headers": headers, "attachments": attachments, "unsubscribe": unsubscribe, "recipient_id": recipient_id, "recipient_external_id": recipient_external_id, "idempotency_key": idempotency_key, "lane": lane, "metadata": metadata, "tags": tags, "expires_at": expires_at, "callback_url": callback_url},
                timeout=request_timeout,
            )
        )
        return answer

    def get(
        self,
        request_id: str,
        *,
        events_limit: Maybe[int] = NOT_GIVEN,
        events_cursor: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> MessageWithEvents:
        """
        Get the status of an email. The latest state of the message, and its newest
        events. Earlier ones come with `events_cursor`.
        """
        answer: MessageWithEvents = self._transport.json(
            Call(
                "GET",
                path("/v1/email/{request_id}", request_id=request_id),
                repeatable="always",
                query={"events_limit": events_limit, "events_cursor": events_cursor},
                timeout=request_timeout,
            )
        )
        return answer

    def list_logs(
        self,
        *,
        request_id: Maybe[str] = NOT_GIVEN,
        outbox_id: Maybe[str] = NOT_GIVEN,
        ses_message_id: Maybe[str] = NOT_GIVEN,
        status: Maybe[EmailState] = NOT_GIVEN,
        to: Maybe[str] = NOT_GIVEN,
        created_from: Maybe[str] = NOT_GIVEN,
        created_to: Maybe[str] = NOT_GIVEN,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[EmailLog, EmailLogPage]:
        """
        List email logs. Newest first. The search index may lag a moment behind; each
        item still shows the latest state.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/email/logs"),
                repeatable="always",
                query={"request_id": request_id, "outbox_id": outbox_id, "ses_message_id": ses_message_id, "status": status, "to": to, "created_from": created_from, "created_to": created_to, "cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )

    def list_events(
        self,
        request_id: str,
        *,
        limit: Maybe[int] = NOT_GIVEN,
        cursor: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[EmailEvent, EmailEventPage]:
        """
        List the pipeline events of an email. The states of the email, oldest first,
        with the duration of the state before; the newest part, unless `cursor` asks for
        an earlier one.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/email/{request_id}/events", request_id=request_id),
                repeatable="always",
                query={"limit": limit, "cursor": cursor},
                timeout=request_timeout,
            )
        )


class EndpointsCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        request_timeout: Optional[float] = None,
    ) -> Pages[Endpoint, EndpointList]:
        """List endpoints. The endpoints of your account, oldest first."""
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/endpoints"),
                repeatable="always",
                timeout=request_timeout,
            )
        )

    def add(
        self,
        *,
        url: str,
        id: Maybe[str] = NOT_GIVEN,
        description: Maybe[str] = NOT_GIVEN,
        events: Maybe[List[WebhookEventType]] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> CreatedEndpoint:
        """
        Create an endpoint. From now on, Pombo POSTs every status change of every
        message of your account and the alerts of your tenant to the URL. Events whose
        names begin with `tenant.`, `provider.` or `dead_letters.` are about the
        installation: they need the scope `operator`. Webhooks follow the Standard
        Webhooks specification and are signed with the `secret` of this response.
        """
        answer: CreatedEndpoint = self._transport.json(
            Call(
                "POST",
                path("/v1/endpoints"),
                repeatable="never",
                body={"id": id, "url": url, "description": description, "events": events},
                timeout=request_timeout,
            )
        )
        return answer

    def get(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> Endpoint:
        """
        Get an endpoint. Shows whether it is enabled, and since when it has been
        failing.
        """
        answer: Endpoint = self._transport.json(
            Call(
                "GET",
                path("/v1/endpoints/{id}", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def change(
        self,
        id: str,
        *,
        url: Maybe[str] = NOT_GIVEN,
        description: Maybe[Optional[str]] = NOT_GIVEN,
        events: Maybe[List[WebhookEventType]] = NOT_GIVEN,
        enabled: Maybe[bool] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Endpoint:
        """
        Update an endpoint. Changes the given fields; null removes a field. A disabled
        endpoint gets no webhooks; when it is enabled again it gets those it has missed.
        """
        answer: Endpoint = self._transport.json(
            Call(
                "PATCH",
                path("/v1/endpoints/{id}", id=id),
                repeatable="never",
                body={"url": url, "description": description, "events": events, "enabled": enabled},
                timeout=request_timeout,
            )
        )
        return answer

    def remove(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> None:
        """Delete an endpoint. Stops its webhooks and deletes its delivery history."""
        return self._transport.nothing(
            Call(
                "DELETE",
                path("/v1/endpoints/{id}", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )

    def get_secret(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> EndpointSecrets:
        """
        Get the secret of an endpoint. Includes the previous secret while it still
        signs.
        """
        answer: EndpointSecrets = self._transport.json(
            Call(
                "GET",
                path("/v1/endpoints/{id}/secret", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def rotate_secret(
        self,
        id: str,
        *,
        overlap_seconds: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> EndpointSecrets:
        """
        Rotate the secret of an endpoint. The new secret signs from now on. The current
        one also signs for the overlap, so that you can deploy the new one; an even
        older one stops at once.
        """
        answer: EndpointSecrets = self._transport.json(
            Call(
                "POST",
                path("/v1/endpoints/{id}/rotate", id=id),
                repeatable="never",
                body={"overlap_seconds": overlap_seconds},
                timeout=request_timeout,
            )
        )
        return answer

    def list_deliveries(
        self,
        id: str,
        *,
        state: Maybe[WebhookDeliveryState] = NOT_GIVEN,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[WebhookDelivery, WebhookDeliveryPage]:
        """
        List webhook deliveries. One webhook delivery per message or alert, last changed
        first. Deliveries are kept for seven days after their last change.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/endpoints/{id}/deliveries", id=id),
                repeatable="always",
                query={"state": state, "cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )

    def replay_deliveries(
        self,
        id: str,
        *,
        since: Maybe[str] = NOT_GIVEN,
        message_id: Maybe[str] = NOT_GIVEN,
        alert_id: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> WebhookDeliveryReplay:
        """
        Replay webhook deliveries. Delivers the events of one message, an alert, or all
        events and alerts since a time, again. Every call keeps its original
        `webhook-id`. A disabled endpoint gets them when it is enabled again.
        """
        answer: WebhookDeliveryReplay = self._transport.json(
            Call(
                "POST",
                path("/v1/endpoints/{id}/replay", id=id),
                repeatable="never",
                body={"since": since, "message_id": message_id, "alert_id": alert_id},
                timeout=request_timeout,
            )
        )
        return answer

    def list_attempts(
        self,
        id: str,
        *,
        message_id: Maybe[str] = NOT_GIVEN,
        alert_id: Maybe[str] = NOT_GIVEN,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[WebhookAttempt, WebhookAttemptPage]:
        """
        List webhook attempts. Each call of the endpoint, newest first: those of one
        delivery with `message_id` or `alert_id`. The newest 10 of each delivery and the
        newest 10 test events are kept for seven days. An attempt is listed up to a
        second after it has ended.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/endpoints/{id}/attempts", id=id),
                repeatable="always",
                query={"message_id": message_id, "alert_id": alert_id, "cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )

    def get_attempt(
        self,
        id: str,
        attempt: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> WebhookAttemptDetails:
        """
        Get a webhook attempt. What was sent and what the server answered: headers and
        the first 4 KB of both bodies. Erasing a message deletes its attempts.
        """
        answer: WebhookAttemptDetails = self._transport.json(
            Call(
                "GET",
                path("/v1/endpoints/{id}/attempts/{attempt}", id=id, attempt=attempt),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def test(
        self,
        id: str,
        *,
        event: Maybe[WebhookEventType] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> WebhookAttemptDetails:
        """
        Send a test event. Posts a signed example of the event to the endpoint at once,
        also if it is disabled, waits up to 15 seconds for the response, and shows it.
        Its `webhook-id` begins with `test_`. It is not retried, and does not count for
        the health of the endpoint. A tenant may send 5 at once and 1 a second.
        """
        answer: WebhookAttemptDetails = self._transport.json(
            Call(
                "POST",
                path("/v1/endpoints/{id}/test", id=id),
                repeatable="never",
                body={"event": event},
                timeout=request_timeout,
            )
        )
        return answer


class ErasuresCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        to: str,
        idempotency_key: Optional[str] = None,
        request_timeout: Optional[float] = None,
    ) -> Erasure:
        """
        Erase everything sent to a recipient. Starts an erasure of every message to the
        recipient that was accepted before this call, including emails they got as a
        copy. If an erasure for the recipient is already running, returns that one: it
        covers messages accepted before its `requested_at`, so to cover later ones call
        again after it is completed. The same `Idempotency-Key` always returns the same
        erasure.
        """
        answer: Erasure = self._transport.json(
            Call(
                "POST",
                path("/v1/erasures"),
                repeatable="with-key",
                body={"to": to},
                idempotency_key=idempotency_key,
                timeout=request_timeout,
            )
        )
        return answer

    def list(
        self,
        *,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[Erasure, ErasurePage]:
        """List erasures. Newest first."""
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/erasures"),
                repeatable="always",
                query={"cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )

    def get_public_key(
        self,
        *,
        request_timeout: Optional[float] = None,
    ) -> ErasurePublicKey:
        """
        Get the public key that verifies receipts. An Ed25519 key, derived from the
        master key. Publish it so that others can verify your receipts.
        """
        answer: ErasurePublicKey = self._transport.json(
            Call(
                "GET",
                path("/v1/erasures/public-key"),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def verify_receipt(
        self,
        *,
        receipt: ErasureReceipt,
        signature: ReceiptSignature,
        to: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> ErasureReceiptVerification:
        """
        Verify an erasure receipt. Checks the signature and, with `to`, whether the
        receipt is for that recipient.
        """
        answer: ErasureReceiptVerification = self._transport.json(
            Call(
                "POST",
                path("/v1/erasures/verify"),
                repeatable="always",
                body={"receipt": receipt, "signature": signature, "to": to},
                timeout=request_timeout,
            )
        )
        return answer

    def get(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> Erasure:
        """
        Get an erasure and its receipt. The receipt lists what was erased, what failed,
        which stores were cleaned, and what remains until when.
        """
        answer: Erasure = self._transport.json(
            Call(
                "GET",
                path("/v1/erasures/{id}", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer


class LimitsCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        scope: Maybe[LimitScope] = NOT_GIVEN,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[Limit, LimitPage]:
        """
        List limits. Those of the tenant and those that operators have set for it,
        sorted by scope and key.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/limits"),
                repeatable="always",
                query={"scope": scope, "cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )

    def get(
        self,
        scope: LimitScope,
        key: str,
        *,
        set_by: Maybe[LimitOwner] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Limit:
        """
        Get a limit and its current use. Only the limit of exactly this key, not the
        default.
        """
        answer: Limit = self._transport.json(
            Call(
                "GET",
                path("/v1/limits/{scope}/{key}", scope=scope, key=key),
                repeatable="always",
                query={"set_by": set_by},
                timeout=request_timeout,
            )
        )
        return answer

    def set(
        self,
        scope: LimitScope,
        key: str,
        *,
        limit: int,
        window_seconds: int,
        algorithm: Maybe[LimitAlgorithm] = NOT_GIVEN,
        set_by: Maybe[LimitOwner] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Limit:
        """
        Set a limit. Creates or replaces a limit, and resets its count. The first
        `fixed` window starts now, and each other one with the first message after the
        previous one ended. With `sliding`, no period of that length ever contains more
        messages than the limit. What a caller with the scope `operator` sets is a limit
        of the operator: a tenant may set a lower one beside it, and never raise or
        delete it.
        """
        answer: Limit = self._transport.json(
            Call(
                "PUT",
                path("/v1/limits/{scope}/{key}", scope=scope, key=key),
                repeatable="always",
                query={"set_by": set_by},
                body={"limit": limit, "window_seconds": window_seconds, "algorithm": algorithm},
                timeout=request_timeout,
            )
        )
        return answer

    def remove(
        self,
        scope: LimitScope,
        key: str,
        *,
        set_by: Maybe[LimitOwner] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> None:
        """
        Delete a limit. The default limit of the scope (`*`) then applies, if there is
        one. Deleting the tenant's own limit restores that of the operator, which only
        an operator may delete.
        """
        return self._transport.nothing(
            Call(
                "DELETE",
                path("/v1/limits/{scope}/{key}", scope=scope, key=key),
                repeatable="always",
                query={"set_by": set_by},
                timeout=request_timeout,
            )
        )


class MessagesCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def send_batch(
        self,
        *,
        items: List[BatchItem],
        batch_id: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> SendBatchResult:
        """
        Send up to 1,000 messages. Each item is accepted or refused on its own; the
        results have the order of the items. An item is an SMS unless its `channel` is
        `email`. An item that repeats an earlier one stays in the batch of its first
        call.
        """
        answer: SendBatchResult = self._transport.json(
            Call(
                "POST",
                path("/v1/messages/batch"),
                repeatable="always",
                body={"batch_id": batch_id, "items": items},
                timeout=request_timeout,
            )
        )
        return answer

    def preflight(
        self,
        body: PreflightRequest,
        *,
        request_timeout: Optional[float] = None,
    ) -> PreflightReport:
        """
        Check a message before it is sent. Takes an item of `POST /v1/messages/batch`,
        or with `kind` `otp` the body of `POST /v1/otp/generate`, and says what the send
        would answer now and what would become of the message. It sends, stores and
        counts nothing, and reserves no idempotency key: without one, everything else is
        checked. The scopes are those of the send.
        """
        answer: PreflightReport = self._transport.json(
            Call(
                "POST",
                path("/v1/preflight"),
                repeatable="always",
                body=body,
                timeout=request_timeout,
            )
        )
        return answer

    def list(
        self,
        *,
        channel: Maybe[Channel] = NOT_GIVEN,
        status: Maybe[MessageStatus] = NOT_GIVEN,
        handoff_state: Maybe[HandoffState] = NOT_GIVEN,
        provider_state: Maybe[ProviderState] = NOT_GIVEN,
        provider: Maybe[str] = NOT_GIVEN,
        provider_message_id: Maybe[str] = NOT_GIVEN,
        to: Maybe[str] = NOT_GIVEN,
        tag: Maybe[str] = NOT_GIVEN,
        metadata: Maybe[str] = NOT_GIVEN,
        template: Maybe[str] = NOT_GIVEN,
        batch: Maybe[str] = NOT_GIVEN,
        error_code: Maybe[str] = NOT_GIVEN,
        lane: Maybe[Lane] = NOT_GIVEN,
        created_from: Maybe[str] = NOT_GIVEN,
        created_to: Maybe[str] = NOT_GIVEN,
        q: Maybe[str] = NOT_GIVEN,
        unknown: Maybe[bool] = NOT_GIVEN,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        total: Maybe[bool] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[Message, MessagePage]:
        """
        List messages. Newest first. The search index may lag a moment behind; each item
        still shows the latest state. A page may end before `limit` so that it does not
        get too long: continue until `next_cursor` is null.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/messages"),
                repeatable="always",
                query={"channel": channel, "status": status, "handoff_state": handoff_state, "provider_state": provider_state, "provider": provider, "provider_message_id": provider_message_id, "to": to, "tag": tag, "metadata": metadata, "template": template, "batch": batch, "error_code": error_code, "lane": lane, "created_from": created_from, "created_to": created_to, "q": q, "unknown": unknown, "cursor": cursor, "limit": limit, "total": total},
                timeout=request_timeout,
            )
        )

    def get(
        self,
        id: str,
        *,
        events_limit: Maybe[int] = NOT_GIVEN,
        events_cursor: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> MessageDetails:
        """
        Get a message. The latest state and details of the message, and its newest
        events. Earlier ones come with `events_cursor`.
        """
        answer: MessageDetails = self._transport.json(
            Call(
                "GET",
                path("/v1/messages/{id}", id=id),
                repeatable="always",
                query={"events_limit": events_limit, "events_cursor": events_cursor},
                timeout=request_timeout,
            )
        )
        return answer

    def erase(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> ErasedMessage:
        """
        Erase the content and recipient of a message. Destroys the encryption key of the
        message, so that its content cannot be read from any store. States and times
        remain. Works also for messages that the log has dropped by age.
        """
        answer: ErasedMessage = self._transport.json(
            Call(
                "POST",
                path("/v1/messages/{id}/erase", id=id),
                repeatable="never",
                timeout=request_timeout,
            )
        )
        return answer

    def explain(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> MessageExplanation:
        """
        Explain a message. Why the message stands where it stands, what is next and
        when, and what a person can do: in sentences, and as the data that they were
        made from. It names no recipient and quotes no text. The id of a one-time code
        is that of its message, so it works for codes, too.
        """
        answer: MessageExplanation = self._transport.json(
            Call(
                "GET",
                path("/v1/messages/{id}/explain", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def export(
        self,
        *,
        day: str,
        with_content: Maybe[bool] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Iterator[str]:
        """
        Export the messages of a day. Every message that was created on that day, newest
        first: a line of JSON with the fields of `GET /v1/messages/{id}` and all its
        events. With `with_content` also its `content`, as at `GET
        /v1/messages/{id}/content`: that needs the scope `content:read`, is recorded in
        the audit log, and is null for one-time codes and after erasure. A connection
        that ends before the last chunk means that the export is incomplete.
        """
        return self._transport.lines(
            Call(
                "GET",
                path("/v1/messages/export"),
                repeatable="always",
                query={"day": day, "with_content": with_content},
                timeout=request_timeout,
            )
        )

    def resend(
        self,
        id: str,
        *,
        override_limits: Maybe[bool] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> ResentMessage:
        """
        Resend a message. Starts a new cycle, and counts against the limits like a send.
        Refused while the message is in flight, after its `expires_at`, and after
        erasure.
        """
        answer: ResentMessage = self._transport.json(
            Call(
                "POST",
                path("/v1/messages/{id}/resend", id=id),
                repeatable="never",
                query={"override_limits": override_limits},
                timeout=request_timeout,
            )
        )
        return answer

    def resolve(
        self,
        id: str,
        *,
        as_: Resolution,
        request_timeout: Optional[float] = None,
    ) -> ResolvedMessage:
        """
        Resolve a message with an unknown outcome. For a message with `unknown: true`:
        an operator decides whether the provider has its latest attempt. Refused for any
        other message, also if a delivery report arrives first. The timeline records the
        account that resolved it.
        """
        answer: ResolvedMessage = self._transport.json(
            Call(
                "POST",
                path("/v1/messages/{id}/resolve", id=id),
                repeatable="never",
                body={"as": as_},
                timeout=request_timeout,
            )
        )
        return answer

    def get_content(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> MessageContent:
        """
        Get the content of a message. Needs the scope `content:read`; every access is
        recorded in the audit log. Not available for one-time codes or after erasure.
        The `html` of an email is what the caller wrote: display it only in a sandbox.
        """
        answer: MessageContent = self._transport.json(
            Call(
                "GET",
                path("/v1/messages/{id}/content", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def list_webhook_deliveries(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> Pages[WebhookDelivery, WebhookDeliveryList]:
        """
        List the webhook deliveries of a message. One webhook delivery per endpoint, and
        one for the `callback_url` of the message if it has one.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/messages/{id}/webhook-deliveries", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )


class OperationsCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_queue(
        self,
        *,
        request_timeout: Optional[float] = None,
    ) -> QueueDepth:
        """
        Get the queue depth. By lane. Operators get that of all tenants together,
        everybody else that of their own tenant.
        """
        answer: QueueDepth = self._transport.json(
            Call(
                "GET",
                path("/v1/queue"),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def get_liveness(
        self,
        *,
        request_timeout: Optional[float] = None,
    ) -> Liveness:
        """Check liveness. Responds as long as the process runs."""
        answer: Liveness = self._transport.json(
            Call(
                "GET",
                path("/health/live"),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def get_readiness(
        self,
        *,
        request_timeout: Optional[float] = None,
    ) -> Readiness:
        """
        Check readiness. Reports the state of each dependency. Needs no token; with one
        of the scope `operator` it says what is wrong.
        """
        answer: Readiness = self._transport.json(
            Call(
                "GET",
                path("/health/ready"),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def get_metrics(
        self,
        *,
        request_timeout: Optional[float] = None,
    ) -> str:
        """Get metrics. In the Prometheus text format."""
        return self._transport.text(
            Call(
                "GET",
                path("/metrics"),
                repeatable="always",
                timeout=request_timeout,
            )
        )


class OtpCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def generate(
        self,
        *,
        to: str,
        channel: Maybe[Channel] = NOT_GIVEN,
        ttl_seconds: Maybe[int] = NOT_GIVEN,
        max_attempts: Maybe[int] = NOT_GIVEN,
        code_length: Maybe[int] = NOT_GIVEN,
        code_alphabet: Maybe[OtpCodeAlphabet] = NOT_GIVEN,
        idempotency_key: Maybe[str] = NOT_GIVEN,
        app_name: Maybe[str] = NOT_GIVEN,
        locale: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> OtpChallenge:
        """
        Send a one-time code. Generates a code, of six digits by default, and sends it
        to the recipient; the code is never in a response. For 48 hours, the same
        idempotency key with the same payload returns the first response, with the
        header `Idempotent-Replayed: true`. The number of codes per recipient is
        limited, by default to 5 in 10 minutes. A recipient for whom too many wrong
        codes were tried, by default 10 in an hour, gets no codes until the hour is
        over. The content of the message is erased when the challenge ends. To change
        the text, save a template named `otp` (SMS) or `otp-email` (email) that uses
        `code`; it may also use `minutes` and `app_name`. The code is never in the
        subject of an email.
        """
        answer: OtpChallenge = self._transport.json(
            Call(
                "POST",
                path("/v1/otp/generate"),
                repeatable="with-key",
                body={"to": to, "channel": channel, "ttl_seconds": ttl_seconds, "max_attempts": max_attempts, "code_length": code_length, "code_alphabet": code_alphabet, "idempotency_key": idempotency_key, "app_name": app_name, "locale": locale},
                timeout=request_timeout,
            )
        )
        return answer

    def validate(
        self,
        *,
        challenge_id: str,
        code: str,
        to: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> OtpValidation:
        """
        Validate a one-time code. Every comparison counts as an attempt. What cannot be
        the code, because of its length or its characters, is refused with 400 and does
        not count. A challenge can be verified once. Too many wrong codes for one
        recipient, over all its challenges, lock it out: by default 10 in an hour. Keep
        `challenge_id` in the session on your server, and give `to` if you know the
        recipient: then a code proves nothing about another one. Wrong codes are limited
        to 100 a second for a tenant and 20 a second for each address that it calls
        from. Right codes are not limited, and each makes room for two wrong ones.
        """
        answer: OtpValidation = self._transport.json(
            Call(
                "POST",
                path("/v1/otp/validate"),
                repeatable="never",
                body={"challenge_id": challenge_id, "code": code, "to": to},
                timeout=request_timeout,
            )
        )
        return answer

    def get_challenge(
        self,
        challenge_id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> OtpChallengeState:
        """
        Get the status of a one-time code. Whether the code can still be validated, and
        how far its message has come. A challenge can be looked up for seven days after
        it has ended.
        """
        answer: OtpChallengeState = self._transport.json(
            Call(
                "GET",
                path("/v1/otp/{challenge_id}", challenge_id=challenge_id),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def resend(
        self,
        challenge_id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> OtpChallengeState:
        """
        Send a one-time code again. Sends the same code again, in the same message,
        along its route. Attempts and expiry stay as they are. It counts like a new code
        of the recipient. Refused with 409 while the message is in flight, and after the
        challenge has ended.
        """
        answer: OtpChallengeState = self._transport.json(
            Call(
                "POST",
                path("/v1/otp/{challenge_id}/resend", challenge_id=challenge_id),
                repeatable="never",
                timeout=request_timeout,
            )
        )
        return answer

    def cancel_challenge(
        self,
        challenge_id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> OtpChallengeState:
        """
        Cancel a one-time code. No code verifies afterwards, and the content of the
        message is erased. A message that is still queued by then is not sent. Canceling
        again changes nothing; a challenge that has ended otherwise cannot be canceled.
        """
        answer: OtpChallengeState = self._transport.json(
            Call(
                "POST",
                path("/v1/otp/{challenge_id}/cancel", challenge_id=challenge_id),
                repeatable="never",
                timeout=request_timeout,
            )
        )
        return answer


class ProvidersCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        request_timeout: Optional[float] = None,
    ) -> Pages[Provider, ProviderList]:
        """
        List providers. Every configured provider that the tenant may use, and for
        operators all, with its capabilities, recent results and circuit breaker. While
        the breaker is open, messages use the next provider of their route, or wait
        until `retry_at`.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/providers"),
                repeatable="always",
                timeout=request_timeout,
            )
        )

    def set_breaker(
        self,
        name: str,
        *,
        action: BreakerAction,
        seconds: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> CircuitBreaker:
        """
        Trip or reset the circuit breaker of a provider. Applies to all workers and all
        tenants, so it needs the scope `operator`. `trip` opens the breaker: messages
        use the next provider of their route, or wait, and after the pause one trial
        call is made. A restart does not end the pause. `reset` closes it and clears the
        failure count; waiting messages are released within a second.
        """
        answer: CircuitBreaker = self._transport.json(
            Call(
                "POST",
                path("/v1/providers/{name}/breaker", name=name),
                repeatable="never",
                body={"action": action, "seconds": seconds},
                timeout=request_timeout,
            )
        )
        return answer


class RecipientsCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        q: Maybe[str] = NOT_GIVEN,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[Recipient, RecipientPage]:
        """List recipients. Newest first."""
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/recipients"),
                repeatable="always",
                query={"q": q, "cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )

    def add(
        self,
        *,
        external_id: Maybe[str] = NOT_GIVEN,
        name: Maybe[str] = NOT_GIVEN,
        phone: Maybe[str] = NOT_GIVEN,
        email: Maybe[str] = NOT_GIVEN,
        locale: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Recipient:
        """
        Create a recipient. Messages can then refer to it by `recipient_id` or
        `recipient_external_id`.
        """
        answer: Recipient = self._transport.json(
            Call(
                "POST",
                path("/v1/recipients"),
                repeatable="never",
                body={"external_id": external_id, "name": name, "phone": phone, "email": email, "locale": locale},
                timeout=request_timeout,
            )
        )
        return answer

    def get(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> Recipient:
        """Get a recipient. Not masked."""
        answer: Recipient = self._transport.json(
            Call(
                "GET",
                path("/v1/recipients/{id}", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def change(
        self,
        id: str,
        *,
        external_id: Maybe[Optional[str]] = NOT_GIVEN,
        name: Maybe[Optional[str]] = NOT_GIVEN,
        phone: Maybe[Optional[str]] = NOT_GIVEN,
        email: Maybe[Optional[str]] = NOT_GIVEN,
        locale: Maybe[Optional[str]] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Recipient:
        """
        Update a recipient. Changes the given fields; null removes a field. Messages
        accepted before keep their address.
        """
        answer: Recipient = self._transport.json(
            Call(
                "PATCH",
                path("/v1/recipients/{id}", id=id),
                repeatable="never",
                body={"external_id": external_id, "name": name, "phone": phone, "email": email, "locale": locale},
                timeout=request_timeout,
            )
        )
        return answer

    def remove(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> None:
        """
        Delete a recipient. Deletes name, addresses and locale. Messages that refer to
        the recipient and are not sent yet fail with `RECIPIENT_NOT_FOUND`. The external
        id can be reused.
        """
        return self._transport.nothing(
            Call(
                "DELETE",
                path("/v1/recipients/{id}", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )


class RoutesCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        request_timeout: Optional[float] = None,
    ) -> Pages[Route, RouteList]:
        """
        List routes. Your own routes, oldest first, then those of the operator's file.
        Of the routes that match a message, the one with the longest prefix is used,
        then the one with the most conditions (being your own counts as one), then the
        first in this list.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/routes"),
                repeatable="always",
                timeout=request_timeout,
            )
        )

    def add(
        self,
        *,
        channel: Channel,
        providers: List[Union[str, WeightedProvider]],
        id: Maybe[str] = NOT_GIVEN,
        kind: Maybe[SmsType] = NOT_GIVEN,
        sender: Maybe[str] = NOT_GIVEN,
        prefix: Maybe[str] = NOT_GIVEN,
        operator_id: Maybe[str] = NOT_GIVEN,
        retry: Maybe[RetrySettings] = NOT_GIVEN,
        unknown: Maybe[UnknownOutcomeSettings] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Route:
        """Create a route. Applies to your own messages only, starting with the next one."""
        answer: Route = self._transport.json(
            Call(
                "POST",
                path("/v1/routes"),
                repeatable="never",
                body={"id": id, "channel": channel, "kind": kind, "sender": sender, "prefix": prefix, "operator_id": operator_id, "retry": retry, "unknown": unknown, "providers": providers},
                timeout=request_timeout,
            )
        )
        return answer

    def get(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> Route:
        """Get a route. Your own, or one of the operator's file."""
        answer: Route = self._transport.json(
            Call(
                "GET",
                path("/v1/routes/{id}", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def change(
        self,
        id: str,
        *,
        kind: Maybe[Optional[SmsType]] = NOT_GIVEN,
        sender: Maybe[Optional[str]] = NOT_GIVEN,
        prefix: Maybe[Optional[str]] = NOT_GIVEN,
        operator_id: Maybe[Optional[str]] = NOT_GIVEN,
        providers: Maybe[List[Union[str, WeightedProvider]]] = NOT_GIVEN,
        retry: Maybe[Optional[RetrySettings]] = NOT_GIVEN,
        unknown: Maybe[Optional[UnknownOutcomeSettings]] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Route:
        """
        Update a route. Changes the given fields; null removes a field. Applies from the
        next attempt on, also to messages already on this route. Routes of the
        operator's file cannot be changed.
        """
        answer: Route = self._transport.json(
            Call(
                "PATCH",
                path("/v1/routes/{id}", id=id),
                repeatable="never",
                body={"kind": kind, "sender": sender, "prefix": prefix, "operator_id": operator_id, "providers": providers, "retry": retry, "unknown": unknown},
                timeout=request_timeout,
            )
        )
        return answer

    def remove(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> None:
        """
        Delete a route. Messages then use the next route that matches. Messages with an
        unknown outcome are held.
        """
        return self._transport.nothing(
            Call(
                "DELETE",
                path("/v1/routes/{id}", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )

    def resolve(
        self,
        *,
        to: str,
        channel: Maybe[Channel] = NOT_GIVEN,
        type: Maybe[SmsType] = NOT_GIVEN,
        sender_id: Maybe[str] = NOT_GIVEN,
        message_id: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> RouteResolution:
        """
        Resolve the route of a message. Returns the route and provider that a message
        would use now, and why others are not used. Nothing is sent or counted.
        `provider` is null if no route matches or none of its providers is available.
        """
        answer: RouteResolution = self._transport.json(
            Call(
                "POST",
                path("/v1/routes/resolve"),
                repeatable="always",
                body={"to": to, "channel": channel, "type": type, "sender_id": sender_id, "message_id": message_id},
                timeout=request_timeout,
            )
        )
        return answer


class SessionsCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
        *,
        request_timeout: Optional[float] = None,
    ) -> Session:
        """
        Get the session. Who is calling, by whatever credentials, and how people can
        sign in. Without credentials, or with a session that has ended, `signed_in` is
        false.
        """
        answer: Session = self._transport.json(
            Call(
                "GET",
                path("/v1/session"),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def sign_in(
        self,
        *,
        email: str,
        password: str,
        request_timeout: Optional[float] = None,
    ) -> Session:
        """
        Sign in. With email address and password, for the console. Sets a cookie; the
        session of an earlier cookie ends. After several failures for an address or from
        a client, further attempts have to wait.
        """
        answer: Session = self._transport.json(
            Call(
                "POST",
                path("/v1/session"),
                repeatable="never",
                body={"email": email, "password": password},
                timeout=request_timeout,
            )
        )
        return answer

    def sign_out(
        self,
        *,
        request_timeout: Optional[float] = None,
    ) -> None:
        """Sign out. Ends the session of the cookie. Without one, does nothing."""
        return self._transport.nothing(
            Call(
                "DELETE",
                path("/v1/session"),
                repeatable="always",
                timeout=request_timeout,
            )
        )

    def change_password(
        self,
        *,
        current_password: str,
        new_password: str,
        request_timeout: Optional[float] = None,
    ) -> Session:
        """
        Change your password. For somebody who is signed in with a password. All
        sessions of the user end, and a new one begins.
        """
        answer: Session = self._transport.json(
            Call(
                "POST",
                path("/v1/session/password"),
                repeatable="never",
                body={"current_password": current_password, "new_password": new_password},
                timeout=request_timeout,
            )
        )
        return answer

    def get_invitation(
        self,
        *,
        token: str,
        request_timeout: Optional[float] = None,
    ) -> Invitation:
        """
        Get an invitation. Whom a link invites, and until when. Does not use the
        invitation.
        """
        answer: Invitation = self._transport.json(
            Call(
                "POST",
                path("/v1/session/invitation"),
                repeatable="never",
                body={"token": token},
                timeout=request_timeout,
            )
        )
        return answer

    def accept_invitation(
        self,
        *,
        token: str,
        password: str,
        request_timeout: Optional[float] = None,
    ) -> Session:
        """
        Accept an invitation. Sets the password of the invited user and signs in. All
        earlier sessions of the user end.
        """
        answer: Session = self._transport.json(
            Call(
                "POST",
                path("/v1/session/accept-invitation"),
                repeatable="never",
                body={"token": token, "password": password},
                timeout=request_timeout,
            )
        )
        return answer


class SimulatorCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list_inbox(
        self,
        *,
        to: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[SimulatorMessage, SimulatorInbox]:
        """
        List the simulator inbox. What simulated phones and mailboxes received.
        Recipients and texts are not masked. Needs the scope `content:read`; in test
        mode `messages:read` suffices.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/simulator/inbox"),
                repeatable="always",
                query={"to": to, "limit": limit},
                timeout=request_timeout,
            )
        )

    def get_mail(
        self,
        attempt_id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> SimulatorMail:
        """
        Get an email in the simulator inbox. All its fields, including `bcc`. Needs the
        scope `content:read`; in test mode `messages:read` suffices.
        """
        answer: SimulatorMail = self._transport.json(
            Call(
                "GET",
                path("/v1/simulator/mails/{attempt_id}", attempt_id=attempt_id),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def get_mail_page(
        self,
        attempt_id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> str:
        """
        Get the page of an email. Its html with inline images, under a
        Content-Security-Policy that blocks scripts and external content. Needs the
        scope `content:read`; in test mode `messages:read` suffices.
        """
        return self._transport.text(
            Call(
                "GET",
                path("/v1/simulator/mails/{attempt_id}/html", attempt_id=attempt_id),
                repeatable="always",
                timeout=request_timeout,
            )
        )

    def get_mail_source(
        self,
        attempt_id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> str:
        """
        Get the source of an email. In RFC 5322 format, as the mailbox received it.
        Needs the scope `content:read`; in test mode `messages:read` suffices.
        """
        return self._transport.text(
            Call(
                "GET",
                path("/v1/simulator/mails/{attempt_id}/raw", attempt_id=attempt_id),
                repeatable="always",
                timeout=request_timeout,
            )
        )

    def get_mail_attachment(
        self,
        attempt_id: str,
        n: int,
        *,
        request_timeout: Optional[float] = None,
    ) -> bytes:
        """
        Download an attachment. Sent as a download, never for display. Needs the scope
        `content:read`; in test mode `messages:read` suffices.
        """
        return self._transport.content(
            Call(
                "GET",
                path("/v1/simulator/mails/{attempt_id}/attachments/{n}", attempt_id=attempt_id, n=n),
                repeatable="always",
                timeout=request_timeout,
            )
        )


class SmsCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def send(
        self,
        *,
        to: Maybe[str] = NOT_GIVEN,
        message: Maybe[str] = NOT_GIVEN,
        template: Maybe[TemplateReference] = NOT_GIVEN,
        sender_id: Maybe[str] = NOT_GIVEN,
        type: Maybe[SmsType] = NOT_GIVEN,
        recipient_id: Maybe[str] = NOT_GIVEN,
        recipient_external_id: Maybe[str] = NOT_GIVEN,
        idempotency_key: Maybe[str] = NOT_GIVEN,
        lane: Maybe[SendLane] = NOT_GIVEN,
        metadata: Maybe[Metadata] = NOT_GIVEN,
        tags: Maybe[List[str]] = NOT_GIVEN,
        expires_at: Maybe[str] = NOT_GIVEN,
        callback_url: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> SendSmsAccepted:
        """
        Send an SMS. Responds once the message is stored durably. For 48 hours, the same
        idempotency key with the same payload returns the first response, with the
        header `Idempotent-Replayed: true`.
        """
        answer: SendSmsAccepted = self._transport.json(
            Call(
                "POST",
                path("/v1/sms/send"),
                repeatable="with-key",
                body={"to": to, "message": message, "template": template, "sender_id": sender_id, "type": type, "recipient_id": recipient_id, "recipient_external_id": recipient_external_id, "idempotency_key": idempotency_key, "lane": lane, "metadata": metadata, "tags": tags, "expires_at": expires_at, "callback_url": callback_url},
                timeout=request_timeout,
            )
        )
        return answer

    def get(
        self,
        request_id: str,
        *,
        events_limit: Maybe[int] = NOT_GIVEN,
        events_cursor: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> MessageWithEvents:
        """
        Get the status of an SMS. The latest state of the message, and its newest
        events. Earlier ones come with `events_cursor`.
        """
        answer: MessageWithEvents = self._transport.json(
            Call(
                "GET",
                path("/v1/sms/{request_id}", request_id=request_id),
                repeatable="always",
                query={"events_limit": events_limit, "events_cursor": events_cursor},
                timeout=request_timeout,
            )
        )
        return answer


class StatsCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self,
        *,
        from_: Maybe[str] = NOT_GIVEN,
        to: Maybe[str] = NOT_GIVEN,
        bucket: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Stats:
        """
        Get message statistics. Counts and latencies by creation time, channel and
        provider. Defaults to the last 24 hours in buckets of an hour. `rate_limited`
        are the calls that rate limits refused, counted by minute and a few seconds
        behind.
        """
        answer: Stats = self._transport.json(
            Call(
                "GET",
                path("/v1/stats"),
                repeatable="always",
                query={"from": from_, "to": to, "bucket": bucket},
                timeout=request_timeout,
            )
        )
        return answer

    def list_errors(
        self,
        *,
        from_: Maybe[str] = NOT_GIVEN,
        to: Maybe[str] = NOT_GIVEN,
        dead: Maybe[bool] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[ErrorCount, ErrorCountList]:
        """
        Count messages by error. Counts messages by channel, provider and latest error
        code, most frequent first, at most 200 items. Messages that recovered from an
        error are not counted.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/stats/errors"),
                repeatable="always",
                query={"from": from_, "to": to, "dead": dead},
                timeout=request_timeout,
            )
        )


class SuppressionsCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        reason: Maybe[SuppressionReason] = NOT_GIVEN,
        q: Maybe[str] = NOT_GIVEN,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[Suppression, SuppressionPage]:
        """List suppressions. Newest first."""
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/suppressions"),
                repeatable="always",
                query={"reason": reason, "q": q, "cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )

    def import_(
        self,
        *,
        items: List[SuppressionItem],
        request_timeout: Optional[float] = None,
    ) -> SuppressionImport:
        """
        Import up to 1,000 suppressions. Adds all addresses, or none if one is invalid.
        Replaces existing entries; safe to retry.
        """
        answer: SuppressionImport = self._transport.json(
            Call(
                "POST",
                path("/v1/suppressions"),
                repeatable="never",
                body={"items": items},
                timeout=request_timeout,
            )
        )
        return answer

    def get(
        self,
        address: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> Suppression:
        """Get a suppression. Expired suppressions are not found."""
        answer: Suppression = self._transport.json(
            Call(
                "GET",
                path("/v1/suppressions/{address}", address=address),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def put(
        self,
        address: str,
        *,
        reason: Maybe[SettableSuppressionReason] = NOT_GIVEN,
        note: Maybe[str] = NOT_GIVEN,
        expires_at: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Suppression:
        """
        Suppress an address. Replaces an existing entry. The body may be `{}`. Emails to
        the address that are not sent yet fail.
        """
        answer: Suppression = self._transport.json(
            Call(
                "PUT",
                path("/v1/suppressions/{address}", address=address),
                repeatable="always",
                body={"reason": reason, "note": note, "expires_at": expires_at},
                timeout=request_timeout,
            )
        )
        return answer

    def remove(
        self,
        address: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> None:
        """
        Delete a suppression. The address can get email again. Another hard bounce or
        complaint suppresses it again.
        """
        return self._transport.nothing(
            Call(
                "DELETE",
                path("/v1/suppressions/{address}", address=address),
                repeatable="always",
                timeout=request_timeout,
            )
        )


class TemplatesCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[TemplateSummary, TemplateSummaryPage]:
        """
        List templates. The newest version of each template, sorted by name and locale,
        without its texts.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/templates"),
                repeatable="always",
                query={"cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )

    def add(
        self,
        *,
        name: str,
        channel: Channel,
        text: str,
        locale: Maybe[str] = NOT_GIVEN,
        subject: Maybe[str] = NOT_GIVEN,
        html: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Template:
        """
        Save a template. Creates the first or the next version of a template in a
        locale, by default in the default locale. Texts are Liquid templates. Liquid
        errors and html with scripts are refused, with line and column. Templates for
        email need a subject and html; only `otp-email` needs no subject.
        """
        answer: Template = self._transport.json(
            Call(
                "POST",
                path("/v1/templates"),
                repeatable="never",
                body={"name": name, "locale": locale, "channel": channel, "text": text, "subject": subject, "html": html},
                timeout=request_timeout,
            )
        )
        return answer

    def list_locales(
        self,
        name: str,
        *,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[Template, TemplatePage]:
        """
        Get a template. The newest version in each of its locales, with its texts. Where
        they are long, a page has fewer locales: continue until `next_cursor` is null.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/templates/{name}", name=name),
                repeatable="always",
                query={"cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )

    def change(
        self,
        name: str,
        *,
        locale: Maybe[str] = NOT_GIVEN,
        text: Maybe[str] = NOT_GIVEN,
        subject: Maybe[Optional[str]] = NOT_GIVEN,
        html: Maybe[Optional[str]] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Template:
        """
        Update a template. Creates the next version in one locale with the given texts;
        null removes an optional text.
        """
        answer: Template = self._transport.json(
            Call(
                "PATCH",
                path("/v1/templates/{name}", name=name),
                repeatable="never",
                body={"locale": locale, "text": text, "subject": subject, "html": html},
                timeout=request_timeout,
            )
        )
        return answer

    def remove(
        self,
        name: str,
        *,
        locale: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> None:
        """Delete a template. All versions, in one locale or in all."""
        return self._transport.nothing(
            Call(
                "DELETE",
                path("/v1/templates/{name}", name=name),
                repeatable="always",
                query={"locale": locale},
                timeout=request_timeout,
            )
        )

    def list_versions(
        self,
        name: str,
        *,
        locale: Maybe[str] = NOT_GIVEN,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[TemplateSummary, TemplateSummaryPage]:
        """
        List the versions of a template. In one locale, newest first, without their
        texts.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/templates/{name}/versions", name=name),
                repeatable="always",
                query={"locale": locale, "cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )

    def get_version(
        self,
        name: str,
        version: str,
        *,
        locale: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Template:
        """Get a version of a template. In one locale, with its texts."""
        answer: Template = self._transport.json(
            Call(
                "GET",
                path("/v1/templates/{name}/versions/{version}", name=name, version=version),
                repeatable="always",
                query={"locale": locale},
                timeout=request_timeout,
            )
        )
        return answer

    def preview(
        self,
        *,
        name: Maybe[str] = NOT_GIVEN,
        locale: Maybe[str] = NOT_GIVEN,
        text: Maybe[str] = NOT_GIVEN,
        subject: Maybe[str] = NOT_GIVEN,
        html: Maybe[str] = NOT_GIVEN,
        data: Maybe[TemplateData] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> TemplatePreview:
        """
        Preview a template. Renders a saved template (`name`) or a draft (`text`,
        `subject` and `html`). Nothing is sent. Missing variables are refused, as in a
        send. A tenant may preview 10 templates a second, and 30 at once.
        """
        answer: TemplatePreview = self._transport.json(
            Call(
                "POST",
                path("/v1/templates/preview"),
                repeatable="always",
                body={"name": name, "locale": locale, "text": text, "subject": subject, "html": html, "data": data},
                timeout=request_timeout,
            )
        )
        return answer


class TenantsCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_usage(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> TenantQuotaUsage:
        """
        Get the quotas of a tenant. How much a tenant may set up, have waiting and
        store, and how much of it is used. `waiting_messages` are accepted and not
        handed to a provider yet. When they or `stored_bytes` reach their limit, sends
        are refused with 507; when another quota does, additions are refused with 409.
        """
        answer: TenantQuotaUsage = self._transport.json(
            Call(
                "GET",
                path("/v1/tenants/{id}/usage", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def list(
        self,
        *,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[Tenant, TenantPage]:
        """
        List tenants. Those of the operator's file and those created here, sorted by id.
        Tenants that are not listed work with the defaults of the installation, unless
        POMBO_TENANTS is `known`.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/tenants"),
                repeatable="always",
                query={"cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )

    def add(
        self,
        *,
        id: str,
        name: Maybe[str] = NOT_GIVEN,
        state: Maybe[TenantState] = NOT_GIVEN,
        providers: Maybe[List[str]] = NOT_GIVEN,
        senders: Maybe[List[str]] = NOT_GIVEN,
        quotas: Maybe[TenantQuotas] = NOT_GIVEN,
        retention_days: Maybe[int] = NOT_GIVEN,
        default_locale: Maybe[str] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Tenant:
        """
        Create a tenant. Describes a tenant, whether or not it has called before. In
        effect in every process once it responds.
        """
        answer: Tenant = self._transport.json(
            Call(
                "POST",
                path("/v1/tenants"),
                repeatable="never",
                body={"id": id, "name": name, "state": state, "providers": providers, "senders": senders, "quotas": quotas, "retention_days": retention_days, "default_locale": default_locale},
                timeout=request_timeout,
            )
        )
        return answer

    def get(
        self,
        id: str,
        *,
        request_timeout: Optional[float] = None,
    ) -> Tenant:
        """Get a tenant. One that was created here, or one of the operator's file."""
        answer: Tenant = self._transport.json(
            Call(
                "GET",
                path("/v1/tenants/{id}", id=id),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def change(
        self,
        id: str,
        *,
        name: Maybe[Optional[str]] = NOT_GIVEN,
        state: Maybe[TenantState] = NOT_GIVEN,
        providers: Maybe[Optional[List[str]]] = NOT_GIVEN,
        senders: Maybe[Optional[List[str]]] = NOT_GIVEN,
        quotas: Maybe[Optional[TenantQuotas]] = NOT_GIVEN,
        retention_days: Maybe[Optional[int]] = NOT_GIVEN,
        default_locale: Maybe[Optional[str]] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Tenant:
        """
        Update a tenant. Changes the given fields; null removes a field. Suspending a
        tenant refuses its calls at once, and its waiting messages become dead letters,
        which can be replayed once it is active again. Tenants of the operator's file
        cannot be changed.
        """
        answer: Tenant = self._transport.json(
            Call(
                "PATCH",
                path("/v1/tenants/{id}", id=id),
                repeatable="never",
                body={"name": name, "state": state, "providers": providers, "senders": senders, "quotas": quotas, "retention_days": retention_days, "default_locale": default_locale},
                timeout=request_timeout,
            )
        )
        return answer


class UsageCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_quotas(
        self,
        *,
        request_timeout: Optional[float] = None,
    ) -> TenantQuotaUsage:
        """
        Get your quotas. How much a tenant may set up, have waiting and store, and how
        much of it is used. `waiting_messages` are accepted and not handed to a provider
        yet. When they or `stored_bytes` reach their limit, sends are refused with 507;
        when another quota does, additions are refused with 409.
        """
        answer: TenantQuotaUsage = self._transport.json(
            Call(
                "GET",
                path("/v1/usage/quotas"),
                repeatable="always",
                timeout=request_timeout,
            )
        )
        return answer

    def list(
        self,
        *,
        from_: Maybe[str] = NOT_GIVEN,
        to: Maybe[str] = NOT_GIVEN,
        account_id: Maybe[str] = NOT_GIVEN,
        group_by: Maybe[str] = NOT_GIVEN,
        cursor: Maybe[str] = NOT_GIVEN,
        limit: Maybe[int] = NOT_GIVEN,
        request_timeout: Optional[float] = None,
    ) -> Pages[UsageRecord, UsagePage]:
        """
        Get the usage of accounts. How many messages and segments were accepted and
        sent, for bills: also when the messages have been erased or deleted since. Needs
        `messages:read`, and `admin` for other accounts than your own. As CSV, the
        header `Link` names the next page.
        """
        return self._transport.pages(
            Call(
                "GET",
                path("/v1/usage"),
                repeatable="always",
                query={"from": from_, "to": to, "account_id": account_id, "group_by": group_by, "cursor": cursor, "limit": limit},
                timeout=request_timeout,
            )
        )


class UsersCalls:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def configure(
        self,
        *,
        userId: int,
        rateLimit: int,
        timeWindow: int,
        request_timeout: Optional[float] = None,
    ) -> UserLimit:
        """Set the limit of a user. Replaces an existing limit and resets its count."""
        answer: UserLimit = self._transport.json(
            Call(
                "POST",
                path("/api/config"),
                repeatable="never",
                body={"userId": userId, "rateLimit": rateLimit, "timeWindow": timeWindow},
                timeout=request_timeout,
            )
        )
        return answer

    def send(
        self,
        *,
        userId: int,
        message: str,
        request_timeout: Optional[float] = None,
    ) -> str:
        """
        Send an SMS to a user. Sends to the phone number of the recipient whose
        `external_id` is the user id. Without such a recipient, sends to the simulator
        as `user:101`.
        """
        return self._transport.text(
            Call(
                "POST",
                path("/api/send"),
                repeatable="never",
                body={"userId": userId, "message": message},
                timeout=request_timeout,
            )
        )


class Resources:
    """Every call of the API by its resource."""

    def __init__(self, transport: Transport) -> None:
        self.api_keys = ApiKeysCalls(transport)
        self.audit_log = AuditLogCalls(transport)
        self.console_users = ConsoleUsersCalls(transport)
        self.dead_letters = DeadLettersCalls(transport)
        self.domains = DomainsCalls(transport)
        self.email = EmailCalls(transport)
        self.endpoints = EndpointsCalls(transport)
        self.erasures = ErasuresCalls(transport)
        self.limits = LimitsCalls(transport)
        self.messages = MessagesCalls(transport)
        self.operations = OperationsCalls(transport)
        self.otp = OtpCalls(transport)
        self.providers = ProvidersCalls(transport)
        self.recipients = RecipientsCalls(transport)
        self.routes = RoutesCalls(transport)
        self.sessions = SessionsCalls(transport)
        self.simulator = SimulatorCalls(transport)
        self.sms = SmsCalls(transport)
        self.stats = StatsCalls(transport)
        self.suppressions = SuppressionsCalls(transport)
        self.templates = TemplatesCalls(transport)
        self.tenants = TenantsCalls(transport)
        self.usage = UsageCalls(transport)
        self.users = UsersCalls(transport)
