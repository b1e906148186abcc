/** The templates of the cluster profile. The primary key decides between concurrent versions. */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Templates } from '../../ports/templates.ts'
import { parseTemplateCursor, toTemplate, toTemplateCursor } from '../shared/rows.ts'
import type { Database } from './database.ts'

const ADD = `
  insert into pombo.templates (tenant, name, locale, version, channel, texts, created_at)
  select $1, $2, $3, coalesce(max(version), 0) + 1, $4, $5, $6
  from pombo.templates where tenant = $1 and name = $2 and locale = $3
  on conflict do nothing returning version
`

const FIND = `
  select * from pombo.templates where tenant = $1 and name = $2 and locale = any($3)
  order by array_position($3, locale), version desc limit 1
`

const VERSIONS = `
  select * from pombo.templates where tenant = $1 and name = $2 and locale = $3 order by version desc
`

const LIST = `
  select * from pombo.templates t
  where tenant = $1 and name = coalesce($2, name) and (name, locale) > ($3, $4) and version = (
    select max(version) from pombo.templates where tenant = t.tenant and name = t.name and locale = t.locale
  )
  order by name, locale limit $5
`

const REMOVE = `
  delete from pombo.templates where tenant = $1 and name = $2 and locale = coalesce($3, locale) returning name
`

export const postgresTemplates = (db: Database): Templates => ({
  async add(template) {
    const { tenantId, name, locale, channel, texts, createdAt } = template
    const values = [tenantId, name, locale, channel, JSON.stringify(texts), createdAt]
    for (;;) {
      const [row] = await db.asTenant(tenantId, ADD, values)
      if (row !== undefined) return { ...template, version: Number(row['version']) }
      // Another process took that number: in each round one of them succeeds.
    }
  },

  async find(tenantId, name, locales) {
    const [row] = await db.asTenant(tenantId, FIND, [tenantId, name, locales])
    return row === undefined ? undefined : toTemplate(row)
  },

  versions: async ({ tenantId, name, locale }) =>
    (await db.asTenant(tenantId, VERSIONS, [tenantId, name, locale])).map(toTemplate),

  async list({ tenantId, name, limit, cursor = '' }) {
    const rows = await db.asTenant(tenantId, LIST, [tenantId, name, ...parseTemplateCursor(cursor), limit + 1])
    const templates = rows.slice(0, limit).map(toTemplate)
    const last = rows.length > limit ? templates.at(-1) : undefined
    return omitUndefined({ templates, nextCursor: last && toTemplateCursor(last) })
  },

  remove: async (tenantId, name, locale) => (await db.asTenant(tenantId, REMOVE, [tenantId, name, locale])).length > 0,
})
