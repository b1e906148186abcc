/** Templates in a table, one row per version. A single thread writes, so version numbers are unique. */
import type { DatabaseSync } from 'node:sqlite'
import type { Templates } from '../../ports/templates.ts'
import { parseTemplateCursor, toTemplate, toTemplateCursor } from '../shared/rows.ts'
import { toPage } from './page.ts'
import type { Table } from './tables.ts'

export function templateTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    writes: {
      add(template) {
        const { tenantId: tenant, name, locale, channel, texts, createdAt } = template
        const row = sql.add.get({ tenant, name, locale, channel, texts: JSON.stringify(texts), createdAt })
        return { ...template, version: Number(row?.['version']) }
      },
      remove: (tenant, name, locale) => Number(sql.remove.run({ tenant, name, locale: locale ?? null }).changes) > 0,
    },
    reads: {
      find(tenantId, name, locales) {
        for (const locale of locales) {
          const newest = sql.newest.get(tenantId, name, locale)
          if (newest !== undefined) return toTemplate(newest)
        }
        return undefined
      },
      versions: ({ tenantId, name, locale }) => sql.versions.all(tenantId, name, locale).map(toTemplate),
      list({ tenantId: tenant, name = null, limit, cursor = '' }) {
        const [afterName, afterLocale] = parseTemplateCursor(cursor)
        const rows = sql.list.all({ tenant, name, afterName, afterLocale, limit: limit + 1 })
        const { page: templates, ...next } = toPage(rows.map(toTemplate), limit, toTemplateCursor)
        return { templates, ...next }
      },
    },
  } satisfies Table<Templates>
}

function prepare(db: DatabaseSync) {
  return {
    add: db.prepare(`
      insert into templates (tenant, name, locale, version, channel, texts, created_at)
      select :tenant, :name, :locale, coalesce(max(version), 0) + 1, :channel, :texts, :createdAt
      from templates where tenant = :tenant and name = :name and locale = :locale
      returning version
    `),
    newest: db.prepare(`
      select * from templates where tenant = ? and name = ? and locale = ? order by version desc limit 1
    `),
    versions: db.prepare(`
      select * from templates where tenant = ? and name = ? and locale = ? order by version desc
    `),
    list: db.prepare(`
      select * from templates as t
      where tenant = :tenant and name = coalesce(:name, name) and (name, locale) > (:afterName, :afterLocale)
        and version = (select max(version) from templates where tenant = t.tenant and name = t.name and locale = t.locale)
      order by name, locale limit :limit
    `),
    remove: db.prepare(`
      delete from templates where tenant = :tenant and name = :name and locale = coalesce(:locale, locale)
    `),
  }
}
