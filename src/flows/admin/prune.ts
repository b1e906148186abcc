/**
 * Deletes messages that are no longer kept, a batch at a time, with a pause after each so that sending is not delayed.
 * A round that takes too long ends; the next one continues.
 */
import type { RetentionPolicy } from '../../domain/message/retention.ts'
import type { Clock } from '../../lib/clock.ts'
import { later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { Retention } from '../../ports/retention.ts'

export type PruneDeps = Readonly<{
  retention: Pick<Retention, 'prune'>
  policy: RetentionPolicy
  clock: Clock
  /** Between two batches. `took` is how long the last one took: a busy store gets longer pauses. */
  rest: (took: Millis) => Promise<void>
  onPruned: (count: number) => void
}>

const BATCH = 500
/** Shorter than the time between two rounds. */
const LONGEST = seconds(50 * 60)

/** Runs until nothing is left to delete, or `signal` aborts. Returns how many messages were deleted. */
export async function prune(deps: PruneDeps, signal: AbortSignal): Promise<number> {
  const { retention, policy, clock, rest, onPruned } = deps
  const end = later(clock(), LONGEST)
  let total = 0
  while (!signal.aborted) {
    const now = clock()
    const count = await retention.prune(policy, now, BATCH)
    total += count
    onPruned(count)
    if (count < BATCH || clock() >= end) break
    await rest(millis(clock() - now))
  }
  return total
}
