/** The email log: emails found by any of their ids, and the pipeline states of one. */
import { type Static, Type } from 'typebox'
import { failedAtOf, toEmailLog } from '../../domain/email/email-log.ts'
import { type EmailEvent, type EmailState, type EmailStatus, toEmailEvents } from '../../domain/email/pipeline.ts'
import { type MessageId, parseMessageId, type TenantId } from '../../domain/ids.ts'
import { ERROR_CATEGORIES } from '../../domain/message/error-category.ts'
import { isForgotten } from '../../domain/message/searchable.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { toIso } from '../../lib/time.ts'
import type { Filter, Row } from '../../ports/message-index.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import {
  fromTime,
  HttpRequestId,
  isoOrNull,
  MESSAGE_ID,
  MessageIdText,
  namedObject,
  nullable,
  PageFields,
  pageOf,
  queryText,
  responses,
  Time,
  untilTime,
} from '../http/schemas.ts'
import { type FindDeps, findHistory, readEventsCursor, toEventsCursor } from './find-message.ts'
import { PAGE_BYTES, readInstant, readRecipient, type SearchDeps } from './message-search.ts'

const MOST_EVENTS = 200

export type EmailLogsDeps = SearchDeps & FindDeps & Readonly<{ guard: Guard }>

export function emailLogRoutes(app: Api, deps: EmailLogsDeps): void {
  const mayRead = deps.guard('messages:read')

  app.get('/v1/email/logs', { schema: LOGS, onRequest: mayRead }, async (request) => {
    const { cursor, limit = 50 } = request.query
    const { tenantId } = callerOf(request)
    const filter = toFilter(deps, tenantId, request.query)
    if (filter === undefined) return { items: [], next_cursor: null }
    const found = omitUndefined({ tenantId, filter, limit, cursor })
    const { rows, nextCursor } = await deps.index.search({ ...found, bytes: PAGE_BYTES, soon: true })
    return { items: await toItems(deps, rows), next_cursor: nextCursor ?? null }
  })

  app.get('/v1/email/:request_id/events', { schema: EVENTS, onRequest: mayRead }, async (request) => {
    const { limit = MOST_EVENTS, cursor } = request.query
    const events = omitUndefined({
      limit,
      before: cursor === undefined ? undefined : readEventsCursor('cursor', cursor),
    })
    const wanted = { channel: 'email', events } as const
    const found = await findHistory(deps, callerOf(request), request.params.request_id, wanted)
    const items = toEmailEvents(found.events).map((event) => toEventItem(found.state.id, event))
    return { items, next_cursor: toEventsCursor(found) }
  })
}

/** Undefined where no email can match. Invalid values are refused even then. */
function toFilter({ blind }: SearchDeps, tenantId: TenantId, query: Static<typeof LogQuery>): Filter | undefined {
  const { status, to, created_from: from, created_to: until } = query
  const parsed = {
    providerMessageId: query.ses_message_id,
    toKey: to === undefined ? undefined : blind(tenantId, readRecipient(to)),
    createdFrom: from === undefined ? undefined : readInstant('created_from', from),
    createdTo: until === undefined ? undefined : readInstant('created_to', until),
  }
  const ids = [query.request_id, query.outbox_id].filter((text) => text !== undefined).map(parseMessageId)
  const [id] = ids
  if (ids.some((one) => one === undefined || one !== id)) return undefined
  if (status !== undefined && !isLasting(status)) return undefined
  return { channel: 'email', ...omitUndefined({ ...parsed, id, emailStatus: status }) }
}

const isLasting = (state: EmailState): state is EmailStatus => state !== 'VALIDATED' && state !== 'VALIDATION_FAILED'

/** A few at a time, because the events of failed ones are read. */
async function toItems(deps: FindDeps, rows: readonly Row[]): Promise<LogItem[]> {
  const items: LogItem[] = []
  for (let at = 0; at < rows.length; at += READ_AT_ONCE) {
    items.push(...(await Promise.all(rows.slice(at, at + READ_AT_ONCE).map((row) => toItem(deps, row)))))
  }
  return items
}

const READ_AT_ONCE = 16
/** A cycle has fewer. */
const NEWEST = { limit: 50 }

/** The index may lag: the latest state decides. The time of a failure is only in the events. */
async function toItem({ log, timeline }: FindDeps, { state: listed, searchable }: Row): Promise<LogItem> {
  const { id, tenantId } = listed
  const state = (await log.latest(id))?.event.state ?? listed
  const visible = isForgotten(state) ? undefined : searchable
  if (state.handoffState !== 'failed') return toLogItem(toEmailLog(state, visible))
  const found = (await log.page(id, NEWEST)) ?? (await timeline?.page(tenantId, id, NEWEST))
  return toLogItem(toEmailLog(state, visible, failedAtOf(found?.events ?? [])))
}

