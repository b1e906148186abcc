/** The templates in memory, oldest first. */
import type { Template, TemplateKey } from '../../domain/directory/template.ts'
import type { Templates } from '../../ports/templates.ts'

export function memoryTemplates(): Templates {
  let known: readonly Template[] = []

  const versions = (key: TemplateKey): readonly Template[] =>
    known.filter((template) => placeOf(template) === placeOf(key) && template.tenantId === key.tenantId).toReversed()

  return {
    async add(template) {
      const added = { ...template, version: (versions(template)[0]?.version ?? 0) + 1 }
      known = [...known, added]
      return added
    },

    async find(tenantId, name, locales) {
      return locales.flatMap((locale) => versions({ tenantId, name, locale }))[0]
    },

    async versions(key) {
      return versions(key)
    },

    async list({ tenantId, name, limit, cursor = '' }) {
      const found = known
        .filter((template) => template.tenantId === tenantId && template.name === (name ?? template.name))
        .filter((template) => versions(template)[0] === template && placeOf(template) > cursor)
        .toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
      const templates = found.slice(0, limit)
      const last = found.length > limit ? templates.at(-1) : undefined
      return { templates, ...(last === undefined ? {} : { nextCursor: placeOf(last) }) }
    },

    async remove(tenantId, name, locale) {
      const kept = known.filter(
        (template) =>
          template.tenantId !== tenantId || template.name !== name || template.locale !== (locale ?? template.locale),
      )
      const hasRemoved = kept.length < known.length
      known = kept
      return hasRemoved
    },
  }
}

/** A space comes before whatever may be in a name, so these sort by name and then by locale. */
const placeOf = ({ name, locale }: Pick<TemplateKey, 'name' | 'locale'>): string => `${name} ${locale}`
