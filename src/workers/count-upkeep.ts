/** Adds what has changed to the counts of the index, before it becomes much: it is read with them. */
import type { Engines } from '../ports/engines.ts'
import { Ticker } from './ticker.ts'

type KeepCounts = NonNullable<Engines['keepCounts']>

const EVERY_MS = 1_000

/** Works half of the time at most: the rest is for the projector. */
export function countUpkeep(keepCounts: KeepCounts, onFault: (error: unknown) => void): Ticker {
  const task = async (): Promise<void> => {
    const until = performance.now() + EVERY_MS
    while ((await keepCounts()) && performance.now() < until);
  }
  return new Ticker({ task, onFault }, EVERY_MS)
}
