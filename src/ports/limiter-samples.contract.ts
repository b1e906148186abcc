/** Counters, acts and a limiter with a clock, for the tests of limiters. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Counter, Rule } from '../domain/limits/limits.ts'
import type { Clock } from '../lib/clock.ts'
import { type Instant, later, type Millis, seconds } from '../lib/time.ts'
import type { Act, Admission, Limiter } from './limiter.ts'
import { NOON, tenant } from './samples.contract.ts'

/** Opens a limiter with this clock. The store may be shared: every test uses counters of its own. */
export type OpenLimiter = (clock: Clock) => Promise<Readonly<{ limiter: Limiter }> & AsyncDisposable>

/** A counter of a new tenant. */
export const someCounter = (rule: Partial<Rule> = {}): Counter => ({
  tenantId: tenant(randomUUID()),
  scope: 'recipient',
  key: 'somebody',
  version: 1,
  rule: { limit: 5, window: seconds(60), algorithm: 'fixed', ...rule },
})

export const acts: Act<string> = async () => ({ value: 'done', counts: true })
export const mustNotAct: Act<string> = async () => assert.fail('acted beyond the limit')

export const usedIn = ({ limits }: Admission<unknown>): readonly number[] => limits.map(({ used }) => used)

export async function openWorld(open: OpenLimiter) {
  let now: Instant = NOON
  const opened = await open(() => now)
  return {
    limiter: opened.limiter,
    now: () => now,
    pass(by: Millis): void {
      now = later(now, by)
    },
    setClock(at: Instant): void {
      now = at
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
