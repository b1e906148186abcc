import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DEFAULT_QUOTAS, type QuotaLimits } from '../domain/access/quotas.ts'
import type { TenantId } from '../domain/ids.ts'
import { instant, later, type Millis, seconds } from '../lib/time.ts'
import { Unavailable } from '../ports/unavailable.ts'
import type { MessageUsage } from '../ports/usage.ts'
import { QuotaWatch, type QuotaWatchDeps } from './quota-watch.ts'

const NORTH = 'north' as TenantId
const SOUTH = 'south' as TenantId

type Reached = Parameters<QuotaWatchDeps['onReached']>[0]

/** A watch whose measurements a test decides; `isLive` if waiting messages are known at all times. */
function open({ limits = {}, isLive = false }: Readonly<{ limits?: Partial<QuotaLimits>; isLive?: boolean }> = {}) {
  let now = instant(Date.parse('2030-01-31T12:00:00Z'))
  let ofAll: QuotaLimits = { ...DEFAULT_QUOTAS, ...limits }
  const usage = new Map<TenantId, MessageUsage>()
  const measured: (readonly TenantId[])[] = []
  const reached: Reached[] = []
  const faults: unknown[] = []
  let isDown = false
  const watch = new QuotaWatch({
    usage: {
      measure: async (tenantIds) => {
        measured.push(tenantIds)
        return new Map(tenantIds.flatMap((tenantId) => [[tenantId, usage.get(tenantId) ?? {}]]))
      },
      ...(isLive ? { waiting: (tenantId) => usage.get(tenantId)?.waiting ?? 0 } : {}),
    },
    quotasOf: () => ofAll,
    clock: () => now,
    onReached: async (one) => {
      if (isDown) throw new Unavailable('PostgreSQL is unreachable')
      reached.push(one)
    },
    onFault: (error) => void faults.push(error),
  })
  return {
    watch,
    usage,
    measured,
    reached,
    breakDown: (is: boolean) => {
      isDown = is
    },
    pass: (by: Millis) => {
      now = later(now, by)
    },
    setLimits: (next: Partial<QuotaLimits>) => {
      ofAll = { ...ofAll, ...next }
    },
    /** Sends once, and measures. */
    refresh: async () => {
      watch.usedUp(NORTH)
      await watch.refresh()
    },
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]()
      assert.ok(faults.every((fault) => fault instanceof Unavailable))
    },
  }
}

test('a tenant is refused from the measurement that finds a quota used up until the one that finds room', async () => {
  await using opened = open({ limits: { waitingMessages: 10, storedBytes: 1_000 } })
  const { watch, usage, refresh } = opened
  usage.set(NORTH, { waiting: 10, storedBytes: 5 })
  assert.equal(watch.usedUp(NORTH), undefined)
  await refresh()
  assert.deepEqual(watch.usedUp(NORTH), { quota: 'waitingMessages', limit: 10, used: 10 })
  assert.equal(watch.usedUp(SOUTH), undefined)
  usage.set(NORTH, { waiting: 9, storedBytes: 1_001 })
  await refresh()
  assert.deepEqual(watch.usedUp(NORTH), { quota: 'storedBytes', limit: 1_000, used: 1_001 })
  usage.set(NORTH, { waiting: 9, storedBytes: 999 })
  await refresh()
  assert.equal(watch.usedUp(NORTH), undefined)
})

test('where waiting messages are known at all times, no measurement is needed', async () => {
  await using opened = open({ limits: { waitingMessages: 3 }, isLive: true })
  const { watch, usage } = opened
  for (const [waiting, isRefused] of [
    [0, false],
    [2, false],
    [3, true],
    [4, true],
    [2, false],
  ] as const) {
    usage.set(NORTH, { waiting })
    assert.equal(watch.usedUp(NORTH) !== undefined, isRefused, String(waiting))
  }
})

test('only tenants that have sent since the last measurement are measured', async () => {
  await using opened = open()
  const { watch, measured } = opened
  await watch.refresh()
  watch.usedUp(NORTH)
  watch.usedUp(NORTH)
  await watch.refresh()
  watch.usedUp(SOUTH)
  await watch.refresh()
  await watch.refresh()
  assert.deepEqual(measured, [[NORTH], [SOUTH]])
})

test('measures by itself soon after a tenant sends', async () => {
  const { promise: measuring, resolve } = Promise.withResolvers<readonly TenantId[]>()
  const hold = setInterval(() => undefined, 1_000)
  await using _watch = new QuotaWatch({
    usage: {
      measure: async (tenantIds) => {
        resolve(tenantIds)
        return new Map()
      },
    },
    quotasOf: () => DEFAULT_QUOTAS,
    clock: () => instant(0),
    onReached: async () => undefined,
    onFault: (error) => assert.fail(String(error)),
  })
  _watch.usedUp(NORTH)
  assert.deepEqual(await measuring, [NORTH])
  clearInterval(hold)
})

test('a number that cannot be read keeps its last value, and an old measurement refuses nothing', async () => {
  await using opened = open({ limits: { waitingMessages: 10, storedBytes: 1_000 } })
  const { watch, usage, refresh, pass } = opened
  usage.set(NORTH, { waiting: 1, storedBytes: 2_000 })
  await refresh()
  usage.set(NORTH, { waiting: 2 })
  pass(seconds(9))
  await refresh()
  assert.equal(watch.usedUp(NORTH)?.quota, 'storedBytes')
  usage.set(NORTH, {})
  pass(seconds(9))
  await refresh()
  assert.equal(watch.usedUp(NORTH)?.quota, 'storedBytes')
  pass(seconds(2))
  await refresh()
  assert.equal(watch.usedUp(NORTH), undefined)
})

