/** Bounded waiting for answers of the broker. */
import { pause } from '../../lib/pause.ts'
import { Unavailable } from '../../ports/unavailable.ts'

const LONGEST_MS = 64

/** Repeats `find` with growing pauses until it finds something or `withinMs` have passed. */
export async function retryUntilFound<Found>(
  find: () => Promise<Found | undefined>,
  withinMs: number,
): Promise<Found | undefined> {
  const began = performance.now()
  for (let next = 2; ; next = Math.min(2 * next, LONGEST_MS)) {
    const found = await find()
    if (found !== undefined || performance.now() + next - began > withinMs) return found
    await pause(next)
  }
}

/** Waits for the promise, but no longer than `ms`. */
export async function waitAtMost(ms: number, promise: Promise<unknown>): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([promise, timeout])
  clearTimeout(timer)
}

/** Rejects with `Unavailable` after `ms`: an operation of many requests may take longer than each of them. */
export function withTimeout<Value>(ms: number, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Unavailable(`NATS did not complete this within ${ms} ms`)), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
