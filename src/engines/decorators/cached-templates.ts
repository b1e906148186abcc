/**
 * Caches templates for a second, so that one that is sent often is not loaded each time, and uses cached ones while the
 * store is unavailable.
 */

import type { Template } from '../../domain/directory/template.ts'
import type { Clock } from '../../lib/clock.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import type { Templates } from '../../ports/templates.ts'
import { Unavailable } from '../../ports/unavailable.ts'

/** How long another process may still send an older version. */
const FRESH = seconds(1)
const CAPACITY = 1_000

type Cached = Readonly<{ template: Template; until: Instant }>

export function cachedTemplates(templates: Templates, clock: Clock): Templates {
  const cache = new LruCache<string, Cached>(CAPACITY)
  const loading = new Set<string>()

  const store = (key: string, template: Template): Template => {
    cache.set(key, { template, until: later(clock(), FRESH) })
    return template
  }

  async function load(key: string, ...args: Parameters<Templates['find']>): Promise<Template | undefined> {
    loading.add(key)
    try {
      const found = await templates.find(...args)
      if (found === undefined) cache.delete(key)
      return found && store(key, found)
    } catch (error) {
      const cached = cache.get(key)
      if (cached === undefined || !(error instanceof Unavailable)) throw error
      return store(key, cached.template)
    } finally {
      loading.delete(key)
    }
  }

  return {
    ...templates,

    async find(tenantId, name, locales) {
      const key = [tenantId, name, ...locales].join(' ')
      const cached = cache.get(key)
      // A hanging store delays one caller, not all.
      if (cached !== undefined && (clock() < cached.until || loading.has(key))) return cached.template
      return load(key, tenantId, name, locales)
    },

    async add(template, bounds) {
      const added = await templates.add(template, bounds)
      cache.clear()
      return added
    },

    async remove(tenantId, name, locale) {
      const wasThere = await templates.remove(tenantId, name, locale)
      cache.clear()
      return wasThere
    },
  }
}
