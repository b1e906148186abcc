-- The timeline, in one row for the events of a message that were written together, instead of one for each event.
-- pombo.message_events keeps those of earlier releases.
create table pombo.timelines (
  message uuid not null,
  -- The newest event in this row.
  position bigint not null,
  tenant text collate "C" not null check (tenant <> ''),
  facts text not null,
  -- Oldest first: [position, hash or what follows the message's id in its own, event as src/engines/shared/codec.ts
  -- encodes it].
  -- Another row may repeat some of them.
  events text not null,
  primary key (message, position)
);

alter table pombo.timelines enable row level security;
alter table pombo.timelines force row level security;
create policy tenant on pombo.timelines to pombo_tenant
  using (tenant = current_setting('pombo.tenant', true))
  with check (tenant = current_setting('pombo.tenant', true));
create policy system on pombo.timelines to pombo_system using (true) with check (true);
grant select on pombo.timelines to pombo_tenant;
grant select, insert, delete on pombo.timelines to pombo_system;

-- Every event once, with its message.
create view pombo.events with (security_invoker = true) as
  select message, tenant, position, facts, body from pombo.message_events
  union
  select t.message, t.tenant, pombo.number_of(e.place -> 0), t.facts, (e.place -> 2)::text
  from pombo.timelines t cross join lateral json_array_elements(pombo.places(t.events)) as e (place);
grant select on pombo.events to pombo_tenant, pombo_system;

-- The views of mail, over all events.
create or replace view pombo.email_logs with (security_invoker = true) as
select m.id as outbox_id, m.tenant as company_id, pombo.text_of(decoded.searchable -> 'recipientId') as recipient_id,
  pombo.text_of(decoded.searchable -> 'to') as "to", pombo.text_of(decoded.searchable -> 'subject') as subject,
  pombo.email_status(m.handoff_state, pombo.text_of(places -> 3)) as status, m.provider_message_id as ses_message_id,
  pombo.text_of(places -> 17) as error_code, pombo.text_of(places -> 18) as error_reason,
  pombo.number_of(places -> 1) as attempts, coalesce(m.handed_off_at, failed.at) - m.created_at as duration_ms,
  m.id as request_id, m.created_at, m.handed_off_at as sent_at, failed.at as failed_at
from pombo.messages m
  cross join lateral (select pombo.places(m.state) as places, pombo.places(m.searchable) as searchable) decoded
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
    'error_message', case when type ~ 'FAILED|RETRY' then pombo.text_of(state -> 18) end,
    'will_retry', case when type ~ 'FAILED|RETRY' then type = 'RETRY_SCHEDULED' end,
    'next_attempt_number', case type when 'RETRY_SCHEDULED' then pombo.number_of(state -> 1) + 1 end,
    'backoff_delay', case type when 'RETRY_SCHEDULED' then greatest(0, pombo.number_of(fact -> 'dueAt') - at) end
  )) as metadata, at as created_at
from happened join mapping on kind = pombo.text_of(fact -> 'kind') and (after is null or after = status)
  and (rank > 0 or previous <> 'queued');
