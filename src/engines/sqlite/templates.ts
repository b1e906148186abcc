/** The templates of the embedded profile. */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Templates } from '../../ports/templates.ts'
import { parseTemplateCursor, toTemplate, toTemplateCursor } from '../shared/rows.ts'
import type { Driver } from './driver.ts'
import type { StoreMethods } from './store.ts'

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
      const rows = await driver.call('listTemplates', query, parseTemplateCursor(query.cursor ?? ''))
      const templates = rows.slice(0, query.limit).map(toTemplate)
      const last = rows.length > query.limit ? templates.at(-1) : undefined
      return omitUndefined({ templates, nextCursor: last && toTemplateCursor(last) })
    },

    remove: (tenantId, name, locale) => driver.call('removeTemplate', tenantId, name, locale ?? null),
  }
}
