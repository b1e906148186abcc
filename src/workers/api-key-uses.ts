/**
 * Notes in memory when API keys were used, and writes that once in a while, so that no call waits for it. What was not
 * written yet is lost with the process.
 */
import type { ApiKeyId } from '../domain/access/api-key.ts'
import type { Instant } from '../lib/time.ts'
import type { ApiKeys } from '../ports/api-keys.ts'

/** The most often that the last use of a key is written. */
export const WRITE_USES_EVERY_MS = 60_000

export type ApiKeyUses = Readonly<{
  note: (id: ApiKeyId, at: Instant) => void
  /** Writes what was noted since. If it rejects, nothing is lost. */
  write: () => Promise<void>
}>

export function openApiKeyUses({ touch }: Pick<ApiKeys, 'touch'>): ApiKeyUses {
  let noted = new Map<ApiKeyId, Instant>()
  return {
    note: (id, at) => void noted.set(id, at),

    async write() {
      if (noted.size === 0) return
      const writing = noted
      noted = new Map()
      try {
        await touch([...writing].map(([id, at]) => ({ id, at })))
      } catch (error) {
        for (const [id, at] of noted) writing.set(id, at)
        noted = writing
        throw error
      }
    },
  }
}
