/** Mail as a log of mail tells of it: found by any of its ids, and step by step. */
import { type Static, Type } from 'typebox'
import { failedAtOf, toEmailLog } from '../../domain/email/email-log.ts'
import {
  EMAIL_STATES,
  type EmailEvent,
  type EmailState,
  type EmailStatus,
  toEmailEvents,
} from '../../domain/email/pipeline.ts'
import { type MessageId, parseMessageId, type TenantId } from '../../domain/ids.ts'
import { isForgotten } from '../../domain/message/searchable.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, toIso } from '../../lib/time.ts'
import type { Filter, Row } from '../../ports/message-index.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { answers, nullable, queryText, RequestId, Time } from '../http/schemas.ts'
import { type FindDeps, findStory } from './find-message.ts'
import { PageFields, readInstant, readRecipient, type SearchDeps } from './message-search.ts'

export type EmailLogsDeps = SearchDeps & FindDeps & Readonly<{ guard: Guard }>

export function emailLogRoutes(app: Api, deps: EmailLogsDeps): void {
  const mayRead = deps.guard('messages:read')

  app.get('/v1/email/logs', { schema: LOGS, onRequest: mayRead }, async (request) => {
    const { cursor, limit = 50 } = request.query
    const { tenantId } = callerOf(request)
    const filter = toFilter(deps, tenantId, request.query)
    if (filter === undefined) return { items: [], next_cursor: null }
    const { rows, nextCursor } = await deps.index.search({ tenantId, filter, limit, ...omitUndefined({ cursor }) })
    const items = await Promise.all(rows.map((row) => toItem(deps, row)))
    return { items, next_cursor: nextCursor ?? null }
  })

  app.get('/v1/email/:request_id/events', { schema: EVENTS, onRequest: mayRead }, async (request) => {
    const { state, events } = await findStory(deps, callerOf(request), request.params.request_id, 'email')
    return { items: toEmailEvents(events).map((event) => toEventItem(state.id, event)) }
  })
}

/** Undefined where no mail can be meant. What cannot be read is refused also then. */
function toFilter({ blind }: SearchDeps, tenantId: TenantId, asked: Static<typeof LogQuery>): Filter | undefined {
  const { status, to, created_from: from, created_to: until } = asked
  const read = {
    providerMessageId: asked.ses_message_id,
    toKey: to === undefined ? undefined : blind(tenantId, readRecipient(to)),
    createdFrom: from === undefined ? undefined : readInstant('created_from', from),
    createdTo: until === undefined ? undefined : readInstant('created_to', until),
  }
  const ids = [asked.request_id, asked.outbox_id].filter((text) => text !== undefined).map(parseMessageId)
  const [id] = ids
  if (ids.some((one) => one === undefined || one !== id)) return undefined
  if (status !== undefined && !isLasting(status)) return undefined
  return { channel: 'email', ...omitUndefined({ ...read, id, emailStatus: status }) }
}

const isLasting = (state: EmailState): state is EmailStatus => state !== 'VALIDATED' && state !== 'VALIDATION_FAILED'

/** The index may lag: the latest state decides. When a mail has failed only its events know. */
async function toItem({ log, timeline }: FindDeps, { state: listed, searchable }: Row): Promise<LogItem> {
  const { id, tenantId } = listed
  const state = (await log.latest(id))?.event.state ?? listed
  const known = isForgotten(state) ? undefined : searchable
  if (state.handoffState !== 'failed') return toLogItem(toEmailLog(state, known))
  const recorded = (await log.read(id)).map(({ event }) => event)
  const events = recorded.length > 0 ? recorded : ((await timeline?.read(tenantId, id)) ?? [])
  return toLogItem(toEmailLog(state, known, failedAtOf(events)))
}

const toLogItem = (mail: ReturnType<typeof toEmailLog>): LogItem => ({
  outbox_id: mail.outboxId,
  request_id: mail.requestId,
  company_id: mail.companyId,
  recipient_id: mail.recipientId ?? null,
  to: mail.to ?? null,
  subject: mail.subject ?? null,
  status: mail.status,
  ses_message_id: mail.sesMessageId ?? null,
  error_code: mail.errorCode ?? null,
  error_reason: mail.errorReason ?? null,
  attempts: mail.attempts,
  duration_ms: mail.durationMs ?? null,
  created_at: toIso(mail.createdAt),
  sent_at: isoOrNull(mail.sentAt),
  failed_at: isoOrNull(mail.failedAt),
})

