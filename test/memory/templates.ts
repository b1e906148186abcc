/** Templates in memory, oldest first; for tests. */

import type { Template, TemplateKey } from '../../src/domain/directory/template.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { Templates } from '../../src/ports/templates.ts'

export function memoryTemplates(): Templates {
  let stored: readonly Template[] = []

  const versions = (key: TemplateKey): readonly Template[] =>
    stored.filter((template) => sortKey(template) === sortKey(key) && template.tenantId === key.tenantId).toReversed()

  return {
    async add(template) {
      const added = { ...template, version: (versions(template)[0]?.version ?? 0) + 1 }
      stored = [...stored, added]
      return added
    },

    async find(tenantId, name, locales) {
      return locales.flatMap((locale) => versions({ tenantId, name, locale }))[0]
    },

    async versions(key) {
      return versions(key)
    },

    async list({ tenantId, name, limit, cursor = '' }) {
      const found = stored
        .filter((template) => template.tenantId === tenantId && template.name === (name ?? template.name))
        .filter((template) => versions(template)[0] === template && sortKey(template) > cursor)
        .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
      const templates = found.slice(0, limit)
      const last = found.length > limit ? templates.at(-1) : undefined
      return omitUndefined({ templates, nextCursor: last && sortKey(last) })
    },

    async remove(tenantId, name, locale) {
      const remaining = stored.filter(
        (template) =>
          template.tenantId !== tenantId || template.name !== name || template.locale !== (locale ?? template.locale),
      )
      const hasRemoved = remaining.length < stored.length
      stored = remaining
      return hasRemoved
    },
  }
}

/** A space sorts before all characters of a name, so these sort by name and then by locale. */
const sortKey = ({ name, locale }: Pick<TemplateKey, 'name' | 'locale'>): string => `${name} ${locale}`
