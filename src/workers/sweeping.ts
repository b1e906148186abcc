/** Destroying what was written for messages that do not exist, in rounds of which all processes together make one an hour. */

import type { Clock } from '../lib/clock.ts'
import { later, seconds } from '../lib/time.ts'
import type { RoundLock } from '../ports/round-lock.ts'

export type OnSwept = (kind: string, count: number) => void

export type SweepingDeps = Readonly<{
  rounds: RoundLock
  clock: Clock
  sweep: (onSwept: OnSwept, signal: AbortSignal) => Promise<void>
  onSwept: OnSwept
}>

/** How often a process is to try to begin a round. */
export const SWEEP_EVERY_MS = 60_000
const REST = seconds(-60 * 60)

/** The chore of a sweeper: a round, if it is ours to make. */
export const sweepingRounds =
  ({ rounds, clock, sweep, onSwept }: SweepingDeps, signal: AbortSignal): (() => Promise<void>) =>
  async () => {
    const now = clock()
    if ((await rounds.begin('sweep', now, later(now, REST))) !== undefined) await sweep(onSwept, signal)
  }
