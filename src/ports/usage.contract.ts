/** The tests every engine must pass that knows what tenants use, and that keeps their set-up within bounds. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { TenantId } from '../domain/ids.ts'
import type { Fact } from '../domain/message/events.ts'
import { later, seconds } from '../lib/time.ts'
import type { Engines } from './engines.ts'
import type { Taken } from './queue.ts'
import { takeOne } from './queue-samples.contract.ts'
import { daysAgo, KEPT_30, MANY } from './retention-samples.contract.ts'
import {
  ACCEPTED,
  ACME,
  ATTEMPTED,
  append,
  createdEntry,
  DEAD,
  delivered,
  jobOf,
  NOON,
  nextEntry,
  retryAt,
  type Seen,
  someContent,
  someEmail,
  someMessage,
  tenant,
} from './samples.contract.ts'
import { setupBoundsContract } from './setup-bounds.contract.ts'
import type { MessageUsage } from './usage.ts'

export type UsageEngine = AsyncDisposable &
  Pick<Engines, 'log' | 'queue' | 'retention' | 'usage'> &
  Pick<Engines, 'rules' | 'recipients' | 'templates' | 'routes' | 'endpoints'> &
  Readonly<{
    /** Resolves once everything that was appended is counted. */
    catchUp: () => Promise<void>
    /** Rebuilds what is derived from the log. */
    rebuild: () => Promise<void>
  }>

export type OpenUsage = () => Promise<UsageEngine>

export function usageContract(engine: string, open: OpenUsage): void {
  describe(`usage on ${engine}`, { timeout: 120_000 }, () => {
    waitingContract(open)
    storedContract(open)
  })
  describe(`bounds of the set-up on ${engine}`, { timeout: 120_000 }, () => setupBoundsContract(open))
}

const someTenant = (): TenantId => tenant(randomUUID())

async function measure({ usage }: UsageEngine, tenantId: TenantId): Promise<Required<MessageUsage>> {
  const { waiting = 0, storedBytes = 0 } = (await usage.measure([tenantId])).get(tenantId) ?? {}
  return { waiting, storedBytes }
}

/** What the broker of a queue counts may be a moment late. */
async function assertWaiting(engine: UsageEngine, tenantId: TenantId, expected: number): Promise<void> {
  for (let tries = 100; tries > 0; tries -= 1) {
    if ((await measure(engine, tenantId)).waiting === expected) break
    await wait(50)
  }
  assert.equal((await measure(engine, tenantId)).waiting, expected)
  if (engine.usage.waiting !== undefined) assert.equal(engine.usage.waiting(tenantId), expected)
}

/** A message with a job. */
function send({ log }: UsageEngine, tenantId: TenantId): Promise<Seen> {
  const message = someMessage({ tenantId })
  return append(log, createdEntry(message, someContent(), jobOf(message)))
}

/** Appends the facts in a row; the last one ends the job. */
async function happen({ log }: UsageEngine, seen: Seen, facts: readonly Fact[], ends?: Taken): Promise<Seen> {
  let last = seen
  for (const [nth, fact] of facts.entries()) {
    const entry = nextEntry(last, fact)
    const isLast = nth === facts.length - 1
    last = await append(log, isLast && ends !== undefined ? { ...entry, ends } : entry)
  }
  return last
}

function waitingContract(open: OpenUsage): void {
  test('a message waits from its acceptance until it is handed off or given up', async () => {
    await using engine = await open()
    const [north, south] = [someTenant(), someTenant()]
    await assertWaiting(engine, north, 0)
    for (const fact of [ACCEPTED, DEAD]) {
      const seen = await send(engine, north)
      await assertWaiting(engine, north, 1)
      await assertWaiting(engine, south, 0)
      const taken = await takeOne(engine.queue)
      const attempted = await happen(engine, seen, [ATTEMPTED])
      await assertWaiting(engine, north, 1)
      await happen(engine, attempted, [fact], taken)
      await assertWaiting(engine, north, 0)
    }
  })

  test('a message waits while it is retried later, and while it is parked', async () => {
    await using engine = await open()
    const tenantId = someTenant()
    const dueAt = later(NOON, seconds(24 * 3600))
    const seen = await send(engine, tenantId)
    const attempted = await happen(engine, seen, [ATTEMPTED])
    const retried = nextEntry(attempted, retryAt(dueAt), { ...jobOf(seen.event.state), dueAt })
    await append(engine.log, { ...retried, ends: await takeOne(engine.queue) })
    await assertWaiting(engine, tenantId, 1)

    const other = await send(engine, tenantId)
    await assertWaiting(engine, tenantId, 2)
    await engine.queue.park(await takeOne(engine.queue), [ACME], dueAt)
    await assertWaiting(engine, tenantId, 2)
    assert.equal((await engine.log.latest(other.event.state.id))?.event.state.handoffState, 'queued')
  })

  test('a message that is sent again waits again', async () => {
    await using engine = await open()
    const tenantId = someTenant()
    const sent = await happen(engine, await send(engine, tenantId), [ATTEMPTED, ACCEPTED], await takeOne(engine.queue))
    await assertWaiting(engine, tenantId, 0)
    const again = nextEntry(sent, { kind: 'ResendRequested', by: 'resend' }, jobOf(sent.event.state))
    await append(engine.log, again)
    await assertWaiting(engine, tenantId, 1)
  })

  test('many tenants are measured at once, each by itself', async () => {
    await using engine = await open()
    const tenants = Array.from({ length: 40 }, someTenant)
    for (const [nth, tenantId] of tenants.entries()) {
      for (let count = 0; count < nth % 3; count += 1) await send(engine, tenantId)
    }
    await assertWaiting(engine, tenants.at(-1) ?? someTenant(), (tenants.length - 1) % 3)
    await engine.catchUp()
    const measured = await engine.usage.measure(tenants)
    assert.deepEqual(
      tenants.map((tenantId) => measured.get(tenantId)?.waiting ?? 0),
      tenants.map((_, nth) => nth % 3),
    )
    assert.deepEqual(
      tenants.map((tenantId) => (measured.get(tenantId)?.storedBytes ?? 0) > 0),
      tenants.map((_, nth) => nth % 3 > 0),
    )
  })
}

