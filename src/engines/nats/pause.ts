/** Waiting: for a while, for an answer, but never for good. */
import { setTimeout as wait } from 'node:timers/promises'
import { Unavailable } from '../../ports/unavailable.ts'

export const pause = (ms: number): Promise<void> => wait(ms)

/** Waits, but no longer than `signal` lasts. */
export const pauseUntil = (signal: AbortSignal, ms: number): Promise<void> =>
  wait(ms, undefined, { signal }).catch(() => undefined)

const LONGEST_MS = 64

/** Asks again and again, at first after short pauses, until there is an answer or `withinMs` are over. */
export async function persist<Found>(
  ask: () => Promise<Found | undefined>,
  withinMs: number,
): Promise<Found | undefined> {
  const began = performance.now()
  for (let next = 2; ; next = Math.min(2 * next, LONGEST_MS)) {
    const found = await ask()
    if (found !== undefined || performance.now() + next - began > withinMs) return found
    await pause(next)
  }
}

/** Waits for something, but no longer than this. */
export async function atMost(ms: number, something: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([something, promise])
  clearTimeout(timer)
}

/** What comes of something that is made of many questions, each of which may take long; whoever waits for it is told in time. */
export function within<Value>(ms: number, something: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Unavailable(`the broker did not settle it within ${ms} ms`)), ms)
    something.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
