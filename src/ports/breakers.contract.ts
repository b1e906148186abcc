/** What breakers promise to workers that share them. Moments are given, so no test waits for one. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { until } from '../../test/support/until.ts'
import type { ProviderName } from '../domain/ids.ts'
import { BREAKER, type Breaker, CLOSED, FREE, type Permit } from '../domain/routing/breaker.ts'
import { type Instant, later, millis } from '../lib/time.ts'
import type { Breakers, BreakerTransition } from './breakers.ts'
import { ACME, NOON } from './samples.contract.ts'

/** The breakers as each of two workers has them. */
export type OpenBreakers = () => Promise<Readonly<{ one: Breakers; other: Breakers }> & AsyncDisposable>

const DUE = later(NOON, BREAKER.pause)
const OTHER = 'other' as ProviderName

export function breakersContract(engine: string, open: OpenBreakers): void {
  describe(`breakers on ${engine}`, { timeout: 120_000 }, () => {
    test('who asks while all is well is free at once, and what is answered changes nothing', async () => {
      await using workers = await open()
      const { one, other } = workers
      assert.equal(one.ask(ACME, NOON), FREE)
      for (let n = 0; n < 10; n += 1) one.report(ACME, FREE, 'answered', NOON)
      assert.equal(other.ask(ACME, NOON), FREE)
      assert.deepEqual(one.states().get(ACME), { kind: 'closed', failures: 0 })
    })

    test('five failures told by different workers open it for all, and only that provider', async () => {
      await using workers = await open()
      const { one, other } = workers
      for (const [n, worker] of [one, other, one, other, one].entries()) fail(worker, n)
      await untilBoth(workers, ({ kind, failures }) => kind === 'open' && failures === 5)
      for (const worker of [one, other]) {
        const leave = await worker.ask(ACME, later(NOON, millis(5)))
        assert.equal(leave.kind, 'held')
        assert.equal(worker.ask(OTHER, NOON), FREE)
      }
    })

    test('failures that are told all at once are all counted', async () => {
      await using workers = await open()
      for (let n = 0; n < 2; n += 1) for (const worker of [workers.one, workers.other]) fail(worker, n)
      await untilBoth(workers, ({ failures }) => failures === 4)
      fail(workers.other, 4)
      await untilBoth(workers, ({ kind }) => kind === 'open')
    })

    test('calls that were begun before one that was answered fail for nothing, however many end after it', async () => {
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

    test('an answer ends the run, whoever told the failures', async () => {
      await using workers = await open()
      const { one, other } = workers
      for (let n = 0; n < 4; n += 1) fail(one, n)
      await untilBoth(workers, ({ failures }) => failures === 4)
      other.report(ACME, FREE, 'answered', NOON)
      await untilBoth(workers, ({ failures }) => failures === 0)
      fail(one, 4)
      await untilBoth(workers, ({ kind, failures }) => kind === 'closed' && failures === 1)
    })

    test('the trial goes to exactly one of all who ask', async () => {
      for (let round = 0; round < 5; round += 1) {
        await using workers = await open()
        await trip(workers)
        const askers = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? workers.one : workers.other))
        const leaves = await Promise.all(askers.map((worker) => worker.ask(ACME, DUE)))
        assert.equal(leaves.filter(({ kind }) => kind === 'trial').length, 1)
        for (const leave of leaves) if (leave.kind === 'held') assert.ok(leave.until > DUE)
      }
    })

    test('a trial that is answered closes it for all, and one that fails opens it once more', async () => {
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

    test('a trial whose worker died is given to another after its lease', async () => {
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

    test('a trial that was not made is given to the next who asks', async () => {
      await using workers = await open()
      await trip(workers)
      workers.one.report(ACME, await trialOf(workers.one, DUE), 'not_called', DUE)
      await untilBoth(workers, ({ kind }) => kind === 'open')
      assert.equal((await workers.other.ask(ACME, later(DUE, millis(1)))).kind, 'trial')
    })

    test('a person opens one for all, for the usual pause or another, and then one call is the trial', async () => {
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

    test('a person closes one for all, and its failures are forgotten', async () => {
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

    test('a turn says whether a person did it, and what changes nothing is none', async () => {
      await using workers = await open()
      const turns: BreakerTransition[] = []
      workers.one.watch((turn) => turns.push(turn))
      await workers.one.force(ACME, 'closed', NOON)
      for (const to of ['open', 'open', 'closed'] as const) await workers.one.force(ACME, to, NOON)
      assert.deepEqual(turns, [
        { provider: ACME, from: 'closed', to: 'open', failures: 0, forced: true },
        { provider: ACME, from: 'open', to: 'closed', failures: 0, forced: true },
      ])
    })

    test('each turn is told of once, to whoever watches the worker that caused it', async () => {
      await using workers = await open()
      const turns: BreakerTransition[] = []
      // In one process both are the same.
      const watched = [...new Set([workers.one, workers.other])]
      const stop = watched.map((worker) => worker.watch((turn) => turns.push(turn)))
      await trip(workers)
      workers.other.report(ACME, await trialOf(workers.other, DUE), 'answered', DUE)
      await untilBoth(workers, ({ kind }) => kind === 'closed')
      assert.deepEqual(turns, [
        { provider: ACME, from: 'closed', to: 'open', failures: 5, forced: false },
        { provider: ACME, from: 'open', to: 'half_open', failures: 5, forced: false },
        { provider: ACME, from: 'half_open', to: 'closed', failures: 0, forced: false },
      ])
      for (const end of stop) end()
      await trip(workers, DUE)
      assert.equal(turns.length, 3)
    })
  })
}

type Workers = Readonly<{ one: Breakers; other: Breakers }>

const fail = (worker: Breakers, n: number): void => worker.report(ACME, FREE, 'failed', later(NOON, millis(n)))

/** Opens it, for both workers. */
async function trip(workers: Workers, at: Instant = NOON): Promise<void> {
  for (let n = 0; n < BREAKER.failures; n += 1) workers.one.report(ACME, FREE, 'failed', at)
  await untilBoth(workers, ({ kind }) => kind === 'open')
}

const untilBoth = ({ one, other }: Workers, isSo: (breaker: Breaker) => boolean): Promise<boolean> =>
  until('both workers to know', () => [one, other].every((worker) => isSo(worker.states().get(ACME) ?? CLOSED)))

async function trialOf(worker: Breakers, at: Instant): Promise<Permit> {
  const leave = await worker.ask(ACME, at)
  assert.ok(leave.kind === 'trial', leave.kind)
  return leave
}