function storedContract(open: OpenUsage): void {
  const stored = async (engine: UsageEngine, tenantId: TenantId): Promise<number> => {
    await engine.catchUp()
    return (await measure(engine, tenantId)).storedBytes
  }

  test('the messages of a tenant occupy more with each message and each event', async () => {
    await using engine = await open()
    const [tenantId, other] = [someTenant(), someTenant()]
    assert.equal(await stored(engine, tenantId), 0)
    const seen = await append(engine.log, createdEntry(someMessage({ tenantId })))
    const one = await stored(engine, tenantId)
    assert.ok(one > 0)
    await happen(engine, seen, [ATTEMPTED, ACCEPTED, delivered()])
    const longer = await stored(engine, tenantId)
    assert.ok(longer > one)
    await append(engine.log, createdEntry(someMessage({ tenantId })))
    assert.ok((await stored(engine, tenantId)) >= longer + one / 2)
    assert.equal(await stored(engine, other), 0)
  })

  test('content counts, however large, until it is erased', async () => {
    await using engine = await open()
    for (const attached of [1_000, 300_000, 3_000_000]) {
      const tenantId = someTenant()
      const message = someMessage({ tenantId, channel: 'email', kind: 'email', ...sizeOf(attached) })
      const seen = await append(engine.log, createdEntry(message, someEmail(attached)))
      assert.ok((await stored(engine, tenantId)) > attached)
      await happen(engine, seen, [ATTEMPTED, ACCEPTED, { kind: 'MessageErased' }])
      await engine.log.shred(message.id)
      const left = await stored(engine, tenantId)
      assert.ok(left > 0 && left < 4_000, `${left} bytes are left of ${attached}`)
    }
  })

  test('what is no longer kept no longer counts', async () => {
    await using engine = await open()
    const tenantId = someTenant()
    const young = await append(engine.log, createdEntry(someMessage({ tenantId })))
    const before = await stored(engine, tenantId)
    for (let count = 0; count < 3; count += 1) {
      const message = someMessage({ tenantId, createdAt: daysAgo(40) })
      await happen(engine, await append(engine.log, createdEntry(message)), [ATTEMPTED, ACCEPTED, delivered()])
    }
    assert.ok((await stored(engine, tenantId)) > 2 * before)
    assert.equal(await engine.retention.prune(KEPT_30, NOON, MANY), 3)
    assert.equal(await stored(engine, tenantId), before)
    assert.notEqual(await engine.log.latest(young.event.state.id), undefined)
  })

  test('a rebuild counts the same', async () => {
    await using engine = await open()
    const tenants = [someTenant(), someTenant(), someTenant()]
    const [erased, sent] = [
      someMessage({ tenantId: tenants[0] as TenantId }),
      someMessage({ tenantId: tenants[1] as TenantId }),
    ]
    const seen = await append(engine.log, createdEntry(erased, someEmail(100_000)))
    await happen(engine, seen, [{ kind: 'MessageErased' }])
    await engine.log.shred(erased.id)
    await happen(engine, await append(engine.log, createdEntry(sent)), [ATTEMPTED, ACCEPTED, delivered()])
    const before = await Promise.all(tenants.map((tenantId) => stored(engine, tenantId)))
    await engine.rebuild()
    assert.deepEqual(await Promise.all(tenants.map((tenantId) => stored(engine, tenantId))), before)
  })
}

/** As the flow that accepts it would say. */
const sizeOf = (attached: number) => (attached < 64 * 1024 ? {} : { contentSize: Math.ceil((attached * 4) / 3 / 1024) })
