/** The tests every breaker store must pass, with two workers that share it. Times are passed in, so no test waits. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { until } from '../../test/support/until.ts'
import type { ProviderName } from '../domain/ids.ts'
import { BREAKER, type Breaker, CLOSED, FREE, type Permit } from '../domain/routing/breaker.ts'
import { type Instant, later, millis } from '../lib/time.ts'
import type { Breakers, BreakerTransition } from './breakers.ts'
import { ACME, NOON } from './samples.contract.ts'

/** The breakers as each of the two workers opens them. */
export type OpenBreakers = () => Promise<Readonly<{ one: Breakers; other: Breakers }> & AsyncDisposable>

const DUE = later(NOON, BREAKER.pause)
const OTHER = 'other' as ProviderName

export function breakersContract(engine: string, open: OpenBreakers): void {
  describe(`breakers on ${engine}`, { timeout: 120_000 }, () => {
    test('permits every call at once while closed, and a success changes nothing', async () => {
      await using workers = await open()
      const { one, other } = workers
      assert.equal(one.ask(ACME, NOON), FREE)
      for (let n = 0; n < 10; n += 1) one.report(ACME, FREE, 'answered', NOON)
      assert.equal(other.ask(ACME, NOON), FREE)
      assert.deepEqual(one.states().get(ACME), { kind: 'closed', failures: 0 })
    })

    test('five failures reported by different workers open it for all, and only for that provider', async () => {
      await using workers = await open()
      const { one, other } = workers
      for (const [n, worker] of [one, other, one, other, one].entries()) fail(worker, n)
      await untilBoth(workers, ({ kind, failures }) => kind === 'open' && failures === 5)
      for (const worker of [one, other]) {
        const permit = await worker.ask(ACME, later(NOON, millis(5)))
        assert.equal(permit.kind, 'held')
        assert.equal(worker.ask(OTHER, NOON), FREE)
      }
    })

    test('concurrent failures are all counted', async () => {
      await using workers = await open()
      for (let n = 0; n < 2; n += 1) for (const worker of [workers.one, workers.other]) fail(worker, n)
      await untilBoth(workers, ({ failures }) => failures === 4)
      fail(workers.other, 4)
      await untilBoth(workers, ({ kind }) => kind === 'open')
    })

    test('ignores failures of calls that began before a successful one', async () => {
      await using workers = await open()
      const { one } = workers
      one.report(ACME, FREE, 'answered', later(NOON, millis(10)), later(NOON, millis(5)))
      for (let n = 0; n < 2 * BREAKER.failures; n += 1)
        one.report(ACME, FREE, 'failed', later(NOON, millis(1_000)), NOON)
      assert.deepEqual(one.states().get(ACME) ?? CLOSED, CLOSED)
      for (let n = 0; n < BREAKER.failures; n += 1)
        one.report(ACME, FREE, 'failed', later(NOON, millis(1_000)), later(NOON, millis(6)))
      await untilBoth(workers, ({ kind }) => kind === 'open')
    })

    test('a success resets the failure count, no matter which worker reported the failures', async () => {
      await using workers = await open()
      const { one, other } = workers
      for (let n = 0; n < 4; n += 1) fail(one, n)
      await untilBoth(workers, ({ failures }) => failures === 4)
      other.report(ACME, FREE, 'answered', NOON)
      await untilBoth(workers, ({ failures }) => failures === 0)
      fail(one, 4)
      await untilBoth(workers, ({ kind, failures }) => kind === 'closed' && failures === 1)
    })

    test('exactly one caller gets the trial', async () => {
      for (let round = 0; round < 5; round += 1) {
        await using workers = await open()
        await trip(workers)
        const askers = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? workers.one : workers.other))
        const permits = await Promise.all(askers.map((worker) => worker.ask(ACME, DUE)))
        assert.equal(permits.filter(({ kind }) => kind === 'trial').length, 1)
        for (const permit of permits) if (permit.kind === 'held') assert.ok(permit.until > DUE)
      }
    })

    test('a successful trial closes it for all workers, and a failed one opens it again', async () => {
      await using workers = await open()
      const { one, other } = workers
      await trip(workers)
      one.report(ACME, await trialOf(one, DUE), 'failed', DUE)
      const again = later(DUE, BREAKER.pause)
      await untilBoth(workers, (breaker) => breaker.kind === 'open' && breaker.retryAt === again)
      assert.deepEqual(await other.ask(ACME, later(DUE, millis(1))), { kind: 'held', until: again })
      other.report(ACME, await trialOf(other, again), 'answered', again)
      await untilBoth(workers, ({ kind, failures }) => kind === 'closed' && failures === 0)
      assert.equal(one.ask(ACME, again), FREE)
    })

    test('gives the trial to another worker when the lease of a crashed one ends', async () => {
      await using workers = await open()
      const { one, other } = workers
      await trip(workers)
      await trialOf(one, DUE)
      await untilBoth(workers, ({ kind }) => kind === 'half_open')
      const lost = later(DUE, BREAKER.lease)
      assert.equal((await other.ask(ACME, later(DUE, millis(BREAKER.lease - 1)))).kind, 'held')
      const trial = await trialOf(other, lost)
      one.report(ACME, { kind: 'trial', at: DUE }, 'failed', lost)
      other.report(ACME, trial, 'answered', lost)
      await untilBoth(workers, ({ kind }) => kind === 'closed')
    })

    test('gives an unused trial to the next caller', async () => {
      await using workers = await open()
      await trip(workers)
      workers.one.report(ACME, await trialOf(workers.one, DUE), 'not_called', DUE)
      await untilBoth(workers, ({ kind }) => kind === 'open')
      assert.equal((await workers.other.ask(ACME, later(DUE, millis(1)))).kind, 'trial')
    })

    test('opened manually, it stays open for the usual or a given pause, and then permits one trial', async () => {
      await using workers = await open()
      const { one, other } = workers
      await one.force(ACME, 'open', NOON)
      await untilBoth(workers, (breaker) => breaker.kind === 'open' && breaker.retryAt === DUE)
      assert.deepEqual(await other.ask(ACME, NOON), { kind: 'held', until: DUE })
      assert.equal(other.ask(OTHER, NOON), FREE)
      const long = later(NOON, millis(600_000))
      await other.force(ACME, 'open', NOON, millis(600_000))
      await untilBoth(workers, (breaker) => breaker.kind === 'open' && breaker.retryAt === long)
      one.report(ACME, await trialOf(one, long), 'answered', long)
      await untilBoth(workers, ({ kind }) => kind === 'closed')
    })

    test('opened manually, all workers know since when, also if it had opened by itself', async () => {
      await using workers = await open()
      await trip(workers)
      const at = later(NOON, millis(1_000))
      await workers.one.force(ACME, 'open', at, millis(86_400_000))
      await untilBoth(workers, (breaker) => breaker.kind === 'open' && breaker.pausedAt === at)
      for (const worker of [workers.one, workers.other])
        assert.deepEqual(worker.states().get(ACME), {
          kind: 'open',
          failures: BREAKER.failures,
          openedAt: NOON,
          retryAt: later(at, millis(86_400_000)),
          pausedAt: at,
        })
    })

    test('closed manually, it is closed for all workers and its failures are reset', async () => {
      await using workers = await open()
      const { one, other } = workers
      await trip(workers)
      await other.force(ACME, 'closed', NOON)
      await untilBoth(workers, ({ kind, failures }) => kind === 'closed' && failures === 0)
      for (let n = 0; n < BREAKER.failures - 1; n += 1) fail(one, n)
      await untilBoth(workers, ({ failures }) => failures === BREAKER.failures - 1)
      await one.force(ACME, 'closed', NOON)
      await untilBoth(workers, ({ failures }) => failures === 0)
      assert.equal(other.ask(ACME, NOON), FREE)
    })

    test('a transition says whether it was manual, and a change to the same state is not a transition', async () => {
      await using workers = await open()
      const transitions: BreakerTransition[] = []
      workers.one.watch((transition) => transitions.push(transition))
      await workers.one.force(ACME, 'closed', NOON)
      for (const to of ['open', 'open', 'closed'] as const) await workers.one.force(ACME, to, NOON)
      assert.deepEqual(transitions, [
        { provider: ACME, from: 'closed', to: 'open', failures: 0, forced: true },
        { provider: ACME, from: 'open', to: 'closed', failures: 0, forced: true },
      ])
    })

    test('reports each transition once, to the listeners of the worker that caused it', async () => {
      await using workers = await open()
      const transitions: BreakerTransition[] = []
      // Within one process both workers share the breakers.
      const watched = [...new Set([workers.one, workers.other])]
      const stop = watched.map((worker) => worker.watch((transition) => transitions.push(transition)))
      await trip(workers)
      workers.other.report(ACME, await trialOf(workers.other, DUE), 'answered', DUE)
      await untilBoth(workers, ({ kind }) => kind === 'closed')
      assert.deepEqual(transitions, [
        { provider: ACME, from: 'closed', to: 'open', failures: 5, forced: false },
        { provider: ACME, from: 'open', to: 'half_open', failures: 5, forced: false },
        { provider: ACME, from: 'half_open', to: 'closed', failures: 0, forced: false },
      ])
      for (const end of stop) end()
      await trip(workers, DUE)
      assert.equal(transitions.length, 3)
    })
  })
}

type Workers = Readonly<{ one: Breakers; other: Breakers }>

const fail = (worker: Breakers, n: number): void => worker.report(ACME, FREE, 'failed', later(NOON, millis(n)))

/** Opens the breaker for both workers. */
async function trip(workers: Workers, at: Instant = NOON): Promise<void> {
  for (let n = 0; n < BREAKER.failures; n += 1) workers.one.report(ACME, FREE, 'failed', at)
  await untilBoth(workers, ({ kind }) => kind === 'open')
}

const untilBoth = ({ one, other }: Workers, matches: (breaker: Breaker) => boolean): Promise<boolean> =>
  until('both workers to have the state', () =>
    [one, other].every((worker) => matches(worker.states().get(ACME) ?? CLOSED)),
  )

async function trialOf(worker: Breakers, at: Instant): Promise<Permit> {
  const permit = await worker.ask(ACME, at)
  assert.ok(permit.kind === 'trial', permit.kind)
  return permit
}
