-- The categories of error codes, as src/domain/message/error-category.ts lists them: `pombo migrate` writes them.
create table pombo.error_categories (
  code text collate "C" primary key,
  category text collate "C" not null
);
grant select on pombo.error_categories to pombo_tenant, pombo_system;

-- As `toErrorCategory` computes it; null for a null code.
create function pombo.error_category(code text, will_retry boolean) returns text language sql stable parallel safe return
  case when error_category.code is not null then coalesce(
    (select listed.category from pombo.error_categories listed where listed.code = error_category.code),
    case when will_retry or error_category.code ~ '^HTTP_5\d\d$' then 'TRANSIENT_ERROR' else 'PERMANENT_ERROR' end
  ) end;

-- The views of mail, with error categories, the provider's own codes and the X-Request-Id of the call.
create or replace view pombo.email_logs with (security_invoker = true) as
select m.id as outbox_id, m.tenant as company_id, pombo.text_of(decoded.searchable -> 'recipientId') as recipient_id,
  pombo.text_of(decoded.searchable -> 'to') as "to", pombo.text_of(decoded.searchable -> 'subject') as subject,
  pombo.email_status(m.handoff_state, pombo.text_of(places -> 3)) as status, m.provider_message_id as ses_message_id,
  pombo.text_of(places -> 17) as error_code, pombo.text_of(places -> 18) as error_reason,
  pombo.number_of(places -> 1) as attempts, coalesce(m.handed_off_at, failed.at) - m.created_at as duration_ms,
  m.id as request_id, m.created_at, m.handed_off_at as sent_at, failed.at as failed_at,
  pombo.text_of(decoded.facts -> 13) as http_request_id,
  pombo.error_category(pombo.text_of(places -> 17), m.handoff_state = 'sending') as error_category
from pombo.messages m
  cross join lateral (
    select pombo.places(m.facts) as facts, pombo.places(m.state) as places, pombo.places(m.searchable) as searchable
  ) decoded
  left join lateral (
    select min(pombo.number_of(pombo.places(e.body) -> 2)) as at from pombo.events e
    where e.message = m.id and e.tenant = m.tenant and m.handoff_state = 'failed'
      and (pombo.places(e.body) #> '{6,0}')::text = (places -> 0)::text
      and pombo.text_of(pombo.places(e.body) #> '{6,4}') = 'failed'
  ) failed on true
where m.channel = 'email';

-- Maps events to pipeline events, in order; "after" is the status the mail must have by then.
create or replace view pombo.email_events with (security_invoker = true) as
with mapping (kind, type, rank, after, ahead) as (values
  ('MessageCreated', 'RECEIVED', 1, null, 1),
  ('ResendRequested', 'RECEIVED', 1, null, 1),
  ('MessageValidated', 'RECEIVED', 0, null, 1),
  ('MessageValidated', 'VALIDATED', 1, null, 1),
  ('ValidationFailed', 'RECEIVED', 0, 'FAILED', 1),
  ('ValidationFailed', 'VALIDATION_FAILED', 1, 'FAILED', 1),
  ('ValidationFailed', 'FAILED', 2, 'FAILED', 1),
  ('HandoffAttempted', 'SENT_ATTEMPT', 1, 'SENT_ATTEMPT', 0),
  ('HandoffAccepted', 'SENT', 1, 'SENT', 0),
  ('RetryScheduled', 'RETRY_SCHEDULED', 1, 'RETRY_SCHEDULED', 0),
  ('HandoffFailed', 'FAILED', 1, 'FAILED', 0),
  ('DeadLettered', 'FAILED', 1, 'FAILED', 0),
  ('MessageExpired', 'FAILED', 1, 'FAILED', 0)
),
happened as (
  select message, tenant, position, pombo.number_of(places -> 0) as cycle, pombo.number_of(places -> 1) as attempt,
    pombo.number_of(places -> 2) as at, pombo.text_of(places -> 4) as previous, places -> 5 as fact, places -> 6 as state,
    pombo.email_status(pombo.text_of(places #> '{6,4}'), pombo.text_of(places #> '{6,3}')) as status
  from pombo.events e cross join lateral (select pombo.places(e.body) as places) read
  where pombo.text_of(pombo.places(e.facts) -> 3) = 'email'
)
select message as email_log_id, tenant as company_id, type, jsonb_strip_nulls(jsonb_build_object(
    'attempt', attempt + ahead,
    'cycle', cycle,
    'duration_ms', at - lag(at, 1, at) over (partition by message order by position, rank),
    'checks', case type when 'VALIDATED' then fact -> 'checks' end,
    'check', case type when 'VALIDATION_FAILED' then fact -> 'check' end,
    'provider', case when type in ('SENT_ATTEMPT', 'SENT', 'RETRY_SCHEDULED') then pombo.text_of(state -> 13) end,
    'ses_message_id', case type when 'SENT' then pombo.text_of(state -> 16) end,
    'error_code', case when type ~ 'FAILED|RETRY' then pombo.text_of(state -> 17) end,
    'error_category', case when type ~ 'FAILED|RETRY'
      then pombo.error_category(pombo.text_of(state -> 17), type = 'RETRY_SCHEDULED') end,
    'original_code', case when type ~ 'FAILED|RETRY' and pombo.text_of(state -> 17) is not null
      then pombo.text_of(fact -> 'originalCode') end,
    'error_message', case when type ~ 'FAILED|RETRY' then pombo.text_of(state -> 18) end,
    'will_retry', case when type ~ 'FAILED|RETRY' then type = 'RETRY_SCHEDULED' end,
    'next_attempt_number', case type when 'RETRY_SCHEDULED' then pombo.number_of(state -> 1) + 1 end,
    'backoff_delay', case type when 'RETRY_SCHEDULED' then greatest(0, pombo.number_of(fact -> 'dueAt') - at) end
  )) as metadata, at as created_at
from happened join mapping on kind = pombo.text_of(fact -> 'kind') and (after is null or after = status)
  and (rank > 0 or previous <> 'queued');

-- What the pipeline has taken on, and what became of it. The HTML is sealed.
create view pombo.email_outbox with (security_invoker = true) as
select outbox_id as id, company_id, recipient_id, "to", subject, status, attempts, error_reason as last_error,
  http_request_id, created_at, coalesce(sent_at, failed_at) as processed_at
from pombo.email_logs;
grant select on pombo.email_outbox to pombo_tenant, pombo_system;
