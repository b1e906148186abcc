/**
 * SQL views of mail as a pipeline log (domain/email/email-log.ts), for users who query the file directly. Numbers in
 * brackets are tuple indexes of messages/event-codec.ts and shared/codec.ts; an absent field is 0 there. Times are
 * milliseconds.
 */
import { CATEGORY_OF } from '../../domain/message/error-category.ts'
import type { View } from './views.ts'

/** The newest value of a field of the state, up to the event with the given key. */
export const fieldOf = (field: number, through = `9e9`): string => `(
      select nullif(past.value ->> '$[8]."${field}"', 0) from json_each(events) as past
      where past.key <= ${through} and json_type(past.value, '$[8]."${field}"') is not null order by past.key desc limit 1
    )`

/** The pipeline status of a mail. */
const statusOf = (handoffState: string, phase: string): string => `
    case ${handoffState}
      when 'handed_off' then 'SENT'
      when 'failed' then 'FAILED'
      when 'sending' then iif(${phase} = 'closed', 'RETRY_SCHEDULED', 'SENT_ATTEMPT')
      else 'RECEIVED'
    end`

const textLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The category of an error code, as `toErrorCategory` computes it. */
const categoryOf = (code: string, willRetry: string): string => `
    case ${code}
      ${[...CATEGORY_OF].map(([listed, category]) => `when ${textLiteral(listed)} then '${category}'`).join('\n      ')}
      else iif(${code} is null, null,
        iif(${willRetry} or ${code} glob 'HTTP_5[0-9][0-9]', 'TRANSIENT_ERROR', 'PERMANENT_ERROR'))
    end`

const LOGS = `
  select facts ->> '$[0]' as outbox_id, tenant as company_id, searchable ->> '$.recipientId' as recipient_id,
    searchable ->> '$.to' as "to", searchable ->> '$.subject' as subject,
    ${statusOf('handoff_state', 'phase')} as status,
    ${fieldOf(16)} as ses_message_id, error_code, ${fieldOf(18)} as error_reason,
    coalesce(${fieldOf(1)}, 0) as attempts, coalesce(handed_off_at, failed_at) - created_at as duration_ms,
    facts ->> '$[0]' as request_id, created_at, handed_off_at as sent_at, failed_at,
    nullif(facts ->> '$[13]', 0) as http_request_id,
    ${categoryOf('error_code', "(handoff_state = 'sending')")} as error_category
  from (
    select *, case handoff_state when 'failed' then (
      select past.value ->> '$[4]' from json_each(events) as past
      where past.value ->> '$[8]."4"' = 'failed' order by past.key desc limit 1
    ) end as failed_at
    from (select *, ${fieldOf(19)} as handed_off_at from messages join shapes using (shape) where channel = 'email')
  )
`

/** The outbox of the pipeline: what it has taken on, and what became of it. The HTML is sealed. */
const OUTBOX = `
  select outbox_id as id, company_id, recipient_id, "to", subject, status, attempts, error_reason as last_error,
    http_request_id, created_at, coalesce(sent_at, failed_at) as processed_at
  from email_logs
`

/** Maps events to pipeline events, in order; `after` is the status the mail must have by then. */
const EVENTS = `
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
    select n, event.value ->> '$[0]' as seq, facts ->> '$[0]' as id, tenant, event.value ->> '$[2]' as cycle,
      event.value ->> '$[3]' as attempt, event.value ->> '$[4]' as at, event.value ->> '$[6]' as previous,
      event.value -> '$[7]' as fact, ${fieldOf(1, 'event.key')} as attempts, ${fieldOf(13, 'event.key')} as sent_by,
      ${fieldOf(16, 'event.key')} as sent_as, ${fieldOf(17, 'event.key')} as code, ${fieldOf(18, 'event.key')} as reason,
      ${statusOf(fieldOf(4, 'event.key'), fieldOf(3, 'event.key'))} as status
    from messages join shapes using (shape), json_each(events) as event where channel = 'email'
  )
  select id as email_log_id, tenant as company_id, type, json_patch('{}', json_object(
      'attempt', attempt + ahead, 'cycle', cycle, 'duration_ms', at - lag(at, 1, at) over seen,
      'checks', iif(type = 'VALIDATED', fact -> '$.checks', null),
      'check', iif(type = 'VALIDATION_FAILED', fact ->> '$.check', null),
      'provider', iif(type in ('SENT_ATTEMPT', 'SENT', 'RETRY_SCHEDULED'), sent_by, null),
      'ses_message_id', iif(type = 'SENT', sent_as, null),
      'error_code', iif(type like '%FAILED' or type = 'RETRY_SCHEDULED', code, null),
      'error_category', iif(type like '%FAILED' or type = 'RETRY_SCHEDULED',
        ${categoryOf('code', "type = 'RETRY_SCHEDULED'")}, null),
      'original_code', iif(code is not null and (type like '%FAILED' or type = 'RETRY_SCHEDULED'),
        fact ->> '$.originalCode', null),
      'error_message', iif(type like '%FAILED' or type = 'RETRY_SCHEDULED', reason, null),
      'will_retry', json(case when type like '%FAILED' then 'false' when type = 'RETRY_SCHEDULED' then 'true' end),
      'next_attempt_number', iif(type = 'RETRY_SCHEDULED', attempts + 1, null),
      'backoff_delay', iif(type = 'RETRY_SCHEDULED', max(0, (fact ->> '$.dueAt') - at), null)
    )) as metadata, at as created_at
  from happened join mapping on kind = fact ->> '$.kind' and (after is null or after = status)
    and (rank > 0 or previous <> 'queued')
  window seen as (partition by n order by seq, rank)
`

/** In the order of their dependencies. */
export const EMAIL_VIEWS: readonly View[] = [
  { name: 'email_logs', select: LOGS },
  { name: 'email_events', select: EVENTS },
  { name: 'email_outbox', select: OUTBOX },
]
