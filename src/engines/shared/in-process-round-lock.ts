/** Round locks in the memory of one process, for the embedded profile. */
import type { Instant } from '../../lib/time.ts'
import type { RoundLock } from '../../ports/round-lock.ts'

export function inProcessRoundLock(): RoundLock {
  const begun = new Map<string, Instant>()
  return {
    async begin(name, at, notSince) {
      const last = begun.get(name)
      if (last !== undefined && last > notSince) return undefined
      begun.set(name, at)
      return last ?? at
    },
  }
}
