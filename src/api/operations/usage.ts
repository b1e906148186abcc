/** What accounts have sent, by account, channel, country, provider and day: as JSON or as CSV. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AccountId } from '../../domain/ids.ts'
import { type Day, dayOf, parseDay, startOf, toIsoDay } from '../../domain/message/usage.ts'
import type { Clock } from '../../lib/clock.ts'
import { toCsvLine } from '../../lib/csv.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import {
  USAGE_DIMENSIONS,
  type UsageDimension,
  type UsageKey,
  type UsageQuery,
  type UsageRecord,
  type UsageRecords,
} from '../../ports/usage-records.ts'
import { allows, type Guard, notAllowed } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { refuseFields } from '../http/validation.ts'
import { COUNTS, GET, MAX_DAYS, NAMES, toView, type UsageParameters } from './usage-schemas.ts'

export type UsageDeps = Readonly<{ usageRecords: UsageRecords; clock: Clock; guard: Guard }>

const ALL_ACCOUNTS = '*'
const DEFAULT_GROUPS: readonly UsageDimension[] = ['channel', 'country', 'provider']

export function usageRoutes(app: Api, { usageRecords, clock, guard }: UsageDeps): void {
  app.get('/v1/usage', { schema: GET, onRequest: guard('messages:read') }, async (request, reply) => {
    const query = toQuery(request, dayOf(clock()))
    const { groupBy, from, to, limit } = query
    const found = await usageRecords.list({ ...query, limit: limit + 1 })
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const cursor = last === undefined ? null : toCursor(last.key)
    if (wantsCsv(request)) return sendCsv(request, reply, { groupBy, page, cursor })
    return {
      from: toIsoDay(from),
      to: toIsoDay(to),
      group_by: groupBy,
      items: page.map((record) => toView(groupBy, record)),
      next_cursor: cursor,
    }
  })
}

function toQuery(request: FastifyRequest<{ Querystring: UsageParameters }>, today: Day): UsageQuery {
  const { from: start, to: end, group_by: groups, cursor, limit = 1_000 } = request.query
  const to = end === undefined ? today : readDay('to', end)
  const from = start === undefined ? firstOfMonth(to) : readDay('from', start)
  if (from > to) throw refuse('/from', 'must not be after /to')
  if (to - from >= MAX_DAYS) throw refuse('/from', `must be at most ${MAX_DAYS} days before /to`)
  const groupBy = groups === undefined ? DEFAULT_GROUPS : readGroups(groups)
  const { tenantId } = callerOf(request)
  const after = cursor === undefined ? undefined : readCursor(cursor, groupBy)
  return omitUndefined({ tenantId, accountId: readAccount(request, groupBy), from, to, groupBy, after, limit })
}

/** Only an admin reads what other accounts have sent. */
function readAccount(
  request: FastifyRequest<{ Querystring: UsageParameters }>,
  groupBy: readonly UsageDimension[],
): AccountId | undefined {
  const caller = callerOf(request)
  const { account_id: named } = request.query
  if (named === caller.accountId) return caller.accountId
  const isAdmin = allows(caller, 'admin')
  if (named === undefined) return isAdmin && groupBy.includes('account') ? undefined : caller.accountId
  if (!isAdmin) throw notAllowed(caller, ['admin'])
  return named === ALL_ACCOUNTS ? undefined : (named as AccountId)
}

function readDay(field: string, text: string): Day {
  const day = parseDay(text)
  if (day === undefined) throw refuse(`/${field}`, 'must be a day such as 2030-01-31')
  return day
}

const firstOfMonth = (day: Day): Day => (day - new Date(startOf(day)).getUTCDate() + 1) as Day

/** None, if the text is empty: everything in one sum. */
function readGroups(text: string): readonly UsageDimension[] {
  const named = text.split(',').filter((name) => name !== '')
  if (named.every((name) => isDimension(name)) && new Set(named).size === named.length) return named
  throw refuse('/group_by', `must be some of ${USAGE_DIMENSIONS.join(', ')}, each once, separated by commas`)
}

const isDimension = (name: string): name is UsageDimension => USAGE_DIMENSIONS.some((known) => known === name)

const toCursor = (key: UsageKey): string => Buffer.from(JSON.stringify(key)).toString('base64url')

function readCursor(text: string, groupBy: readonly UsageDimension[]): UsageKey {
  const key = parseKey(Buffer.from(text, 'base64url').toString())
  const isKey =
    key.length === groupBy.length &&
    groupBy.every((dimension, nth) => typeof key[nth] === (dimension === 'day' ? 'number' : 'string'))
  if (!isKey) throw refuse('/cursor', 'must be the next_cursor of a page with the same group_by')
  return key as UsageKey
}

function parseKey(json: string): readonly unknown[] {
  try {
    const key: unknown = JSON.parse(json)
    return Array.isArray(key) && !json.includes('\\u0000') ? key : []
  } catch {
    return []
  }
}

const refuse = (path: string, message: string) => refuseFields([{ path, message }])

const wantsCsv = ({ query, headers }: FastifyRequest<{ Querystring: UsageParameters }>): boolean =>
  query.format === undefined ? /^text\/csv\b/.test(headers.accept ?? '') : query.format === 'csv'

type Page = Readonly<{
  groupBy: readonly UsageDimension[]
  page: readonly UsageRecord[]
  cursor: string | null
}>

/** The header `Link` leads to the next page, as CSV has no place for a cursor. */
function sendCsv(request: FastifyRequest, reply: FastifyReply, { groupBy, page, cursor }: Page): FastifyReply {
  if (cursor !== null) {
    const url = new URL(request.url, 'http://gateway')
    url.searchParams.set('cursor', cursor)
    reply.header('link', `<${url.pathname}${url.search}>; rel="next"`)
  }
  const head = toCsvLine([...groupBy.map((dimension) => NAMES[dimension]), ...COUNTS])
  const lines = page.map((record) => toCsvLine(Object.values(toView(groupBy, record)).map((value) => `${value ?? ''}`)))
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', 'attachment; filename="usage.csv"')
    .send([head, ...lines].join(''))
}
