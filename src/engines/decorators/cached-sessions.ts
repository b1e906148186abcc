/**
 * Caches sessions for half a second, since the pages of the console make many calls at once. What ends a session in this
 * process takes effect at once, and what another process ends within that time.
 */
import type { Clock } from '../../lib/clock.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import { type Instant, later, millis } from '../../lib/time.ts'
import type { Sessions, SignedIn, Users } from '../../ports/users.ts'

const FRESH = millis(500)
const CAPACITY = 1_000

/** `until` counts from before the store was asked. */
type Cached = Readonly<{ found: Promise<SignedIn | undefined>; until: Instant }>

export function cachedSessions(
  { users, sessions }: Readonly<{ users: Users; sessions: Sessions }>,
  clock: Clock,
): Readonly<{ users: Users; sessions: Sessions }> {
  const cache = new LruCache<string, Cached>(CAPACITY)

  function find(hash: string, now: Instant): Promise<SignedIn | undefined> {
    const cached = cache.get(hash)
    if (cached !== undefined && clock() < cached.until) return cached.found
    const found = sessions.find(hash, now)
    cache.set(hash, { found, until: later(clock(), FRESH) })
    // Only an answer is worth keeping.
    found.catch(() => cache.delete(hash))
    return found
  }

  /** Forgets before and after: a call in between may have read what was there before. */
  async function forgetting<Result>(forget: () => void, act: Promise<Result>): Promise<Result> {
    forget()
    try {
      return await act
    } finally {
      forget()
    }
  }
  const all = (): void => cache.clear()

  return {
    users: {
      ...users,
      change: (change) => forgetting(all, users.change(change)),
      remove: (tenantId, id) => forgetting(all, users.remove(tenantId, id)),
    },
    sessions: {
      begin: sessions.begin,
      find,
      extend: (hash, expiresAt) => forgetting(() => cache.delete(hash), sessions.extend(hash, expiresAt)),
      end: (hash) => forgetting(() => cache.delete(hash), sessions.end(hash)),
    },
  }
}
