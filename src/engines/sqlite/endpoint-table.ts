/** Webhook endpoints in a table. Every change is a single statement. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { DisabledReason, Endpoint } from '../../domain/webhooks/endpoint.ts'
import type { EndpointKey, Finding, NewEndpoint } from '../../ports/endpoints.ts'
import type { CallKind } from './store.ts'

/** The columns of the table. */
export type EndpointRow = Readonly<Record<string, SQLOutputValue>>

type OfAccount = Pick<EndpointKey, 'tenantId' | 'accountId'>

export type EndpointMethods = ReturnType<typeof endpointTable>['methods']

export function endpointTable(db: DatabaseSync) {
  const sql = prepare(db)
  /** Whether there is any endpoint; undefined until it is looked up. */
  let isAny: boolean | undefined
  const recall = (): void => {
    isAny = undefined
  }

  const methods = {
    addEndpoint(endpoint: NewEndpoint): EndpointRow | undefined {
      recall()
      return sql.add.get({ version: 1, ...toColumns(endpoint), createdAt: endpoint.createdAt })
    },
    findEndpoint: (key: EndpointKey): EndpointRow | undefined => sql.find.get(toKey(key)),
    listEndpoints: (of?: OfAccount): readonly EndpointRow[] =>
      of === undefined ? sql.all.all() : sql.list.all(of.tenantId, of.accountId),
    changeEndpoint: (endpoint: Endpoint): EndpointRow | undefined => sql.change.get(toColumns(endpoint)),
    removeEndpoint(key: EndpointKey): boolean {
      recall()
      if (sql.remove.run(toKey(key)).changes === 0) return false
      sql.removeWebhookDeliveries.run(toKey(key))
      return true
    },
    /** Deletes up to `most` deliveries, but leaves the first `most` to be removed with the endpoint; returns whether there may be more. */
    deleteSomeDeliveries: (key: EndpointKey, most: number): boolean =>
      sql.thin.run({ ...toKey(key), most }).changes === most,
    judgeEndpoint: (key: EndpointKey, finding: Finding): DisabledReason | undefined => judge(sql, key, finding),
  }

  return {
    methods,
    recall,
    /** Called for every page of the log, so the answer is cached. */
    hasAny(): boolean {
      isAny ??= sql.any.get() !== undefined
      return isAny
    },
  }
}

export const ENDPOINT_CALLS: Readonly<Record<keyof EndpointMethods, CallKind>> = {
  addEndpoint: 'write',
  findEndpoint: 'read',
  listEndpoints: 'read',
  changeEndpoint: 'write',
  removeEndpoint: 'write',
  deleteSomeDeliveries: 'background',
  judgeEndpoint: 'write',
}

const toKey = ({ tenantId, accountId, id }: EndpointKey) => ({ tenant: tenantId, account: accountId, id })

const toColumns = (endpoint: NewEndpoint) => ({
  ...toKey(endpoint),
  ...(endpoint.version === undefined ? {} : { version: endpoint.version }),
  url: endpoint.url,
  description: endpoint.description ?? null,
  events: JSON.stringify(endpoint.events),
  secretVersion: endpoint.secretVersion,
  previousSecretUntil: endpoint.previousSecretUntil ?? null,
  disabled: endpoint.disabled ?? null,
  updatedAt: endpoint.updatedAt,
})

function judge(sql: ReturnType<typeof prepare>, key: EndpointKey, finding: Finding): DisabledReason | undefined {
  switch (finding.kind) {
    case 'well':
      sql.well.run(toKey(key))
      return undefined
    case 'gone':
      return sql.gone.run(toKey(key)).changes === 1 ? 'gone' : undefined
    case 'failing': {
      const { at, longestFailing } = finding
      const row = sql.failing.get({ ...toKey(key), at, longestFailing })
      return row?.['disabled'] === 'failing' ? 'failing' : undefined
    }
  }
}

const IS_IT = 'tenant = :tenant and account = :account and id = :id'
const IS_OF_IT = 'tenant = :tenant and account = :account and endpoint = :id'
const IS_OVER = 'coalesce(failing_since, :at) < :longestFailing'

function prepare(db: DatabaseSync) {
  return {
    any: db.prepare('select 1 from endpoints limit 1'),
    add: db.prepare(`
      insert into endpoints (tenant, account, id, url, description, events, secret_version, previous_secret_until,
        disabled, version, created_at, updated_at)
      values (:tenant, :account, :id, :url, :description, :events, :secretVersion, :previousSecretUntil,
        :disabled, :version, :createdAt, :updatedAt)
      on conflict do nothing returning *
    `),
    find: db.prepare(`select * from endpoints where ${IS_IT}`),
    list: db.prepare('select * from endpoints where tenant = ? and account = ? order by created_at, id'),
    all: db.prepare('select * from endpoints order by created_at, tenant, account, id'),
    change: db.prepare(`
      update endpoints set url = :url, description = :description, events = :events, secret_version = :secretVersion,
        previous_secret_until = :previousSecretUntil, disabled = :disabled, version = version + 1,
        failing_since = case when disabled is null or :disabled is not null then failing_since end,
        updated_at = :updatedAt
      where ${IS_IT} and version = :version returning *
    `),
    remove: db.prepare(`delete from endpoints where ${IS_IT}`),
    removeWebhookDeliveries: db.prepare(`delete from webhook_deliveries where ${IS_OF_IT}`),
    thin: db.prepare(`
      delete from webhook_deliveries where n in (select n from webhook_deliveries where ${IS_OF_IT} limit :most offset :most)
        and exists (select 1 from endpoints where ${IS_IT})
    `),
    well: db.prepare(`update endpoints set failing_since = null where ${IS_IT} and disabled is null`),
    gone: db.prepare(`
      update endpoints set disabled = 'gone', version = version + 1 where ${IS_IT} and disabled is null
    `),
    failing: db.prepare(`
      update endpoints set failing_since = coalesce(failing_since, :at),
        disabled = case when ${IS_OVER} then 'failing' end, version = version + (${IS_OVER})
      where ${IS_IT} and disabled is null and (failing_since is null or failing_since < :longestFailing)
      returning disabled
    `),
  }
}
