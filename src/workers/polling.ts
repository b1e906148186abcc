/**
 * Asking silent providers in rounds, of which all processes together make one every few seconds. A round goes on
 * where the last one was begun, whoever made that.
 */
import { type Instant, later, seconds } from '../domain/time.ts'
import { type PollDeps, poll } from '../flows/poll.ts'
import type { Rounds } from '../ports/rounds.ts'
import { Unavailable } from '../ports/unavailable.ts'

export type PollingDeps = PollDeps & Readonly<{ rounds: Rounds }>

/** How often a process is to try to begin one. */
export const POLL_EVERY_MS = 5_000
/** A little less: clocks and timers differ. */
const REST = seconds(-4)

/** The chore of a poller: a round, if it is ours to make. */
export function pollingRounds(deps: PollingDeps): () => Promise<void> {
  // What could not be asked because a store was away is made up for in our next round.
  let owed: Instant | undefined
  return async () => {
    const now = deps.clock()
    const lastLook = await deps.rounds.begin('poll', now, later(now, REST))
    if (lastLook === undefined) return
    const from: Instant = owed !== undefined && owed < lastLook ? owed : lastLook
    owed = undefined
    try {
      await poll(deps, from, now)
    } catch (error) {
      if (error instanceof Unavailable) owed = from
      throw error
    }
  }
}
