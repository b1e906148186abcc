/**
 * SQL views of mail as a pipeline log (domain/email/email-log.ts), for users who query the file directly. Numbers
 * in brackets are tuple indexes of shared/codec.ts; an absent field is 0 there. Errors appear only with their code.
 * Times are milliseconds.
 */

/** The pipeline status of a mail, from its encoded state. */
const statusOf = (handoffState: string, phase: string): string => `
    case ${handoffState}
      when 'handed_off' then 'SENT'
      when 'failed' then 'FAILED'
      when 'sending' then iif(${phase} = 'closed', 'RETRY_SCHEDULED', 'SENT_ATTEMPT')
      else 'RECEIVED'
    end`

const LOGS = `
  create view email_logs as
  select facts ->> '$[0]' as outbox_id, tenant as company_id, searchable ->> '$.recipientId' as recipient_id,
    searchable ->> '$.to' as "to", searchable ->> '$.subject' as subject,
    ${statusOf('handoff_state', `state ->> '$[3]'`)} as status,
    provider_message_id as ses_message_id, error_code, nullif(state ->> '$[18]', 0) as error_reason,
    state ->> '$[1]' as attempts, coalesce(handed_off_at, failed_at) - created_at as duration_ms,
    facts ->> '$[0]' as request_id, created_at, handed_off_at as sent_at, failed_at
  from (
    select *, case handoff_state when 'failed' then (
      select min(body ->> '$[2]') from events
      where events.n = listing.n and body ->> '$[6][0]' = state ->> '$[0]' and body ->> '$[6][4]' = 'failed'
    ) end as failed_at
    from listing where channel = 'email'
  );
`

/** Maps events to pipeline events, in order; `after` is the status the mail must have by then. */
const EVENTS = `
  create view email_events as
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
    select n, seq, facts ->> '$[0]' as id, facts ->> '$[1]' as tenant, body ->> '$[0]' as cycle,
      body ->> '$[1]' as attempt, body ->> '$[2]' as at, body ->> '$[4]' as previous, body -> '$[5]' as fact,
      body -> '$[6]' as state,
      ${statusOf(`body ->> '$[6][4]'`, `body ->> '$[6][3]'`)} as status
    from events join messages using (n) where facts ->> '$[3]' = 'email'
  )
  select id as email_log_id, tenant as company_id, type, json_patch('{}', json_object(
      'attempt', attempt + ahead, 'cycle', cycle, 'duration_ms', at - lag(at, 1, at) over seen,
      'checks', iif(type = 'VALIDATED', fact -> '$.checks', null),
      'check', iif(type = 'VALIDATION_FAILED', fact ->> '$.check', null),
      'provider', iif(type in ('SENT_ATTEMPT', 'SENT', 'RETRY_SCHEDULED'), nullif(state ->> '$[13]', 0), null),
      'ses_message_id', iif(type = 'SENT', nullif(state ->> '$[16]', 0), null),
      'error_code', iif(type like '%FAILED' or type = 'RETRY_SCHEDULED', nullif(state ->> '$[17]', 0), null),
      'error_message', iif(type like '%FAILED' or type = 'RETRY_SCHEDULED', nullif(state ->> '$[18]', 0), null),
      'will_retry', json(case when type like '%FAILED' then 'false' when type = 'RETRY_SCHEDULED' then 'true' end),
      'next_attempt_number', iif(type = 'RETRY_SCHEDULED', (state ->> '$[1]') + 1, null),
      'backoff_delay', iif(type = 'RETRY_SCHEDULED', max(0, (fact ->> '$.dueAt') - at), null)
    )) as metadata, at as created_at
  from happened join mapping on kind = fact ->> '$.kind' and (after is null or after = status)
    and (rank > 0 or previous <> 'queued')
  window seen as (partition by n order by seq, rank);
`

/** Part of the fifth version of the schema. */
export const EMAIL_VIEWS = `
  -- The provider's message id.
  alter table listing add column provider_message_id text;
  update listing set provider_message_id = nullif(state ->> '$[16]', 0) where state ->> '$[16]' is not 0;
  create index listing_mail_named on listing (provider_message_id)
    where channel = 'email' and provider_message_id is not null;
  ${LOGS}
  ${EVENTS}
`
