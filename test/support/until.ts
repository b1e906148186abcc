/** Polls for a condition until a deadline, so that tests need no fixed sleeps. */
import { setTimeout as wait } from 'node:timers/promises'

export type WaitOptions = Readonly<{ withinMs?: number; everyMs?: number }>

const WITHIN_MS = 15_000
/** The time that a server may take to start on a busy machine. */
export const START_WITHIN_MS = 60_000
const EVERY_MS = 20
/** One poll counts for at most this much: the time of a machine that was suspended does not count. */
const MAX_POLL_MS = 1_000

/** Returns the first result of `poll` that is neither undefined nor false. `what` names it in the error. */
export async function until<Found>(
  what: string,
  poll: () => Promise<Found | undefined | false> | Found | undefined | false,
  { withinMs = WITHIN_MS, everyMs = EVERY_MS }: WaitOptions = {},
): Promise<Found> {
  for (let waited = 0; ; ) {
    const polledAt = performance.now()
    const found = await poll()
    if (found !== undefined && found !== false) return found
    if (waited >= withinMs) throw new Error(`timed out after ${withinMs} ms waiting for ${what}`)
    await wait(everyMs)
    waited += Math.min(performance.now() - polledAt, MAX_POLL_MS)
  }
}