const toLogItem = (mail: ReturnType<typeof toEmailLog>): LogItem => ({
  outbox_id: mail.outboxId,
  request_id: mail.requestId,
  http_request_id: mail.httpRequestId ?? null,
  company_id: mail.companyId,
  recipient_id: mail.recipientId ?? null,
  to: mail.to ?? null,
  subject: mail.subject ?? null,
  status: mail.status,
  ses_message_id: mail.sesMessageId ?? null,
  error_code: mail.errorCode ?? null,
  error_category: mail.errorCategory ?? null,
  error_reason: mail.errorReason ?? null,
  attempts: mail.attempts,
  duration_ms: mail.durationMs ?? null,
  created_at: toIso(mail.createdAt),
  sent_at: isoOrNull(mail.sentAt),
  failed_at: isoOrNull(mail.failedAt),
})

const toEventItem = (id: MessageId, { type, at, durationMs, metadata }: EmailEvent): EventItem => ({
  email_log_id: id,
  type,
  metadata: {
    attempt: metadata.attempt,
    cycle: metadata.cycle,
    duration_ms: durationMs,
    ...omitUndefined({
      provider: metadata.provider,
      ses_message_id: metadata.sesMessageId,
      checks: metadata.checks && [...metadata.checks],
      check: metadata.check,
      error_code: metadata.errorCode,
      error_category: metadata.errorCategory,
      error_message: metadata.errorMessage,
      original_code: metadata.originalCode,
      will_retry: metadata.willRetry,
      next_attempt_number: metadata.nextAttemptNumber,
      backoff_delay: metadata.backoffDelay,
    }),
  },
  created_at: toIso(at),
})

const LogQuery = Type.Object(
  {
    request_id: Type.Optional(queryText('The id of the email.', 64)),
    outbox_id: Type.Optional(queryText('The same id under its other name.', 64)),
    ses_message_id: Type.Optional(queryText("The provider's id of the email.", 998)),
    status: Type.Optional(
      Enums.EmailState({
        description: '`VALIDATED` and `VALIDATION_FAILED` match nothing: an email leaves them at once.',
      }),
    ),
    to: Type.Optional(queryText('The full address of a recipient.', 254)),
    created_from: fromTime('Created'),
    created_to: untilTime('Created'),
    ...PageFields,
  },
  { additionalProperties: false },
)

const LogItem = namedObject('EmailLog', {
  outbox_id: MessageIdText,
  request_id: MessageIdText,
  http_request_id: nullable(HttpRequestId),
  company_id: Type.String({ description: 'The tenant.' }),
  recipient_id: nullable(Type.String()),
  to: nullable(Type.String({ description: 'Masked; null after erasure.', examples: ['a***@example.com'] })),
  subject: nullable(Type.String({ description: 'Null after erasure and for one-time codes.' })),
  status: Enums.EmailState(),
  ses_message_id: nullable(Type.String()),
  error_code: nullable(Type.String()),
  error_category: nullable(Type.Enum(ERROR_CATEGORIES, { title: 'EmailErrorCategory' })),
  error_reason: nullable(Type.String()),
  attempts: Type.Integer(),
  duration_ms: nullable(Type.Integer({ description: 'From creation until it was sent or failed.' })),
  created_at: Time,
  sent_at: nullable(Time),
  failed_at: nullable(Time),
})
type LogItem = Static<typeof LogItem>

const EventItem = namedObject('EmailEvent', {
  email_log_id: MessageIdText,
  type: Enums.EmailState(),
  metadata: namedObject(
    'EmailEventMetadata',
    {
      attempt: Type.Integer({ description: 'The attempt made or being prepared.' }),
      cycle: Type.Integer(),
      duration_ms: Type.Integer({ description: 'The duration of the previous state.' }),
    },
    { additionalProperties: true, description: 'Other fields depend on the event type.' },
  ),
  created_at: Time,
})
type EventItem = Static<typeof EventItem>

const tags = ['email']

const LOGS = {
  operationId: 'listEmailLogs',
  tags,
  summary: 'List email logs',
  description: 'Newest first. The search index may lag a moment behind; each item still shows the latest state.',
  querystring: LogQuery,
  response: responses({ 200: { description: 'A page of emails.', schema: pageOf(LogItem) } }, 'VALIDATION_ERROR'),
}

const EVENTS = {
  operationId: 'listEmailEvents',
  tags,
  summary: 'List the pipeline events of an email',
  description:
    'The states of the email, oldest first, with the duration of the state before; the newest part, unless `cursor` asks for an earlier one.',
  params: Type.Object({
    request_id: Type.String({ title: 'RequestId', description: 'The id of the message.', examples: [MESSAGE_ID] }),
  }),
  querystring: Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MOST_EVENTS,
          default: MOST_EVENTS,
          description: 'From how many events of the message they are derived.',
        }),
      ),
      cursor: Type.Optional(queryText('The `next_cursor` of the previous call, for earlier states.', 20)),
    },
    { additionalProperties: false },
  ),
  response: responses(
    {
      200: {
        description: 'The events.',
        schema: namedObject('EmailEventPage', {
          items: Type.Array(EventItem),
          next_cursor: nullable(Type.String({ description: 'For earlier states; null if there are none.' })),
        }),
      },
    },
    'VALIDATION_ERROR',
    'NOT_FOUND',
  ),
}
