/** The tests every breaker store must pass whose pauses survive a restart: closed and opened again by a new process. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ProviderName } from '../domain/ids.ts'
import { BREAKER, CLOSED, FREE } from '../domain/routing/breaker.ts'
import { later, millis, seconds } from '../lib/time.ts'
import type { Breakers } from './breakers.ts'
import { ACME, NOON } from './samples.contract.ts'

/** `open` opens the same breakers again, in a process that starts at noon. */
export type OpenPauses = () => Promise<Readonly<{ open: () => Promise<Breakers & AsyncDisposable> }> & AsyncDisposable>

const OTHER = 'other' as ProviderName
const DAY = seconds(24 * 60 * 60)

export function breakerPausesContract(engine: string, openStore: OpenPauses): void {
  describe(`paused breakers on ${engine}`, { timeout: 120_000 }, () => {
    test('stay open after a restart, until the end of the pause', async () => {
      await using store = await openStore()
      {
        await using breakers = await store.open()
        for (let n = 0; n < BREAKER.failures - 1; n += 1) breakers.report(ACME, FREE, 'failed', NOON)
        await breakers.force(ACME, 'open', NOON, DAY)
      }
      await using breakers = await store.open()
      const end = later(NOON, DAY)
      const { failures } = BREAKER
      assert.deepEqual(breakers.states().get(ACME), {
        kind: 'open',
        failures: failures - 1,
        openedAt: NOON,
        retryAt: end,
        pausedAt: NOON,
      })
      const before = later(end, millis(-1))
      assert.deepEqual(await breakers.ask(ACME, before), { kind: 'held', until: end })
      assert.equal(await breakers.ask(OTHER, before), FREE)
      assert.deepEqual(await breakers.ask(ACME, end), { kind: 'trial', at: end })
    })

    test('stay closed after a restart once somebody closed them', async () => {
      await using store = await openStore()
      {
        await using breakers = await store.open()
        for (const provider of [ACME, OTHER]) await breakers.force(provider, 'open', NOON, DAY)
      }
      {
        await using breakers = await store.open()
        await breakers.force(ACME, 'closed', NOON)
      }
      await using breakers = await store.open()
      assert.deepEqual(breakers.states().get(ACME) ?? CLOSED, CLOSED)
      assert.equal(breakers.states().get(OTHER)?.kind, 'open')
    })

    test('have the end of the latest pause', async () => {
      await using store = await openStore()
      const paused = later(NOON, millis(5))
      {
        await using breakers = await store.open()
        await breakers.force(ACME, 'open', NOON, DAY)
        await breakers.force(ACME, 'open', paused, seconds(60))
      }
      await using breakers = await store.open()
      assert.deepEqual(await breakers.ask(ACME, paused), { kind: 'held', until: later(paused, seconds(60)) })
    })
  })
}
