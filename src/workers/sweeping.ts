/** Destroys data written for messages that do not exist, in rounds: one an hour among all processes. */

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

/** How often a process tries to begin a round. */
export const SWEEP_EVERY_MS = 60_000
const REST = seconds(-60 * 60)

/** Runs a round, if no other process has. */
export const sweepingRounds =
  ({ rounds, clock, sweep, onSwept }: SweepingDeps, signal: AbortSignal): (() => Promise<void>) =>
  async () => {
    const now = clock()
    if ((await rounds.begin('sweep', now, later(now, REST))) !== undefined) await sweep(onSwept, signal)
  }
