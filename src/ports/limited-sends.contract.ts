/** The tests every store of refused sends must pass. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Instant, later, millis, seconds } from '../lib/time.ts'
import type { LimitedMinute, LimitedSends } from './limited-sends.ts'
import { MINUTE } from './provider-results.ts'
import { hours, NOON, tenant } from './samples.contract.ts'

export type OpenLimitedSends = () => Promise<Readonly<{ limitedSends: LimitedSends }> & AsyncDisposable>

const [NORTH, SOUTH] = [tenant('north'), tenant('south')]
const minute = (nth: number): Instant => later(NOON, millis(nth * MINUTE))
const limited = (nth: number, count: number, more: Partial<LimitedMinute> = {}): LimitedMinute => ({
  tenantId: NORTH,
  channel: 'sms',
  minute: minute(nth),
  count,
  ...more,
})

export function limitedSendsContract(engine: string, open: OpenLimitedSends): void {
  describe(`refused sends on ${engine}`, { timeout: 60_000 }, () => {
    test('adds up what processes add, by bucket and channel, of one tenant and period', async () => {
      await using opened = await open()
      const { limitedSends } = opened
      await Promise.all([
        limitedSends.add([limited(0, 5), limited(59, 2), limited(60, 1), limited(0, 9, { tenantId: SOUTH })]),
        limitedSends.add([limited(0, 1), limited(1, 4, { channel: 'email' }), limited(-1, 7), limited(120, 8)]),
      ])
      const query = { tenantId: NORTH, from: NOON, to: minute(120) }
      assert.deepEqual(await limitedSends.stats({ ...query, bucket: hours(1) }), [
        { start: NOON, channel: 'email', count: 4 },
        { start: NOON, channel: 'sms', count: 8 },
        { start: minute(60), channel: 'sms', count: 1 },
      ])
      const day = { ...query, from: later(NOON, millis(-hours(12))), to: later(NOON, hours(12)), bucket: hours(24) }
      assert.deepEqual(
        (await limitedSends.stats(day)).map(({ channel, count }) => [channel, count]),
        [
          ['email', 4],
          ['sms', 24],
        ],
      )
      assert.deepEqual(await limitedSends.stats({ ...query, to: minute(1), bucket: seconds(60) }), [
        { start: NOON, channel: 'sms', count: 6 },
      ])
    })

    test('one call may add to a minute twice, and an empty one adds nothing', async () => {
      await using opened = await open()
      const { limitedSends } = opened
      await limitedSends.add([limited(0, 1), limited(0, 2)])
      await limitedSends.add([])
      const [found] = await limitedSends.stats({ tenantId: NORTH, from: NOON, to: minute(1), bucket: MINUTE })
      assert.equal(found?.count, 3)
    })

    test('forgets what is older', async () => {
      await using opened = await open()
      const { limitedSends } = opened
      await limitedSends.add([limited(0, 1), limited(1, 1), limited(2, 1)])
      await limitedSends.forget(minute(2))
      const found = await limitedSends.stats({ tenantId: NORTH, from: NOON, to: minute(9), bucket: MINUTE })
      assert.deepEqual(
        found.map(({ start }) => start),
        [minute(2)],
      )
    })
  })
}
