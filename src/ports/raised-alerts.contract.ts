/** The tests every store of raised alerts must pass. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Instant, later, seconds } from '../lib/time.ts'
import type { AlertName, RaisedAlerts } from './raised-alerts.ts'
import { NOON } from './samples.contract.ts'

export type OpenRaisedAlerts = () => Promise<Readonly<{ raisedAlerts: RaisedAlerts }> & AsyncDisposable>

const after = (count: number): Instant => later(NOON, seconds(count))
const breakerOf = (subject: string): AlertName => ({ kind: 'provider.breaker_opened', subject })

export function raisedAlertsContract(engine: string, open: OpenRaisedAlerts): void {
  describe(`raised alerts on ${engine}`, { timeout: 60_000 }, () => {
    test('an alert is raised since the first call, until it is cleared', async () => {
      await using opened = await open()
      const { raisedAlerts: alerts } = opened
      assert.deepEqual(await alerts.raise(breakerOf('one'), after(0)), { since: after(0), isNew: true })
      assert.deepEqual(await alerts.raise(breakerOf('one'), after(9)), { since: after(0), isNew: false })
      assert.deepEqual(await alerts.raise(breakerOf('other'), after(2)), { since: after(2), isNew: true })
      assert.equal(await alerts.clear(breakerOf('one'), after(0)), true)
      assert.equal(await alerts.clear(breakerOf('one'), after(0)), false)
      assert.deepEqual([...(await alerts.list('provider.breaker_opened'))], [['other', after(2)]])
      assert.deepEqual(await alerts.raise(breakerOf('one'), after(5)), { since: after(5), isNew: true })
    })

    test('lists the subjects of one kind', async () => {
      await using opened = await open()
      const { raisedAlerts: alerts } = opened
      await alerts.raise({ kind: 'provider.degraded', subject: 'one' }, after(1))
      await alerts.raise({ kind: 'dead_letters.high', subject: '' }, after(2))
      assert.deepEqual(await alerts.list('provider.degraded'), new Map([['one', after(1)]]))
      assert.deepEqual(await alerts.list('dead_letters.high'), new Map([['', after(2)]]))
      assert.deepEqual(await alerts.list('quota.warning'), new Map())
    })

    test('is not cleared by somebody who knows only an earlier turn', async () => {
      await using opened = await open()
      const { raisedAlerts: alerts } = opened
      await alerts.raise(breakerOf('one'), after(3))
      assert.equal(await alerts.clear(breakerOf('one'), after(2)), false)
      assert.deepEqual(await alerts.list('provider.breaker_opened'), new Map([['one', after(3)]]))
    })

    test('of several processes that raise it at once, one is first', async () => {
      await using opened = await open()
      const { raisedAlerts: alerts } = opened
      const all = await Promise.all(Array.from({ length: 8 }, (_, nth) => alerts.raise(breakerOf('one'), after(nth))))
      assert.equal(all.filter(({ isNew }) => isNew).length, 1)
      assert.equal(new Set(all.map(({ since }) => since)).size, 1)
    })
  })
}
