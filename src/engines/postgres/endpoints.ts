/** The webhook endpoints of the cluster profile. Every change is a single statement: tenants manage them, the system disables failing ones. */
import type { DisabledReason, Endpoint } from '../../domain/webhooks/endpoint.ts'
import type { EndpointKey, Endpoints, Finding, MostEndpoints, NewEndpoint } from '../../ports/endpoints.ts'
import { toEndpoint } from '../shared/rows.ts'
import type { Database, Rows } from './database.ts'

const IS_IT = 'tenant = $1 and account = $2 and id = $3'
const IS_OF_IT = 'tenant = $1 and account = $2 and endpoint = $3'

const ADD = `
  insert into pombo.endpoints (tenant, account, id, url, description, events, secret_version, previous_secret_until,
    disabled, updated_at, version, created_at)
  select $1, $2, $3, $4, $5, $6, $7::bigint, $8::bigint, $9, $10::bigint, coalesce($11, 1)::bigint, $12::bigint
  where (select count(*) from pombo.endpoints where tenant = $1 and account = $2) < $13
    and (select count(*) from pombo.endpoints where tenant = $1) < $14
  on conflict do nothing returning *
`
/** Those who add endpoints for one tenant take turns, so that none exceeds a bound that another reaches. */
const IN_TURN = 'select pg_advisory_xact_lock(7026608, hashtext($1::text))'
const BOUNDLESS: MostEndpoints = { account: Number.MAX_SAFE_INTEGER, tenant: Number.MAX_SAFE_INTEGER }

const CHANGE = `
  update pombo.endpoints set url = $4, description = $5, events = $6, secret_version = $7, previous_secret_until = $8,
    disabled = $9, failing_since = case when disabled is null or $9::text is not null then failing_since end,
    updated_at = $10, version = version + 1
  where ${IS_IT} and version = $11 returning *
`

/** Webhook deliveries and attempts deleted per step: few enough for the statement timeout. */
const STEP = 1_000

/** Leaves one step to be removed with the endpoint. Locks in the order of webhook-delivery-statements.ts. */
const THIN = `
  with page as (
    select n from pombo.webhook_deliveries where ${IS_OF_IT} and exists (select from pombo.endpoints where ${IS_IT})
    limit ${STEP} offset ${STEP}
  ), locked as (
    select k.n from pombo.webhook_deliveries k join page using (n) order by k.message for update of k
  )
  delete from pombo.webhook_deliveries k using locked where k.n = locked.n returning k.n
`

/** The same of the attempts, which nobody changes. */
const THIN_ATTEMPTS = `
  delete from pombo.webhook_attempts where id = any(array(
    select id from pombo.webhook_attempts where ${IS_OF_IT} and exists (select from pombo.endpoints where ${IS_IT})
    limit ${STEP} offset ${STEP}
  )) returning id
`

const REMOVE = `
  with removed as (delete from pombo.endpoints where ${IS_IT} returning id),
    gone as (delete from pombo.webhook_deliveries where ${IS_OF_IT} and exists (select from removed)),
    attempts as (delete from pombo.webhook_attempts where ${IS_OF_IT} and exists (select from removed))
  select id from removed
`

const WELL = `update pombo.endpoints set failing_since = null where ${IS_IT} and disabled is null`
const GONE = `
  update pombo.endpoints set disabled = 'gone', version = version + 1
  where ${IS_IT} and disabled is null returning disabled
`
const IS_OVER = 'coalesce(failing_since, $4) < $5'
const FAILING = `
  update pombo.endpoints set failing_since = coalesce(failing_since, $4),
    disabled = case when ${IS_OVER} then 'failing' end, version = version + (${IS_OVER})::int
  where ${IS_IT} and disabled is null and (failing_since is null or failing_since < $5)
  returning disabled
`

export const postgresEndpoints = (db: Database): Endpoints => ({
  async add(endpoint, { account, tenant } = BOUNDLESS) {
    const { tenantId, createdAt } = endpoint
    const turn = { text: IN_TURN, values: [tenantId] }
    return first(await db.asTenant(tenantId, ADD, [...toValues(endpoint), createdAt, account, tenant], [turn]))
  },

  find: async (key) =>
    first(await db.asTenant(key.tenantId, `select * from pombo.endpoints where ${IS_IT}`, toKey(key))),

  async list(of) {
    const rows =
      of === undefined
        ? await db.asSystem('select * from pombo.endpoints order by created_at, tenant, account, id')
        : await db.asTenant(of.tenantId, LIST, [of.tenantId, of.accountId])
    return rows.map(toEndpoint)
  },

  change: async (endpoint) => first(await db.asTenant(endpoint.tenantId, CHANGE, toValues(endpoint))),

  async remove(key) {
    while ((await db.asTenant(key.tenantId, THIN, toKey(key))).length === STEP) {
      // The last of them are deleted with the endpoint.
    }
    while ((await db.asTenant(key.tenantId, THIN_ATTEMPTS, toKey(key))).length === STEP) {
      // So are the last of these.
    }
    return (await db.asTenant(key.tenantId, REMOVE, toKey(key))).length === 1
  },

  judge: async (key, finding) => {
    const [row] = await db.asSystem(...toJudgement(key, finding))
    return typeof row?.['disabled'] === 'string' ? (row['disabled'] as DisabledReason) : undefined
  },
})

const LIST = 'select * from pombo.endpoints where tenant = $1 and account = $2 order by created_at, id'

const first = ([row]: Rows): Endpoint | undefined => row && toEndpoint(row)

const toKey = ({ tenantId, accountId, id }: EndpointKey): unknown[] => [tenantId, accountId, id]

const toValues = (endpoint: NewEndpoint): unknown[] => [
  ...toKey(endpoint),
  endpoint.url,
  endpoint.description,
  JSON.stringify(endpoint.events),
  endpoint.secretVersion,
  endpoint.previousSecretUntil,
  endpoint.disabled,
  endpoint.updatedAt,
  endpoint.version,
]

function toJudgement(key: EndpointKey, finding: Finding): [sql: string, values: unknown[]] {
  switch (finding.kind) {
    case 'well':
      return [WELL, toKey(key)]
    case 'gone':
      return [GONE, toKey(key)]
    case 'failing':
      return [FAILING, [...toKey(key), finding.at, finding.longestFailing]]
  }
}
