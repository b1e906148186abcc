/** The tests of the positions of sinks: they only move forward, by one process at a time, and outlive it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SinkName } from '../domain/ids.ts'
import { type Instant, later, seconds } from '../lib/time.ts'
import type { Engines } from './engines.ts'
import type { Position } from './event-log.ts'
import { append, createdEntry, NOON } from './samples.contract.ts'
import type { SinkClaim } from './sink-positions.ts'

export type OpenSinkPositions = () => Promise<Pick<Engines, 'log' | 'sinkPositions'> & AsyncDisposable>

const LEASE = seconds(15)
const claimOf = (owner: string, now: Instant = NOON, sink = 'crm'): SinkClaim => ({
  sink: sink as SinkName,
  owner,
  now,
  until: later(now, LEASE),
})

/** `alone`: one process at a time has the store open, so claims are not compared. */
export function sinkPositionsContract(engine: string, open: OpenSinkPositions, { alone = false } = {}): void {
  describe(`positions of sinks on ${engine}`, { timeout: 60_000 }, () => {
    test('a new sink begins at the end of the log, and each has a position of its own', async () => {
      await using opened = await open()
      const { log, sinkPositions } = opened
      await append(log, createdEntry())
      const first = await sinkPositions.claim(claimOf('a'))
      assert.equal(first, await log.tip())
      await append(log, createdEntry())
      assert.equal(await sinkPositions.claim(claimOf('a', NOON, 'other')), await log.tip())
      assert.equal(await sinkPositions.claim(claimOf('a')), first)
    })

    test('a stored position is where the next owner goes on', async () => {
      await using opened = await open()
      const { log, sinkPositions } = opened
      await sinkPositions.claim(claimOf('a'))
      await append(log, createdEntry())
      const position = await log.tip()
      assert.equal(await sinkPositions.advance(claimOf('a'), position), true)
      await append(log, createdEntry())
      assert.equal(await sinkPositions.claim(claimOf('b', later(NOON, LEASE))), position)
    })

    if (!alone) {
      test('one process has a sink until its claim ends, and storing a position renews it', async () => {
        await using opened = await open()
        const { sinkPositions } = opened
        const position = await sinkPositions.claim(claimOf('a'))
        assert.ok(position !== undefined)
        assert.equal(await sinkPositions.claim(claimOf('b', later(NOON, seconds(14)))), undefined)
        assert.equal(await sinkPositions.advance(claimOf('a', later(NOON, seconds(10))), position), true)
        assert.equal(await sinkPositions.claim(claimOf('b', later(NOON, LEASE))), undefined)
        assert.equal(await sinkPositions.claim(claimOf('b', later(NOON, seconds(25)))), position)
      })

      test('a process that was replaced stores nothing any more', async () => {
        await using opened = await open()
        const { sinkPositions } = opened
        const before = await sinkPositions.claim(claimOf('a'))
        await sinkPositions.claim(claimOf('b', later(NOON, LEASE)))
        assert.equal(await sinkPositions.advance(claimOf('a', later(NOON, LEASE)), 1_000 as Position), false)
        assert.equal(await sinkPositions.claim(claimOf('b', later(NOON, LEASE))), before)
      })

      test('of processes that claim a sink at once exactly one gets it', async () => {
        await using opened = await open()
        const { sinkPositions } = opened
        const owners = Array.from({ length: 8 }, (_, nth) => `owner ${nth}`)
        const found = await Promise.all(owners.map((owner) => sinkPositions.claim(claimOf(owner))))
        assert.equal(found.filter((position) => position !== undefined).length, 1)
      })
    }
  })
}
