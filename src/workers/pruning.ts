/** Deletes messages that are no longer kept, in rounds: one an hour among all processes. */

import { isBounded, type RetentionPolicy } from '../domain/message/retention.ts'
import { type PruneDeps, prune } from '../flows/admin/prune.ts'
import { later, seconds } from '../lib/time.ts'
import type { RoundLock } from '../ports/round-lock.ts'

export type PruningDeps = Omit<PruneDeps, 'policy'> &
  Readonly<{
    /** It may change between two rounds. */
    policy: () => RetentionPolicy
    rounds: RoundLock
    onRound: (count: number) => void
  }>

/** How often a process tries to begin a round. */
export const PRUNE_EVERY_MS = 5_000
const REST = seconds(-60 * 60)

/** Runs a round, if any messages are ever deleted and no other process has. */
export const pruningRounds =
  (deps: PruningDeps, signal: AbortSignal): (() => Promise<void>) =>
  async () => {
    const policy = deps.policy()
    if (!isBounded(policy)) return
    const now = deps.clock()
    if ((await deps.rounds.begin('prune', now, later(now, REST))) !== undefined) {
      deps.onRound(await prune({ ...deps, policy }, signal))
    }
  }
