/**
 * SQL views of SMS and one-time codes as the tables of the service they were first described for (docs/designs.md), for
 * users who query the file directly. What is sealed, or known by its hash only, is null. Numbers in brackets are tuple
 * indexes of messages/event-codec.ts and shared/codec.ts; an absent field is 0 there. Times are milliseconds.
 */
import { fieldOf } from './email-views.ts'
import type { View } from './views.ts'

const REQUESTS = `
  select facts ->> '$[0]' as id, null as idempotency_key, searchable ->> '$.to' as to_number, null as message_hash,
    null as sender_id, searchable -> '$.metadata' as metadata, provider, status, error_code,
    ${fieldOf(18)} as error_detail, ${fieldOf(16)} as provider_message_id, created_at,
    (select coalesce(past.value ->> '$[8]."6"', past.value ->> '$[4]') from json_each(events) as past
      order by past.key desc limit 1) as updated_at,
    tenant as tenant_id, facts ->> '$[2]' as account_id, facts ->> '$[6]' as segments,
    nullif(facts ->> '$[14]', 0) as country
  from messages join shapes using (shape) where channel = 'sms'
`

/** The fields of facts, by their names in the payload. */
const FIELDS: Readonly<Record<string, string>> = {
  provider: 'provider',
  route_id: 'routeId',
  operator_id: 'operatorId',
  provider_message_id: 'providerMessageId',
  by: 'by',
  no_delivery_reports: 'noDeliveryReports',
  report_id: 'reportId',
  checks: 'checks',
  check: 'check',
  code: 'code',
  original_code: 'originalCode',
  detail: 'detail',
  outcome: 'outcome',
  reconcile_at: 'reconcileAt',
  due_at: 'dueAt',
  retry_after_seconds: 'retryAfterSeconds',
  exclude: 'exclude',
  avoid: 'avoid',
  uncounted: 'uncounted',
  starts_over: 'startsOver',
  resolved_by: 'resolvedBy',
  kept: 'kept',
}

/** As `toStatus` derives it. */
const EVENTS = `
  select seq as id, request_id, fact ->> '$.kind' as event_type, json_patch('{}', json_object(
      'status', case provider_state
        when 'delivered' then 'delivered' when 'timed_out' then 'expired'
        when 'bounced' then 'failed' when 'dropped' then 'failed' when 'complaint' then 'failed'
        else iif(expired, 'expired', iif(handoff_state = 'handed_off', 'sent', handoff_state)) end,
      'cycle', cycle, 'attempt', attempt,
      ${Object.entries(FIELDS)
        .map(([name, field]) => `'${name}', fact -> '$.${field}'`)
        .join(', ')}
    )) as payload, at as created_at, tenant as tenant_id
  from (
    select facts ->> '$[0]' as request_id, tenant, event.value ->> '$[0]' as seq, event.value ->> '$[2]' as cycle,
      event.value ->> '$[3]' as attempt, event.value ->> '$[4]' as at, event.value -> '$[7]' as fact,
      coalesce(${fieldOf(4, 'event.key')}, 'queued') as handoff_state,
      coalesce(${fieldOf(5, 'event.key')}, 'unknown') as provider_state,
      coalesce(${fieldOf(7, 'event.key')}, 0) as expired
    from messages join shapes using (shape), json_each(events) as event where channel = 'sms'
  )
`

/** As `toChallengeStatus` derives it. A challenge has the id of its message. */
const CHALLENGES = `
  select id, carrier.to_number, null as otp_hash, id as sms_request_id, expires_at as ttl_expires_at, attempts,
    max_attempts, case
      when verified_at is not null then 'verified'
      when canceled_at is not null then 'canceled'
      when expires_at <= unixepoch('subsec') * 1000 then 'expired'
      when attempts >= max_attempts then 'exhausted'
      else 'pending' end as status,
    challenges.created_at, coalesce(verified_at, canceled_at, challenges.created_at) as updated_at, tenant as tenant_id,
    account as account_id
  from challenges left join (
    select facts ->> '$[0]' as message, searchable ->> '$.to' as to_number
    from shapes cross join messages using (shape) where lane = 'otp'
  ) as carrier on carrier.message = challenges.id
`

export const SMS_VIEWS: readonly View[] = [
  { name: 'sms_requests', select: REQUESTS },
  { name: 'sms_events', select: EVENTS },
  { name: 'otp_challenges', select: CHALLENGES },
]
