/** Templates in a table, one row per version. A single thread writes, so version numbers are unique. */
import type { DatabaseSync } from 'node:sqlite'
import type { TemplateBounds, TemplateKey } from '../../domain/directory/template.ts'
import type { Templates } from '../../ports/templates.ts'
import {
  parseTemplateCursor,
  TEMPLATE_SUMMARY,
  toTemplate,
  toTemplateCursor,
  toTemplateSummary,
} from '../shared/rows.ts'
import { COUNT_TEMPLATE_NAMES } from './access/usage.ts'
import { toPage } from './page.ts'
import type { Table } from './tables.ts'

export function templateTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    writes: {
      add(template, bounds = BOUNDLESS) {
        const { tenantId: tenant, name, locale, channel, texts, createdAt } = template
        if (!hasRoom(sql, template, bounds)) return undefined
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
      version({ tenantId, name, locale }, version) {
        const row = sql.version.get(tenantId, name, locale, version)
        return row && toTemplate(row)
      },
    },
  } satisfies Table<Templates>
}

/** Lists look at many texts, so they are made by a thread that writes nothing. */
export function templateList(db: DatabaseSync) {
  const sql = prepareLists(db)
  return {
    reads: {
      versions: ({ tenantId, name, locale, limit, before = MOST }) =>
        sql.versions.all(tenantId, name, locale, before, limit).map(toTemplateSummary),
      list({ tenantId: tenant, name = null, limit, cursor }) {
        const [afterName, afterLocale] = cursor === undefined ? ['', ''] : parseTemplateCursor(cursor)
        const rows = sql.list.all({ tenant, name, afterName, afterLocale, limit: limit + 1 })
        const { page: templates, ...next } = toPage(rows.map(toTemplateSummary), limit, toTemplateCursor)
        return { templates, ...next }
      },
    },
  } satisfies Table<Templates>
}

const MOST = Number.MAX_SAFE_INTEGER
const BOUNDLESS: TemplateBounds = { names: MOST, locales: MOST, versions: MOST }

function hasRoom(
  sql: ReturnType<typeof prepare>,
  { tenantId: tenant, name, locale }: TemplateKey,
  { names, locales, versions }: TemplateBounds,
): boolean {
  const row = sql.room.get({ tenant, name, locale })
  const count = (column: string): number => Number(row?.[column])
  const isNewName = count('locales') === 0
  const isNewLocale = count('versions') === 0
  if (isNewName && Number(sql.names.get({ tenant })?.['count']) >= names) return false
  return (!isNewLocale || count('locales') < locales) && count('versions') < versions
}

function prepare(db: DatabaseSync) {
  return {
    names: db.prepare(`select (${COUNT_TEMPLATE_NAMES}) as count`),
    room: db.prepare(`
      select (select count(distinct locale) from templates where tenant = :tenant and name = :name) as locales,
        (select count(*) from templates where tenant = :tenant and name = :name and locale = :locale) as versions
    `),
    add: db.prepare(`
      insert into templates (tenant, name, locale, version, channel, texts, created_at)
      select :tenant, :name, :locale, coalesce(max(version), 0) + 1, :channel, :texts, :createdAt
      from templates where tenant = :tenant and name = :name and locale = :locale
      returning version
    `),
    newest: db.prepare(`
      select * from templates where tenant = ? and name = ? and locale = ? order by version desc limit 1
    `),
    version: db.prepare('select * from templates where tenant = ? and name = ? and locale = ? and version = ?'),
    remove: db.prepare(`
      delete from templates where tenant = :tenant and name = :name and locale = coalesce(:locale, locale)
    `),
  }
}

function prepareLists(db: DatabaseSync) {
  return {
    versions: db.prepare(`
      select ${TEMPLATE_SUMMARY} from templates
      where tenant = ? and name = ? and locale = ? and version < ? order by version desc limit ?
    `),
    list: db.prepare(`
      select ${TEMPLATE_SUMMARY} from templates as t
      where tenant = :tenant and name = coalesce(:name, name) and (name, locale) > (:afterName, :afterLocale)
        and version = (select max(version) from templates where tenant = t.tenant and name = t.name and locale = t.locale)
      order by name, locale limit :limit
    `),
  }
}
