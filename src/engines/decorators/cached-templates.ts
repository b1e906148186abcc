/**
 * Templates that were found lately, so that one that is sent often is not asked for each time, and one that was
 * seen before is sent also while their store is away.
 */

import type { Template } from '../../domain/directory/template.ts'
import type { Clock } from '../../lib/clock.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import type { Templates } from '../../ports/templates.ts'
import { Unavailable } from '../../ports/unavailable.ts'

/** So long another process may send an older version. */
const FRESH = seconds(1)
const MOST_KEPT = 1_000

type Kept = Readonly<{ template: Template; until: Instant }>

export function cachedTemplates(templates: Templates, clock: Clock): Templates {
  const known = new LruCache<string, Kept>(MOST_KEPT)
  const asking = new Set<string>()

  const keep = (key: string, template: Template): Template => {
    known.set(key, { template, until: later(clock(), FRESH) })
    return template
  }

  async function ask(key: string, ...args: Parameters<Templates['find']>): Promise<Template | undefined> {
    asking.add(key)
    try {
      const found = await templates.find(...args)
      if (found === undefined) known.delete(key)
      return found && keep(key, found)
    } catch (error) {
      const kept = known.get(key)
      if (kept === undefined || !(error instanceof Unavailable)) throw error
      return keep(key, kept.template)
    } finally {
      asking.delete(key)
    }
  }

  return {
    ...templates,

    async find(tenantId, name, locales) {
      const key = [tenantId, name, ...locales].join(' ')
      const kept = known.get(key)
      // A store that hangs holds up one caller, and not all of them.
      if (kept !== undefined && (clock() < kept.until || asking.has(key))) return kept.template
      return ask(key, tenantId, name, locales)
    },

    async add(template) {
      const added = await templates.add(template)
      known.clear()
      return added
    },

    async remove(tenantId, name, locale) {
      const wasThere = await templates.remove(tenantId, name, locale)
      known.clear()
      return wasThere
    },
  }
}
