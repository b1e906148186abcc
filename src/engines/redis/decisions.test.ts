import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { newRedisPrefix, shareRedis } from '../../../test/support/redis-server.ts'
import { type Counter, counted, NOTHING, type Tally, toLimitStatus, waitOfAll } from '../../domain/limits/limits.ts'
import { later, millis } from '../../lib/time.ts'
import { someCounter } from '../../ports/limiter-samples.contract.ts'
import { NOON } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Call } from './connection.ts'
import { type Answer, Decisions } from './decisions.ts'
import { openLimiterAt, SKEW } from './limiter.fixture.ts'

const server = await shareRedis()
const openLimiter = () => openLimiterAt(NOON, server.url, newRedisPrefix())

const RULE = fc.record({
  limit: fc.integer({ min: 1, max: 5 }),
  window: fc.integer({ min: 1, max: 200 }).map(millis),
  algorithm: fc.constantFrom('fixed' as const, 'sliding' as const),
})

/** The pauses before turns, and which counters each decision of a turn is about. */
const TURNS = fc.array(
  fc.record({
    pause: fc.integer({ min: 0, max: 120 }),
    masks: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
  }),
  { minLength: 1, maxLength: 8 },
)

test('decisions of one turn are made as the domain makes them one after the other', async () => {
  await using opened = await openLimiter()
  const { limiter, world } = opened
  const property = fc.asyncProperty(fc.array(RULE, { minLength: 3, maxLength: 3 }), TURNS, async (rules, turns) => {
    const counters = rules.map((rule) => someCounter(rule))
    const tallies = new Map<Counter, Tally>()
    const tallyOf = (counter: Counter): Tally => tallies.get(counter) ?? NOTHING
    await limiter.statuses(counters)
    for (const { pause, masks } of turns) {
      world.at = later(world.at, millis(pause))
      const asked = masks.map((mask) => counters.filter((_, nth) => (mask & (1 << nth)) > 0))
      const decisions = await Promise.all(asked.map((named) => limiter.decide(named)))
      const expected = asked.map((named) => {
        const all = named.map((counter) => ({ counter, tally: tallyOf(counter) }))
        const isFull = waitOfAll(all, world.at) > 0
        if (!isFull) for (const { counter, tally } of all) tallies.set(counter, counted(counter, tally, world.at))
        const statuses = named.map((counter) => toLimitStatus(counter, tallyOf(counter), world.at))
        return { kind: isFull ? 'full' : 'taken', statuses }
      })
      assert.deepEqual(
        decisions.map(({ kind, statuses }) => ({ kind, statuses })),
        expected,
      )
    }
  })
  await fc.assert(property, { numRuns: 150 })
})

test('a decision about a missing counter neither delays nor changes those made with it', async () => {
  await using opened = await openLimiter()
  const { limiter, world } = opened
  const [known, missing] = [someCounter({ limit: 10 }), someCounter({ limit: 10 })]
  await limiter.decide([known])
  const { promise, resolve } = Promise.withResolvers<void>()
  world.loading = promise
  world.truth = [{ counter: missing, tally: [[NOON, 3]] }]
  const [waiting, decided] = [limiter.decide([known, missing]), limiter.decide([known])]
  assert.equal((await decided).statuses[0]?.used, 2)
  resolve()
  assert.deepEqual(
    (await waiting).statuses.map(({ used }) => used),
    [3, 4],
  )
})

/** Decisions on a connection whose answers a test gives. */
function openHeld() {
  const calls: { call: Call; answer: (kinds: number[]) => void; fail: (error: Error) => void }[] = []
  const run = (_script: string, toCall: () => Call): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const answer = (kinds: number[]): void => resolve(kinds.flatMap((kind) => [kind, 1, 0, 0, NOON]))
      setImmediate(() => calls.push({ call: toCall(), answer, fail: reject }))
    })
  return { calls, decisions: new Decisions({ connection: { run }, prefix: 'TEST', clock: () => NOON, skew: SKEW }) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('what is asked while a call is under way shares the next call', async () => {
  const { calls, decisions } = openHeld()
  const counter = someCounter()
  const ask = () => decisions.ask([counter], 1)
  const asked: Promise<Answer>[] = [ask(), ask()]
  await turn()
  for (let nth = 0; nth < 3; nth += 1) asked.push(ask())
  await turn()
  assert.equal(calls.length, 1)
  calls[0]?.answer([1, 1])
  await turn()
  await turn()
  assert.equal(calls.length, 2)
  calls[1]?.answer([1, 2, 2])
  const kinds = (await Promise.all(asked)).map(({ kind }) => kind)
  assert.deepEqual(kinds, ['taken', 'taken', 'taken', 'full', 'full'])
  assert.deepEqual(
    calls.map(({ call }) => call.keys.length),
    [2, 2],
  )
})

test('a call that fails rejects also what waits for the next, and later ones are asked again', async () => {
  const { calls, decisions } = openHeld()
  const ask = () => decisions.ask([someCounter()], 1)
  const first = ask()
  await turn()
  const waiting = ask()
  calls[0]?.fail(new Unavailable('gone'))
  await Promise.all([first, waiting].map((asked) => assert.rejects(asked, Unavailable)))
  const later = ask()
  await turn()
  calls[1]?.answer([1])
  assert.equal((await later).kind, 'taken')
})

test('a call makes a bounded number of decisions', async () => {
  const { calls, decisions } = openHeld()
  const counter = someCounter()
  const asked = Promise.all(Array.from({ length: 251 }, () => decisions.ask([counter], 1)))
  await turn()
  calls[0]?.answer(new Array(250).fill(1))
  await turn()
  await turn()
  calls[1]?.answer([1])
  assert.equal((await asked).length, 251)
})
