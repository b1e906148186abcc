-- SMS and one-time codes as the tables of the service they were first described for (docs/designs.md), in views over the
-- index and the timeline, each bound by their policies. What is sealed, or known by its hash only, is null.

-- As `toStatus` of src/domain/message/states.ts derives it.
create function pombo.status_of(handoff_state text, provider_state text, expired boolean)
  returns text language sql immutable parallel safe return case provider_state
    when 'delivered' then 'delivered'
    when 'timed_out' then 'expired'
    when 'bounced' then 'failed'
    when 'dropped' then 'failed'
    when 'complaint' then 'failed'
    else case when expired then 'expired' when handoff_state = 'handed_off' then 'sent' else handoff_state end
  end;

create view pombo.sms_requests with (security_invoker = true) as
select m.id, null::text as idempotency_key, pombo.text_of(decoded.searchable -> 'to') as to_number,
  null::text as message_hash, null::text as sender_id, (decoded.searchable -> 'metadata')::jsonb as metadata, m.provider,
  m.status, m.error_code, pombo.text_of(places -> 18) as error_detail, m.provider_message_id, m.created_at,
  pombo.number_of(places -> 6) as updated_at, m.tenant as tenant_id, pombo.text_of(decoded.facts -> 2) as account_id,
  pombo.number_of(decoded.facts -> 6) as segments, pombo.text_of(decoded.facts -> 14) as country
from pombo.messages m cross join lateral (
  select pombo.places(m.facts) as facts, pombo.places(m.state) as places, pombo.places(m.searchable) as searchable
) decoded
where m.channel = 'sms';

create view pombo.sms_events with (security_invoker = true) as
select position as id, message as request_id, pombo.text_of(fact -> 'kind') as event_type,
  jsonb_strip_nulls(jsonb_build_object(
    'status', pombo.status_of(pombo.text_of(state -> 4), pombo.text_of(state -> 5), (state ->> 7)::boolean),
    'cycle', pombo.number_of(places -> 0), 'attempt', pombo.number_of(places -> 1),
    'provider', fact -> 'provider', 'route_id', fact -> 'routeId', 'operator_id', fact -> 'operatorId',
    'provider_message_id', fact -> 'providerMessageId', 'by', fact -> 'by',
    'no_delivery_reports', fact -> 'noDeliveryReports', 'report_id', fact -> 'reportId', 'checks', fact -> 'checks',
    'check', fact -> 'check', 'code', fact -> 'code', 'original_code', fact -> 'originalCode',
    'detail', fact -> 'detail', 'outcome', fact -> 'outcome', 'reconcile_at', fact -> 'reconcileAt',
    'due_at', fact -> 'dueAt', 'retry_after_seconds', fact -> 'retryAfterSeconds', 'exclude', fact -> 'exclude',
    'avoid', fact -> 'avoid', 'uncounted', fact -> 'uncounted', 'starts_over', fact -> 'startsOver',
    'resolved_by', fact -> 'resolvedBy', 'kept', fact -> 'kept'
  )) as payload, pombo.number_of(places -> 2) as created_at, tenant as tenant_id
from pombo.events e cross join lateral (
  select places, places -> 5 as fact, places -> 6 as state from (select pombo.places(e.body) as places) read
) decoded
where pombo.text_of(pombo.places(e.facts) -> 3) = 'sms';

-- A challenge has the id of its message.
create view pombo.otp_challenges with (security_invoker = true) as
select c.id, pombo.text_of(pombo.places(m.searchable) -> 'to') as to_number, null::text as otp_hash,
  c.id as sms_request_id, c.expires_at as ttl_expires_at, c.attempts, c.max_attempts,
  case
    when c.verified_at is not null then 'verified'
    when c.expires_at <= extract(epoch from now()) * 1000 then 'expired'
    when c.attempts >= c.max_attempts then 'exhausted'
    else 'pending'
  end as status,
  c.created_at, coalesce(c.verified_at, c.created_at) as updated_at, c.tenant as tenant_id, c.account as account_id
from pombo.challenges c left join pombo.messages m on m.id = c.id and m.tenant = c.tenant;

grant select on pombo.sms_requests, pombo.sms_events to pombo_tenant, pombo_system;
grant select on pombo.otp_challenges to pombo_tenant;
