/** The counts of the index: exact whoever writes, in whatever order and however often. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import type { Fact } from '../../domain/message/events.ts'
import { later, millis } from '../../lib/time.ts'
import { at, NORTH, someProjection } from '../../ports/index-samples.contract.ts'
import { assertCounted } from '../../ports/message-counts.contract.ts'
import type { Projection } from '../../ports/message-index.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  DEAD,
  delivered,
  foldNext,
  hours,
  NOON,
  someMessage,
} from '../../ports/samples.contract.ts'
import { asSystem, openPool } from './database.ts'
import { openPostgresIndex } from './postgres.ts'

const { migrated } = await sharePostgres()

async function openWriters() {
  await using opened = new AsyncDisposableStack()
  const database = opened.use(await migrated())
  const pool = openPool(database.appUrl, 2)
  opened.defer(() => pool.end())
  const one = opened.use(await openPostgresIndex({ url: database.appUrl }))
  const other = opened.use(await openPostgresIndex({ url: database.appUrl }))
  const closing = opened.move()
  return { database, pool, one, other, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

type Writers = Awaited<ReturnType<typeof openWriters>>

const FACTS: readonly Fact[] = [ATTEMPTED, ACCEPTED, delivered()]
const MESSAGES = 6

/** Every state of every message, with what it had been handed off by then; some share the id of another one. */
function toLog(): readonly Projection[] {
  let position = 0
  return Array.from({ length: MESSAGES }, (_, nth) => {
    const createdAt = later(NOON, millis(nth * 50_000))
    const facts = nth % 3 === 2 ? [ATTEMPTED, DEAD] : FACTS
    let { state, searchable } = someProjection({ message: { createdAt, lane: nth % 2 === 0 ? 'otp' : 'bulk' } }, 0)
    return [undefined, ...facts].map((fact) => {
      if (fact !== undefined) state = foldNext(state, fact)
      position += 1
      const { attempt, provider, updatedAt } = state
      const handoffs = fact === ACCEPTED && provider !== undefined ? [{ attempt, at: updatedAt, provider }] : undefined
      return { state, position: at(position), searchable, ...(handoffs && { handoffs }) }
    })
  }).flat()
}

/** A release that knows nothing of counts: its triggers count usage, and rows have no shape. */
const OLDER_CHANGES = `
  update pombo.messages set position = position + 1, status = 'failed', handoff_state = 'failed', error_code = 'OLD'
  where id = $1
`
const OLDER_ADDS = `
  insert into pombo.messages (id, tenant, position, created_at, channel, lane, status, handoff_state, provider_state,
    dead, outcome_unknown, facts, state, forgotten)
  select gen_random_uuid(), tenant, position, created_at, channel, lane, status, handoff_state, provider_state, dead,
    outcome_unknown, facts, state, forgotten
  from pombo.messages where id = $1
`

const step = fc.oneof(
  fc.record({ kind: fc.constant('apply' as const), from: fc.nat(20), size: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant('both' as const), from: fc.nat(20), size: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constantFrom('older' as const, 'remove' as const, 'tombstone' as const), nth: fc.nat(100) }),
  fc.record({ kind: fc.constantFrom('keep' as const, 'clear' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

async function take({ one, other, pool }: Writers, log: readonly Projection[], taken: Step): Promise<void> {
  switch (taken.kind) {
    case 'apply':
    case 'both': {
      const page = log.slice(taken.from, taken.from + taken.size)
      const writers = taken.kind === 'both' ? [one, other] : [one]
      await Promise.all(writers.map(({ index }) => index.apply(page, page.at(-1)?.position ?? at(0))))
      return
    }
    case 'keep':
      await Promise.all([one.keepCounts(), other.keepCounts()])
      return
    case 'clear':
      await one.index.clear()
      return
    default:
      return change({ one, pool }, taken)
  }
}

async function change(
  { one, pool }: Pick<Writers, 'one' | 'pool'>,
  { kind, nth }: Readonly<{ kind: 'older' | 'remove' | 'tombstone'; nth: number }>,
): Promise<void> {
  const rows = await asSystem(pool, 'select id, position from pombo.messages order by created_at, id')
  const row = rows[nth % Math.max(1, rows.length)]
  if (row === undefined) return
  const due = { id: row['id'] as Projection['state']['id'], position: at(Number(row['position'])) }
  if (kind === 'tombstone') await one.index.tombstone(due.id)
  else if (kind === 'remove') await one.indexRetention.remove([due])
  else for (const sql of [OLDER_CHANGES, OLDER_ADDS]) await asSystem(pool, sql, [due.id])
}

/** Of stored messages: what is recorded, and what each message adds. */
const USAGE = `
  select * from (
    select tenant, day, account, channel, country, provider, sent, messages, segments from pombo.usage_records
    union all
    select m.tenant, u.day, u.account, m.channel, u.country, u.provider, u.sent, -1, -u.segments
    from pombo.messages m cross join lateral pombo.usage_of(m.created_at, m.facts, m.handoffs) u
  ) as every
`
const WRONG = `
  select day, account, provider, sent, sum(messages)::int as messages from (${USAGE}) as every
  group by 1, 2, 3, 4 having sum(messages) <> 0 or sum(segments) <> 0
`

/** What is recorded is what is stored. */
async function assertExact({ pool, database }: Pick<Writers, 'pool' | 'database'>): Promise<void> {
  assert.deepEqual(await asSystem(pool, WRONG), [])
  const [{ uncounted } = {}] = await asSystem(
    pool,
    'select count(*)::int as uncounted from pombo.messages where shape is null',
  )
  // Its own connections, because a process knows for a moment whether messages are not counted.
  await using fresh = await openPostgresIndex({ url: database.appUrl })
  if (uncounted === 0) await assertCounted(fresh.index)
  else assert.equal((await fresh.index.total({ tenantId: NORTH, filter: {} })).relation, 'eq')
}

test('counts are those of the stored messages after any writes, by any releases', { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      await using writers = await openWriters()
      const log = toLog()
      for (const taken of steps) await take(writers, log, taken)
      await assertExact(writers)
      while (await writers.one.keepCounts());
      await assertExact(writers)
      const [{ left } = {}] = await asSystem(writers.pool, 'select count(*)::int as left from pombo.count_changes')
      assert.equal(left, 0)
    }),
    { numRuns: 12 },
  )
})

test('a new message of the id of a deleted one takes its place in the counts', async () => {
  await using writers = await openWriters()
  const { index } = writers.one
  const message = someMessage()
  const first = someProjection({ message, facts: [ATTEMPTED, DEAD] }, 1)
  const second = someProjection({ message: { ...message, createdAt: later(NOON, hours(30)) }, facts: FACTS }, 2)
  await index.apply([first], at(1))
  await index.apply([second], at(2))
  await assertExact(writers)
  while (await writers.one.keepCounts());
  await assertExact(writers)
})

test('counts what an earlier release has stored, in steps, while it is searched', async () => {
  await using writers = await openWriters()
  const { one, pool } = writers
  await one.index.apply(toLog(), at(100))
  await asSystem(pool, 'update pombo.messages set shape = null where id = id')
  await asSystem(pool, 'truncate pombo.counts, pombo.count_changes; truncate pombo.shapes')
  const all = { tenantId: NORTH, filter: {} }
  await using before = await openPostgresIndex({ url: writers.database.appUrl })
  assert.deepEqual(await before.index.total(all), { value: MESSAGES, relation: 'eq' })
  assert.equal((await before.index.search({ tenantId: NORTH, filter: { status: 'failed' }, limit: 9 })).rows.length, 2)
  while (await one.keepCounts());
  await assertExact(writers)
})