test('a quota that an operator changes applies from the next measurement on', async () => {
  await using opened = open({ limits: { waitingMessages: 10 } })
  const { watch, usage, refresh, setLimits } = opened
  usage.set(NORTH, { waiting: 7 })
  await refresh()
  assert.equal(watch.usedUp(NORTH), undefined)
  setLimits({ waitingMessages: 7 })
  await refresh()
  assert.deepEqual(watch.usedUp(NORTH), { quota: 'waitingMessages', limit: 7, used: 7 })
  setLimits({ waitingMessages: 8 })
  await refresh()
  assert.equal(watch.usedUp(NORTH), undefined)
})

test('a quota of nothing refuses everything', async () => {
  await using live = open({ limits: { waitingMessages: 0 }, isLive: true })
  assert.deepEqual(live.watch.usedUp(NORTH), { quota: 'waitingMessages', limit: 0, used: 0 })
  await using measured = open({ limits: { storedBytes: 0 } })
  assert.equal(measured.watch.usedUp(NORTH)?.quota, 'storedBytes')
  await measured.refresh()
  assert.equal(measured.watch.usedUp(NORTH)?.quota, 'storedBytes')
})

test('four fifths of a quota and all of it are told once, and again only after clearly less was used', async () => {
  await using opened = open({ limits: { waitingMessages: 100, storedBytes: 1_000 } })
  const { usage, refresh, reached } = opened
  const told: [used: number, kind: string][] = []
  for (const waiting of [10, 79, 80, 90, 79, 81, 100, 120, 71, 85, 100, 69, 79, 80, 95]) {
    usage.set(NORTH, { waiting, storedBytes: 10 })
    const before = reached.length
    await refresh()
    for (const { kind } of reached.slice(before)) told.push([waiting, kind])
  }
  assert.deepEqual(told, [
    [80, 'quota.warning'],
    [100, 'quota.exceeded'],
    [80, 'quota.warning'],
  ])
  const [first] = reached
  assert.deepEqual(first, { kind: 'quota.warning', tenantId: NORTH, quota: 'waitingMessages', limit: 100, used: 80 })
})

test('a tenant that reaches a quota at once is told both', async () => {
  await using opened = open({ limits: { waitingMessages: 100, storedBytes: 1_000 } })
  opened.usage.set(NORTH, { waiting: 0, storedBytes: 1_000 })
  await opened.refresh()
  assert.deepEqual(
    opened.reached.map(({ kind, quota }) => [kind, quota]),
    [
      ['quota.warning', 'storedBytes'],
      ['quota.exceeded', 'storedBytes'],
    ],
  )
})

test('what could not be told is told with the next measurement', async () => {
  await using opened = open({ limits: { waitingMessages: 100 } })
  const { usage, refresh, reached, breakDown } = opened
  usage.set(NORTH, { waiting: 80 })
  breakDown(true)
  await refresh()
  assert.deepEqual(reached, [])
  breakDown(false)
  await refresh()
  await refresh()
  assert.equal(reached.length, 1)
})

test('a quota without a bound is never reached', async () => {
  await using opened = open()
  const { usage, refresh, reached, watch } = opened
  usage.set(NORTH, { waiting: 1, storedBytes: 1e15 })
  await refresh()
  assert.deepEqual(reached, [])
  assert.equal(watch.usedUp(NORTH), undefined)
})

test('tells how much of their quotas tenants use now', async () => {
  await using opened = open({ limits: { waitingMessages: 100, storedBytes: 1_000 } })
  const { watch, usage, refresh } = opened
  usage.set(NORTH, { waiting: 50, storedBytes: 10 })
  await refresh()
  usage.set(NORTH, { waiting: 25, storedBytes: 20 })
  assert.deepEqual(await watch.ratios(), [
    { tenantId: NORTH, quota: 'waitingMessages', ratio: 0.25 },
    { tenantId: NORTH, quota: 'storedBytes', ratio: 0.02 },
  ])
})

test('a tenant that sends nothing for long is forgotten', async () => {
  await using opened = open()
  const { watch, refresh, pass } = opened
  await refresh()
  assert.equal((await watch.ratios()).length, 2)
  pass(seconds(601))
  await watch.refresh()
  assert.deepEqual(await watch.ratios(), [])
})

const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('send' as const), count: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ kind: fc.constant('handOff' as const), count: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ kind: fc.constant('measure' as const) }),
  ),
  { maxLength: 60 },
)

test('never more is accepted than the quota, and what came between two measurements', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 60 }), steps, fc.boolean(), async (limit, all, isLive) => {
      await using opened = open({ limits: { waitingMessages: limit }, isLive })
      const { watch, usage } = opened
      let [waiting, accepted, mostAccepted] = [0, 0, 0]
      for (const step of all) {
        if (step.kind === 'measure') {
          await watch.refresh()
          accepted = 0
        } else if (step.kind === 'handOff') waiting = Math.max(0, waiting - step.count)
        else {
          for (let nth = 0; nth < step.count; nth += 1) {
            usage.set(NORTH, { waiting })
            if (watch.usedUp(NORTH) !== undefined) continue
            waiting += 1
            accepted += 1
          }
        }
        usage.set(NORTH, { waiting })
        mostAccepted = Math.max(mostAccepted, accepted)
        assert.ok(waiting <= limit + (isLive ? 0 : mostAccepted), `${waiting} of ${limit}`)
      }
    }),
  )
})

test('once measured, a tenant below its quota is not refused', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), fc.nat({ max: 90 }), async (limit, waiting) => {
      await using opened = open({ limits: { waitingMessages: limit } })
      opened.usage.set(NORTH, { waiting })
      await opened.refresh()
      for (let calls = 0; calls < 200; calls += 1) {
        assert.equal(opened.watch.usedUp(NORTH) === undefined, waiting < limit)
      }
    }),
  )
})
