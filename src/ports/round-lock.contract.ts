/** The tests of round locks: exactly one process begins a round, and learns when the previous one began. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type Instant, later, millis, seconds } from '../lib/time.ts'
import type { RoundLock } from './round-lock.ts'
import { earlier, NOON } from './samples.contract.ts'

export type OpenRoundLock = () => Promise<AsyncDisposable & Readonly<{ rounds: RoundLock }>>

const REST = seconds(4)

export function roundLockContract(engine: string, open: OpenRoundLock): void {
  describe(`rounds on ${engine}`, { timeout: 120_000 }, () => {
    test('the first round has no predecessor, and each later one returns when the previous one began', async () => {
      await using opened = await open()
      const { rounds } = opened
      const [first, second, third] = [NOON, later(NOON, seconds(5)), later(NOON, seconds(60))]
      assert.equal(await begin(rounds, first), first)
      assert.equal(await begin(rounds, second), first)
      assert.equal(await begin(rounds, third), second)
    })

    test('a round that has just begun is not begun again, and keeps its time', async () => {
      await using opened = await open()
      const { rounds } = opened
      await begin(rounds, NOON)
      for (const after of [0, 1, 3_999]) assert.equal(await begin(rounds, later(NOON, millis(after))), undefined)
      assert.equal(await begin(rounds, later(NOON, REST)), NOON)
    })

    test('rounds of different names are independent', async () => {
      await using opened = await open()
      const { rounds } = opened
      await begin(rounds, NOON, 'poll')
      assert.equal(await begin(rounds, later(NOON, seconds(1)), 'tidy'), later(NOON, seconds(1)))
      assert.equal(await begin(rounds, later(NOON, seconds(2)), 'poll'), undefined)
    })

    test('of concurrent callers exactly one begins the round, and the ranges have no gap or overlap', async () => {
      await using opened = await open()
      const { rounds } = opened
      let run = 0
      const starts = fc.array(fc.array(fc.nat({ max: 3_000 }), { minLength: 1, maxLength: 12 }), {
        minLength: 1,
        maxLength: 5,
      })
      const property = fc.asyncProperty(starts, async (all) => {
        run += 1
        const name = `round ${run}`
        let last: Instant | undefined
        for (const [nth, waits] of all.entries()) {
          const ats = waits.map((wait) => later(NOON, millis(nth * 10_000 + wait)))
          const answers = await Promise.all(ats.map((at) => begin(rounds, at, name)))
          const [winner = -1, ...others] = answers.flatMap((answer, index) => (answer === undefined ? [] : [index]))
          assert.deepEqual(others, [])
          assert.equal(answers[winner], last ?? ats[winner])
          last = ats[winner]
        }
      })
      await fc.assert(property, { numRuns: 100 })
    })
  })
}

const begin = (rounds: RoundLock, at: Instant, name = 'some'): Promise<Instant | undefined> =>
  rounds.begin(name, at, earlier(at, REST))
