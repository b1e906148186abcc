/**
 * All messages of a day with their events, as lines of JSON: for warehouses. Read a message at a time, and no faster than
 * the caller reads them.
 */
import { Readable } from 'node:stream'
import type { Logger } from 'pino'
import { Type } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import { type Day, parseDay, startOf, toIsoDay } from '../../domain/message/usage.ts'
import { Refusal } from '../../flows/errors.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { MessageIndex, Page } from '../../ports/message-index.ts'
import { type Audit, sometimesAudited } from '../access/audit.ts'
import { allows, type Guard, notAllowed } from '../http/auth.ts'
import { type Api, callerOf, toLogFields } from '../http/context.ts'
import { queryText, responses } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { hasCode, toContentView } from './content.ts'
import { type FindDeps, type FoundMessage, findHistory, findMessage } from './find-message.ts'
import { toDetails, type ViewDeps } from './views.ts'

export type ExportDeps = FindDeps &
  Readonly<{ index: Pick<MessageIndex, 'search'>; ids: ViewDeps; guard: Guard; audit: Audit; logger: Logger }>

const PAGE = 100

export function exportRoutes(app: Api, deps: ExportDeps): void {
  const { guard, audit, logger } = deps
  // HEAD would read everything for nothing.
  const options = { exposeHeadRoute: false, config: { answer: 'export' } } as const
  const exporting = { schema: EXPORT, onRequest: guard('messages:read'), ...options }
  app.get('/v1/messages/export', exporting, async (request, reply) => {
    const { day: text, with_content: withContent = false } = request.query
    const caller = callerOf(request)
    const day = readDay(text)
    if (withContent && !allows(caller, 'content:read')) throw notAllowed(caller, ['content:read'])
    const first = await readPage(deps, caller, day)
    if (withContent) await audit(request, { action: 'message.content_exported', target: { kind: 'day', id: text } })
    const stream = Readable.from(lines(deps, { caller, day, first, withContent }), { highWaterMark: 1 })
    stream.once('error', (err) => logger.warn({ ...toLogFields(request), err }, 'messages: export failed'))
    reply
      .type(NDJSON)
      .header('content-disposition', `attachment; filename="messages-${toIsoDay(day)}.ndjson"`)
      .header('cache-control', 'no-store')
    return stream
  })
}

function readDay(text: string): Day {
  const day = parseDay(text)
  if (day === undefined) throw refuseFields([{ path: '/day', message: 'must be a day such as 2030-01-31' }])
  return day
}

function readPage({ index }: ExportDeps, { tenantId }: Caller, day: Day, cursor?: string): Promise<Page> {
  const filter = { createdFrom: startOf(day), createdTo: startOf((day + 1) as Day) }
  return index.search(omitUndefined({ tenantId, filter, limit: PAGE, cursor }))
}

type Exported = Readonly<{ caller: Caller; day: Day; first: Page; withContent: boolean }>

async function* lines(deps: ExportDeps, { caller, day, first, withContent }: Exported): AsyncGenerator<string> {
  for (let page = first; ; ) {
    for (const { state } of page.rows) {
      const found = await findWhole(deps, caller, state.id)
      if (found !== undefined) yield `${JSON.stringify(toLine(deps, found, withContent))}\n`
    }
    if (page.nextCursor === undefined) return
    page = await readPage(deps, caller, day, page.nextCursor)
  }
}

/** With all its events. Undefined if it was deleted since it was listed. */
async function findWhole(deps: ExportDeps, caller: Caller, id: string): Promise<FoundMessage | undefined> {
  try {
    const found = await findMessage(deps, caller, id)
    let events: readonly MessageEvent[] = found.events
    for (let { first } = found; first > 0; ) {
      const earlier = await findHistory(deps, caller, id, { events: { limit: found.events.length, before: first } })
      events = [...earlier.events, ...events]
      first = earlier.first
    }
    return { ...found, events, first: 0 }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

function toLine({ ids }: ExportDeps, found: FoundMessage, withContent: boolean): object {
  const { events_next_cursor: _, events_total: __, ...details } = toDetails(ids, found)
  const { content } = found
  if (!withContent) return details
  return { ...details, content: content === undefined || hasCode(found) ? null : toContentView(content) }
}

const NDJSON = 'application/x-ndjson'

const EXPORT = {
  ...sometimesAudited('message.content_exported'),
  operationId: 'exportMessages',
  tags: ['messages'],
  summary: 'Export the messages of a day',
  description:
    'Every message that was created on that day, newest first: a line of JSON with the fields of `GET /v1/messages/{id}` and all its events. ' +
    'With `with_content` also its `content`, as at `GET /v1/messages/{id}/content`: that needs the scope `content:read`, is recorded in the audit log, and is null for one-time codes and after erasure. ' +
    'A connection that ends before the last chunk means that the export is incomplete.',
  querystring: Type.Object(
    {
      day: { ...queryText('A day in UTC, such as 2030-01-31.', 10), examples: ['2030-01-31'] },
      with_content: Type.Optional(Type.Boolean({ description: 'Whether to include what is encrypted.' })),
    },
    { additionalProperties: false },
  ),
  response: responses(
    { 200: { description: 'The messages.', schema: Type.String(), type: NDJSON } },
    'VALIDATION_ERROR',
  ),
}
