/** The templates of the cluster profile. The primary key decides between concurrent versions. */

import type { TemplateBounds } from '../../domain/directory/template.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Templates } from '../../ports/templates.ts'
import {
  parseTemplateCursor,
  TEMPLATE_SUMMARY,
  toTemplate,
  toTemplateCursor,
  toTemplateSummary,
} from '../shared/rows.ts'
import { COUNT_TEMPLATE_NAMES } from './access/usage.ts'
import type { Database } from './database.ts'

/** Those who add to one tenant's templates take turns, so that none exceeds a bound that another reaches. */
const IN_TURN = 'select pg_advisory_xact_lock(7026614, hashtext($1::text))'

/** Templates stay within $7 names, $8 locales of a name, and $9 versions in a locale. */
const ADD = `
  with counts as (
    select (${COUNT_TEMPLATE_NAMES}) as names,
      (select count(distinct locale) from pombo.templates where tenant = $1 and name = $2) as locales,
      (select count(*) from pombo.templates where tenant = $1 and name = $2 and locale = $3) as versions
  ), room as (
    select (locales > 0 or names < $7) and (versions > 0 or locales < $8) and versions < $9 as is_there from counts
  ), added as (
    insert into pombo.templates (tenant, name, locale, version, channel, texts, created_at)
    select $1, $2, $3, coalesce(max(version), 0) + 1, $4, $5, $6
    from pombo.templates where tenant = $1 and name = $2 and locale = $3
    having (select is_there from room)
    on conflict do nothing returning version
  )
  select is_there, (select version from added) as version from room
`

const FIND = `
  select * from pombo.templates where tenant = $1 and name = $2 and locale = any($3)
  order by array_position($3, locale), version desc limit 1
`

const VERSION = 'select * from pombo.templates where tenant = $1 and name = $2 and locale = $3 and version = $4'

const VERSIONS = `
  select ${TEMPLATE_SUMMARY} from pombo.templates
  where tenant = $1 and name = $2 and locale = $3 and version < $4 order by version desc limit $5
`

const LIST = `
  select ${TEMPLATE_SUMMARY} from pombo.templates t
  where tenant = $1 and name = coalesce($2, name) and (name, locale) > ($3, $4) and version = (
    select max(version) from pombo.templates where tenant = t.tenant and name = t.name and locale = t.locale
  )
  order by name, locale limit $5
`

const REMOVE = `
  delete from pombo.templates where tenant = $1 and name = $2 and locale = coalesce($3, locale) returning name
`

const MOST = Number.MAX_SAFE_INTEGER
const BOUNDLESS: TemplateBounds = { names: MOST, locales: MOST, versions: MOST }

export const postgresTemplates = (db: Database): Templates => ({
  async add(template, { names, locales, versions } = BOUNDLESS) {
    const { tenantId, name, locale, channel, texts, createdAt } = template
    const values = [tenantId, name, locale, channel, JSON.stringify(texts), createdAt, names, locales, versions]
    for (;;) {
      const [row] = await db.asTenant(tenantId, ADD, values, [{ text: IN_TURN, values: [tenantId] }])
      if (row?.['is_there'] !== true) return undefined
      if (row['version'] !== null) return { ...template, version: Number(row['version']) }
      // An earlier release, which takes no turns, took that number.
    }
  },

  async find(tenantId, name, locales) {
    const [row] = await db.asTenant(tenantId, FIND, [tenantId, name, locales])
    return row === undefined ? undefined : toTemplate(row)
  },

  async version({ tenantId, name, locale }, version) {
    const [row] = await db.asTenant(tenantId, VERSION, [tenantId, name, locale, version])
    return row && toTemplate(row)
  },

  versions: async ({ tenantId, name, locale, limit, before = MOST }) =>
    (await db.asTenant(tenantId, VERSIONS, [tenantId, name, locale, before, limit])).map(toTemplateSummary),

  async list({ tenantId, name, limit, cursor }) {
    const rows = await db.asTenant(tenantId, LIST, [
      tenantId,
      name,
      ...(cursor === undefined ? ['', ''] : parseTemplateCursor(cursor)),
      limit + 1,
    ])
    const templates = rows.slice(0, limit).map(toTemplateSummary)
    const last = rows.length > limit ? templates.at(-1) : undefined
    return omitUndefined({ templates, nextCursor: last && toTemplateCursor(last) })
  },

  remove: async (tenantId, name, locale) => (await db.asTenant(tenantId, REMOVE, [tenantId, name, locale])).length > 0,
})
