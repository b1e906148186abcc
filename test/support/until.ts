/** Waits for something to become so by looking again and again until a deadline: a test never just sleeps. */
import { setTimeout as wait } from 'node:timers/promises'

export type Patience = Readonly<{ withinMs?: number; everyMs?: number }>

const WITHIN_MS = 15_000
/** How long a server may take to start on a busy machine. */
export const START_WITHIN_MS = 60_000
const EVERY_MS = 20
/** One look counts for no more than this: a machine that stood still for a while was no chance for anything. */
const LOOK_COUNTS_MS = 1_000

/** What `look` finds, once that is neither undefined nor false. `what` ends the sentence "waited … for". */
export async function until<Found>(
  what: string,
  look: () => Promise<Found | undefined | false> | Found | undefined | false,
  { withinMs = WITHIN_MS, everyMs = EVERY_MS }: Patience = {},
): Promise<Found> {
  for (let waited = 0; ; ) {
    const lookedAt = performance.now()
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (waited >= withinMs) throw new Error(`waited ${withinMs} ms in vain for ${what}`)
    await wait(everyMs)
    waited += Math.min(performance.now() - lookedAt, LOOK_COUNTS_MS)
  }
}
