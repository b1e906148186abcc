/** Templates in a table, one row per version. A single thread writes, so version numbers are unique. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { Template } from '../../domain/directory/template.ts'
import type { TemplateQuery } from '../../ports/templates.ts'
import type { CallKind } from './store.ts'

/** The columns of the table. */
export type TemplateRow = Readonly<Record<string, SQLOutputValue>>

export type TemplateMethods = ReturnType<typeof templateTable>

export function templateTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    /** Returns the number of the version. */
    addTemplate({ tenantId, name, locale, channel, texts, createdAt }: Omit<Template, 'version'>): number {
      const row = sql.add.get({ tenant: tenantId, name, locale, channel, texts: JSON.stringify(texts), createdAt })
      return Number(row?.['version'])
    },

    findTemplate(tenant: string, name: string, locales: readonly string[]): TemplateRow | undefined {
      for (const locale of locales) {
        const newest = sql.newest.get(tenant, name, locale)
        if (newest !== undefined) return newest
      }
      return undefined
    },

    templateVersions: (tenant: string, name: string, locale: string): readonly TemplateRow[] =>
      sql.versions.all(tenant, name, locale),

    /** Returns one more row than the page has, if there is one. */
    listTemplates(query: TemplateQuery, after: readonly [string, string]): readonly TemplateRow[] {
      const { tenantId: tenant, name, limit } = query
      const [afterName, afterLocale] = after
      return sql.list.all({ tenant, name: name ?? null, afterName, afterLocale, limit: limit + 1 })
    },

    removeTemplate: (tenant: string, name: string, locale: string | null): boolean =>
      Number(sql.remove.run({ tenant, name, locale }).changes) > 0,
  }
}

export const TEMPLATE_CALLS: Readonly<Record<keyof TemplateMethods, CallKind>> = {
  addTemplate: 'write',
  findTemplate: 'read',
  templateVersions: 'read',
  listTemplates: 'read',
  removeTemplate: 'write',
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
