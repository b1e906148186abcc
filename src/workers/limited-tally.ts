/**
 * Counts the sends that rate limits refuse in memory, and adds them to those of other processes once in a while, so
 * that no call waits for it. What was not added yet is lost with the process.
 */
import type { TenantId } from '../domain/ids.ts'
import type { Channel } from '../domain/message/message.ts'
import type { Clock } from '../lib/clock.ts'
import { instant } from '../lib/time.ts'
import { LIMITED_KEPT_FOR, type LimitedMinute, type LimitedSends } from '../ports/limited-sends.ts'
import { MINUTE } from '../ports/provider-results.ts'

export const ADD_LIMITED_EVERY_MS = 5_000
export const FORGET_LIMITED_EVERY_MS = 60 * 60 * 1000

export type LimitedTally = Readonly<{
  onLimited: (send: Readonly<{ tenantId: TenantId; channel: Channel }>) => void
  /** Adds what was counted since. If it rejects, nothing is lost while there is room. */
  add: () => Promise<void>
  /** Forgets what is no longer kept. */
  forget: () => Promise<void>
}>

/** How many minutes are remembered while they cannot be added. */
const CAPACITY = 100_000

export function openLimitedTally(store: Pick<LimitedSends, 'add' | 'forget'>, clock: Clock): LimitedTally {
  let counted = new Map<string, LimitedMinute>()

  function count(more: LimitedMinute): void {
    const name = `${more.tenantId} ${more.channel} ${more.minute}`
    const known = counted.get(name)
    if (known === undefined && counted.size >= CAPACITY) return
    counted.set(name, { ...more, count: (known?.count ?? 0) + more.count })
  }

  return {
    onLimited({ tenantId, channel }) {
      const now = clock()
      count({ tenantId, channel, minute: instant(now - (now % MINUTE)), count: 1 })
    },

    async add() {
      const adding = counted
      counted = new Map()
      try {
        await store.add([...adding.values()])
      } catch (error) {
        for (const one of adding.values()) count(one)
        throw error
      }
    },

    forget: () => store.forget(instant(clock() - LIMITED_KEPT_FOR)),
  }
}
