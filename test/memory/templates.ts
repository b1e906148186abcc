/** Templates in memory, oldest first; for tests. */

import {
  type Template,
  type TemplateBounds,
  type TemplateKey,
  type TemplateSummary,
  toExcerpt,
} from '../../src/domain/directory/template.ts'
import { wellFormed } from '../../src/engines/shared/cursors.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { Templates } from '../../src/ports/templates.ts'

export function memoryTemplates(): Templates {
  let stored: readonly Template[] = []

  const versions = (key: TemplateKey): readonly Template[] =>
    stored.filter((template) => sortKey(template) === sortKey(key) && template.tenantId === key.tenantId).toReversed()

  function isFull({ tenantId, name, locale }: TemplateKey, bounds: TemplateBounds): boolean {
    const ofTenant = stored.filter((template) => template.tenantId === tenantId)
    const [names, locales] = [
      new Set(ofTenant.map((template) => template.name)),
      new Set(ofTenant.filter((template) => template.name === name).map((template) => template.locale)),
    ]
    return (
      (!names.has(name) && names.size >= bounds.names) ||
      (!locales.has(locale) && locales.size >= bounds.locales) ||
      versions({ tenantId, name, locale }).length >= bounds.versions
    )
  }

  return {
    async add(template, bounds) {
      if (bounds !== undefined && isFull(template, bounds)) return undefined
      const added = { ...template, version: (versions(template)[0]?.version ?? 0) + 1 }
      stored = [...stored, added]
      return added
    },

    async find(tenantId, name, locales) {
      return locales.flatMap((locale) => versions({ tenantId, name, locale }))[0]
    },

    async version(key, version) {
      return versions(key).find((template) => template.version === version)
    },

    async versions({ limit, before = Number.POSITIVE_INFINITY, ...key }) {
      const earlier = versions(key).filter(({ version }) => version < before)
      return earlier.slice(0, limit).map(toSummary)
    },

    async list({ tenantId, name, limit, cursor = '' }) {
      if (cursor !== '') wellFormed(/^\S+ \S+$/.exec(cursor) ?? undefined)
      const found = stored
        .filter((template) => template.tenantId === tenantId && template.name === (name ?? template.name))
        .filter((template) => versions(template)[0] === template && sortKey(template) > cursor)
        .toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
      const templates = found.slice(0, limit)
      const last = found.length > limit ? templates.at(-1) : undefined
      return omitUndefined({ templates: templates.map(toSummary), nextCursor: last && sortKey(last) })
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

const toSummary = ({ texts, ...rest }: Template): TemplateSummary => ({
  ...rest,
  size: Buffer.byteLength(JSON.stringify(texts)),
  excerpt: toExcerpt(texts.text),
})

/** A space sorts before all characters of a name, so these sort by name and then by locale. */
const sortKey = ({ name, locale }: Pick<TemplateKey, 'name' | 'locale'>): string => `${name} ${locale}`
