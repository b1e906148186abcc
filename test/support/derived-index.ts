/**
 * Compares everything that readers see of the index of the embedded engine with a rebuilt one: lists by all that
 * its messages can be found by, statistics, errors and overdue messages.
 */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { toEmailStatus } from '../../src/domain/email/pipeline.ts'
import type { TenantId } from '../../src/domain/ids.ts'
import type { MessageState } from '../../src/domain/message/state.ts'
import { toStatus } from '../../src/domain/message/states.ts'
import { type Driver, remote } from '../../src/engines/sqlite/driver.ts'
import type { StoreMethods } from '../../src/engines/sqlite/store.ts'
import { type Instant, millis } from '../../src/lib/time.ts'
import type { Filter, MessageIndex, Row } from '../../src/ports/message-index.ts'
import { rebuildTables } from '../../src/profiles/rebuild-tables.ts'

/** Messages of one tenant that were created within a period. */
export type Readers = Readonly<{
  tenantId: TenantId
  from: Instant
  to: Instant
  /** In addition to those that match a message. */
  filters?: readonly Filter[]
}>

/** The answers, by query. */
type Derived = ReadonlyMap<string, unknown>

/** Its index, and what rebuilds it. */
type Engine = Readonly<{ index: MessageIndex; writer: Driver<StoreMethods> }>

/** Rebuilds the index: it answers every query as before. */
export async function assertLikeRebuilt({ index, writer }: Engine, readers: Readers): Promise<void> {
  const before = await derivedOf(index, readers)
  await rebuildTables(remote(writer, 'index').rebuild, 0, () => undefined)
  const after = await derivedOf(index, readers)
  for (const query of new Set([...before.keys(), ...after.keys()])) {
    const [answer, rebuilt] = [before.get(query), after.get(query)]
    if (isDeepStrictEqual(answer, rebuilt)) continue
    assert.fail(
      `the index equals a rebuilt one: ${query}: ${toExcerpt(answer, rebuilt)}, and ${toExcerpt(rebuilt, answer)}`,
    )
  }
}

/** What only one of two answers has: they may be long. */
function toExcerpt(one: unknown, other: unknown): string {
  const [its, others] = [one, other].map((answer) => [answer ?? []].flat().map((item) => JSON.stringify(item)))
  const only = its?.filter((item) => others?.includes(item) !== true) ?? []
  return only.length === 0
    ? 'the same in another order'
    : `${only.length} of its own, first ${only[0]?.slice(0, EXCERPT)}`
}

const EXCERPT = 400

async function derivedOf(index: MessageIndex, readers: Readers): Promise<Derived> {
  const { tenantId, from, to, filters = [] } = readers
  const all = await list(index, tenantId, {})
  const asked = new Map([...filters, ...all.flatMap(filtersOf)].map((filter) => [JSON.stringify(filter), filter]))
  const lists = [...asked].map(async ([query, filter]) => [query, await list(index, tenantId, filter)] as const)
  const stats = BUCKETS.map(async (bucket) => {
    const buckets = await index.stats({ tenantId, from, to, bucket })
    return [`stats by ${bucket} ms`, inAnyOrder(buckets)] as const
  })
  const overdue = (['silent', 'stalled'] as const).map(
    async (kind) => [kind, await index.overdue({ kind, through: to, limit: MOST })] as const,
  )
  const errors = inAnyOrder(await index.errors({ tenantId, limit: MOST }))
  return new Map<string, unknown>([
    ['all', all],
    ['errors', errors],
    ...(await Promise.all([...lists, ...stats, ...overdue])),
  ])
}

/** Days, hours and minutes are counted apart. */
const BUCKETS = [86_400_000, 3_600_000, 60_000].map(millis)
const MOST = 10_000
const PAGE = 100

async function list(index: MessageIndex, tenantId: TenantId, filter: Filter): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (let cursor: string | undefined; ; ) {
    const from = cursor === undefined ? {} : { cursor }
    const page = await index.search({ tenantId, filter, limit: PAGE, ...from })
    rows.push(...page.rows)
    if (page.nextCursor === undefined) return rows
    cursor = page.nextCursor
  }
}

/** What finds this message by each of its ids, names, tags, all its words, and all its states together. */
function filtersOf({ state, searchable }: Row): readonly Filter[] {
  const { id, providerMessageId, errorCode, errorDetail } = state
  const { toKey, copyKeys = [], tags = [], subject } = searchable ?? {}
  const text = [...tags, subject, errorCode, errorDetail].join(' ').trim()
  return [
    { id },
    statesOf(state),
    ...(providerMessageId === undefined ? [] : [{ providerMessageId }]),
    ...(toKey === undefined ? [] : [toKey, ...copyKeys].map((key) => ({ toKey: key }))),
    ...tags.map((tag) => ({ tag })),
    ...(text === '' ? [] : [{ text }]),
  ]
}

function statesOf(state: MessageState): Filter {
  const { channel, lane, handoffState, providerState, provider } = state
  const status = toStatus(state)
  return {
    channel,
    lane,
    handoffState,
    providerState,
    status,
    dead: state.dead && status !== 'delivered',
    ...(state.phase === 'unknown' ? { unknown: true } : {}),
    ...(channel === 'email' ? { emailStatus: toEmailStatus(state) } : {}),
    ...(provider === undefined ? {} : { provider }),
  }
}

const inAnyOrder = (items: readonly unknown[]): readonly string[] =>
  items.map((item) => JSON.stringify(item)).toSorted()
