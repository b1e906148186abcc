/** Reading the audit log: page by page, or exported as a whole. */
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type AuditEntry, parseAuditId } from '../../domain/access/audit.ts'
import { parseTenantId, type TenantId } from '../../domain/ids.ts'
import { toCsvLine } from '../../lib/csv.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { AuditFilter, AuditLog } from '../../ports/audit-log.ts'
import { type Guard, mayOperate, notAllowed } from '../http/auth.ts'
import { type Api, callerOf, toLogFields } from '../http/context.ts'
import { badCursor, refuseFields } from '../http/validation.ts'
import { readInstant } from '../messages/message-search.ts'
import type { Audit } from './audit.ts'
import {
  type AuditFilterQuery,
  COLUMNS,
  EXPORT,
  type ExportFormat,
  LIST,
  MEDIA_TYPES,
  toAuditView,
  toCells,
} from './audit-schemas.ts'

export type AuditLogDeps = Readonly<{
  auditLog: Pick<AuditLog, 'list'>
  audit: Audit
  guard: Guard
  logger: Logger
}>

/** Entries are small: a page is at most a few megabytes, and usually much less. */
const PAGE = 100

export function auditRoutes(app: Api, { auditLog, audit, guard, logger }: AuditLogDeps): void {
  const mayRead = guard('admin')

  app.get('/v1/audit', { schema: LIST, onRequest: mayRead }, async (request) => {
    const { cursor, limit = 50 } = request.query
    const before = cursor === undefined ? undefined : readCursor(cursor)
    const filter = toFilter(request, request.query)
    const found = await auditLog.list(omitUndefined({ ...filter, before, limit: limit + 1 }))
    const page = found.slice(0, limit)
    return { items: page.map(toAuditView), next_cursor: found.length > limit ? (page.at(-1)?.id ?? null) : null }
  })

  // HEAD would read everything for nothing.
  const config = { answer: 'export' } as const
  const exporting = { schema: EXPORT, onRequest: mayRead, exposeHeadRoute: false, config }
  app.get('/v1/audit/export', exporting, async (request, reply) => {
    const { format = 'ndjson' } = request.query
    const filter = toFilter(request, request.query)
    const first = await auditLog.list({ ...filter, limit: PAGE })
    const { tenantId = null } = filter
    await audit(request, {
      action: 'audit_log.exported',
      target: { kind: 'audit_log', id: tenantId ?? 'all' },
      tenantId,
    })
    const stream = Readable.from(chunks(auditLog, filter, first, format), { highWaterMark: 1 })
    stream.once('error', (err) => logger.warn({ ...toLogFields(request), err }, 'audit: export failed'))
    reply
      .type(MEDIA_TYPES[format])
      .header('content-disposition', `attachment; filename="audit-log.${format}"`)
      .header('cache-control', 'no-store')
    return stream
  })
}

/** An admin reads its own tenant; an operator all tenants, unless it names one. */
function toFilter(request: FastifyRequest, query: AuditFilterQuery): AuditFilter {
  const { action, actor, target, from, to } = query
  return omitUndefined({
    tenantId: tenantOf(request, query),
    action,
    actor,
    target,
    from: from === undefined ? undefined : readInstant('from', from),
    to: to === undefined ? undefined : readInstant('to', to),
  })
}

function tenantOf(request: FastifyRequest, { tenant_id: named }: AuditFilterQuery): TenantId | undefined {
  const caller = callerOf(request)
  if (named === undefined) return mayOperate(caller) && !isNarrowed(request) ? undefined : caller.tenantId
  if (named === caller.tenantId) return caller.tenantId
  if (!mayOperate(caller)) throw notAllowed(caller, ['operator'])
  const tenantId = parseTenantId(named)
  if (tenantId === undefined) throw refuseFields([{ path: '/tenant_id', message: 'must be the id of a tenant' }])
  return tenantId
}

/** Whether the call says for which tenant it acts. */
const isNarrowed = ({ headers }: FastifyRequest): boolean =>
  headers['pombo-tenant'] !== undefined || headers['pombo-mode'] !== undefined

function readCursor(text: string) {
  const cursor = parseAuditId(text)
  if (cursor === undefined) throw badCursor()
  return cursor
}

/** Reads a page only after the previous one was sent: a slow client does not pile up memory. */
async function* chunks(
  auditLog: Pick<AuditLog, 'list'>,
  filter: AuditFilter,
  first: readonly AuditEntry[],
  format: ExportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield toCsvLine(COLUMNS)
  for (let page = first; ; ) {
    const last = page.at(-1)
    if (last !== undefined) yield page.map((entry) => toLine(format, entry)).join('')
    if (last === undefined || page.length < PAGE) return
    page = await auditLog.list({ ...filter, before: last.id, limit: PAGE })
  }
}

function toLine(format: ExportFormat, entry: AuditEntry): string {
  const view = toAuditView(entry)
  return format === 'csv' ? toCsvLine(toCells(view)) : `${JSON.stringify(view)}\n`
}
