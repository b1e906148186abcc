/** The templates of the embedded profile. */
import type { TenantId } from '../../domain/ids.ts'
import type { Channel } from '../../domain/message.ts'
import type { Template } from '../../domain/template.ts'
import { instant } from '../../domain/time.ts'
import type { Templates } from '../../ports/templates.ts'
import type { Driver } from './driver.ts'
import type { StoreMethods } from './store.ts'
import type { TemplateRow } from './template-table.ts'

export function sqliteTemplates(driver: Driver<StoreMethods>): Templates {
  return {
    add: async (template) => ({ ...template, version: await driver.call('addTemplate', template) }),

    async find(tenantId, name, locales) {
      const row = await driver.call('findTemplate', tenantId, name, locales)
      return row === undefined ? undefined : toTemplate(row)
    },

    versions: async ({ tenantId, name, locale }) =>
      (await driver.call('templateVersions', tenantId, name, locale)).map(toTemplate),

    async list(query) {
      const rows = await driver.call('listTemplates', query, parseCursor(query.cursor ?? ''))
      const templates = rows.slice(0, query.limit).map(toTemplate)
      const last = rows.length > query.limit ? templates.at(-1) : undefined
      return { templates, ...(last === undefined ? {} : { nextCursor: `${last.name}/${last.locale}` }) }
    },

    remove: (tenantId, name, locale) => driver.call('removeTemplate', tenantId, name, locale ?? null),
  }
}

/** Neither a name nor a locale has a slash in it. */
function parseCursor(cursor: string): readonly [string, string] {
  const [name = '', locale = ''] = cursor.split('/')
  return [name, locale]
}

const toTemplate = (row: TemplateRow): Template => ({
  tenantId: String(row['tenant']) as TenantId,
  name: String(row['name']),
  locale: String(row['locale']),
  channel: row['channel'] as Channel,
  texts: JSON.parse(String(row['texts'])) as Template['texts'],
  version: Number(row['version']),
  createdAt: instant(Number(row['created_at'])),
})
