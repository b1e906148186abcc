/** The tests every store of provider results must pass. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ProviderName } from '../domain/ids.ts'
import { type Instant, later, millis } from '../lib/time.ts'
import { MINUTE, type ProviderMinute, type ProviderResults } from './provider-results.ts'
import { NOON } from './samples.contract.ts'

export type OpenProviderResults = () => Promise<Readonly<{ providerResults: ProviderResults }> & AsyncDisposable>

const ONE = 'one' as ProviderName
const OTHER = 'other' as ProviderName

const minute = (nth: number): Instant => later(NOON, millis(nth * MINUTE))
const counts = (nth: number, succeeded: number, failed = 0, deadLettered = 0) => ({
  minute: minute(nth),
  ...{ succeeded, failed, deadLettered },
})

export function providerResultsContract(engine: string, open: OpenProviderResults): void {
  describe(`provider results on ${engine}`, { timeout: 60_000 }, () => {
    test('adds up what processes add, by provider, within a period', async () => {
      await using opened = await open()
      const { providerResults } = opened
      await Promise.all([
        providerResults.add([
          { provider: ONE, ...counts(0, 5, 1) },
          { provider: ONE, ...counts(1, 2) },
          { provider: OTHER, ...counts(1, 0, 7, 2) },
          counts(1, 0, 0, 1),
        ]),
        providerResults.add([
          { provider: ONE, ...counts(1, 3, 4) },
          { provider: ONE, ...counts(2, 9) },
        ]),
      ])
      assert.deepEqual(
        await providerResults.sum(minute(0), minute(2)),
        new Map<ProviderName | undefined, object>([
          [undefined, { succeeded: 0, failed: 0, deadLettered: 1 }],
          [ONE, { succeeded: 10, failed: 5, deadLettered: 0 }],
          [OTHER, { succeeded: 0, failed: 7, deadLettered: 2 }],
        ]),
      )
      assert.deepEqual([...(await providerResults.sum(minute(2), minute(9))).keys()], [ONE])
      assert.deepEqual(await providerResults.sum(minute(3), minute(9)), new Map())
    })

    test('one call may count a minute twice, or nothing', async () => {
      await using opened = await open()
      const { providerResults } = opened
      const twice: ProviderMinute = { provider: ONE, ...counts(0, 1) }
      await providerResults.add([twice, twice])
      await providerResults.add([])
      assert.equal((await providerResults.sum(minute(0), minute(1))).get(ONE)?.succeeded, 2)
    })

    test('forgets minutes that began before', async () => {
      await using opened = await open()
      const { providerResults } = opened
      await providerResults.add([0, 1, 2].map((nth) => ({ provider: ONE, ...counts(nth, 1) })))
      await providerResults.forget(minute(2))
      assert.equal((await providerResults.sum(minute(0), minute(9))).get(ONE)?.succeeded, 1)
    })
  })
}