const isoOrNull = (at: Instant | undefined): string | null => (at === undefined ? null : toIso(at))

const toEventItem = (id: MessageId, { type, at, durationMs, metadata: told }: EmailEvent): EventItem => ({
  email_log_id: id,
  type,
  metadata: {
    attempt: told.attempt,
    cycle: told.cycle,
    duration_ms: durationMs,
    ...omitUndefined({
      provider: told.provider,
      ses_message_id: told.sesMessageId,
      checks: told.checks && [...told.checks],
      check: told.check,
      error_code: told.errorCode,
      error_category: told.errorCategory,
      error_message: told.errorMessage,
      will_retry: told.willRetry,
      next_attempt_number: told.nextAttemptNumber,
      backoff_delay: told.backoffDelay,
    }),
  },
  created_at: toIso(at),
})

const LogQuery = Type.Object(
  {
    request_id: Type.Optional(queryText('The id of the mail.', 64)),
    outbox_id: Type.Optional(queryText('The same id, by its other name.', 64)),
    ses_message_id: Type.Optional(queryText('What the provider calls the mail.', 998)),
    status: Type.Optional(
      Type.Enum(EMAIL_STATES, { description: 'No mail stays `VALIDATED` or `VALIDATION_FAILED`: it goes on at once.' }),
    ),
    to: Type.Optional(queryText('The whole address of a recipient.', 254)),
    created_from: Type.Optional(queryText('RFC 3339, inclusive.', 40)),
    created_to: Type.Optional(queryText('RFC 3339, exclusive.', 40)),
    ...PageFields,
  },
  { additionalProperties: false },
)

const LogItem = Type.Object({
  outbox_id: RequestId,
  request_id: RequestId,
  company_id: Type.String({ description: 'The tenant.' }),
  recipient_id: nullable(Type.String()),
  to: nullable(Type.String({ description: 'Masked; null after erasure.', examples: ['a***@example.com'] })),
  subject: nullable(Type.String({ description: 'Null after erasure, and where it carries a one-time code.' })),
  status: Type.Enum(EMAIL_STATES),
  ses_message_id: nullable(Type.String()),
  error_code: nullable(Type.String()),
  error_reason: nullable(Type.String()),
  attempts: Type.Integer(),
  duration_ms: nullable(Type.Integer({ description: 'From its creation until it was sent or has failed.' })),
  created_at: Time,
  sent_at: nullable(Time),
  failed_at: nullable(Time),
})
type LogItem = Static<typeof LogItem>

const EventItem = Type.Object({
  email_log_id: RequestId,
  type: Type.Enum(EMAIL_STATES),
  metadata: Type.Object(
    {
      attempt: Type.Integer({ description: 'The attempt that is made, or prepared.' }),
      cycle: Type.Integer(),
      duration_ms: Type.Integer({ description: 'How long the state before lasted.' }),
    },
    { additionalProperties: true, description: 'The rest depends on the type of the event.' },
  ),
  created_at: Time,
})
type EventItem = Static<typeof EventItem>

const tags = ['email']

const LOGS = {
  operationId: 'listEmailLogs',
  tags,
  summary: 'Find mail by any of its ids',
  description: 'Newest first. The index may lag a moment behind; each item shows the latest state all the same.',
  querystring: LogQuery,
  response: answers(
    {
      200: {
        description: 'A page of mail.',
        schema: Type.Object({ items: Type.Array(LogItem), next_cursor: nullable(Type.String()) }),
      },
    },
    'VALIDATION_ERROR',
  ),
}

const EVENTS = {
  operationId: 'listEmailEvents',
  tags,
  summary: 'What a mail went through',
  description: 'Every state of the pipeline it came to, oldest first, and how long the one before lasted.',
  params: Type.Object({ request_id: Type.String() }),
  response: answers(
    { 200: { description: 'The events.', schema: Type.Object({ items: Type.Array(EventItem) }) } },
    'NOT_FOUND',
  ),
}
