/** Webhook endpoints in a table. Every change is a single statement. */
import type { DatabaseSync } from 'node:sqlite'
import type { DisabledReason } from '../../domain/webhooks/endpoint.ts'
import type { EndpointKey, Endpoints, Finding, MostEndpoints, NewEndpoint } from '../../ports/endpoints.ts'
import { type Row, toEndpoint } from '../shared/rows.ts'
import { type Driver, remote } from './driver.ts'
import type { StoreMethods } from './store.ts'
import type { Table } from './tables.ts'

/** Webhook deliveries and attempts deleted per step: few enough not to block other users of the store. */
const STEP = 500

export function sqliteEndpoints(driver: Driver<StoreMethods>): Endpoints {
  const { deleteSomeDeliveries, deleteSomeAttempts, ...table } = remote(driver, 'endpoints')
  return {
    ...table,
    async remove(key) {
      while (await deleteSomeDeliveries(key)) {
        // The last of them are deleted with the endpoint.
      }
      while (await deleteSomeAttempts(key)) {
        // So are the last of these.
      }
      return table.remove(key)
    },
  }
}

type Steps = Readonly<{
  /** Deletes a step of deliveries, but leaves the first of them to be removed with the endpoint; returns whether there may be more. */
  deleteSomeDeliveries: (key: EndpointKey) => boolean
  /** The same of the attempts. */
  deleteSomeAttempts: (key: EndpointKey) => boolean
}>

export function endpointTable(db: DatabaseSync) {
  const sql = prepare(db)
  /** Whether there is any endpoint; undefined until it is looked up. */
  let isAny: boolean | undefined
  const recall = (): void => {
    isAny = undefined
  }

  const table = {
    writes: {
      add(endpoint, most = BOUNDLESS) {
        const { tenantId, accountId } = endpoint
        if (!hasRoom(sql.count.get(accountId, tenantId), most)) return undefined
        recall()
        return toFound(sql.add.get({ version: 1, ...toColumns(endpoint), createdAt: endpoint.createdAt }))
      },
      change: (endpoint) => toFound(sql.change.get(toColumns(endpoint))),
      remove(key) {
        recall()
        if (sql.remove.run(toKey(key)).changes === 0) return false
        sql.removeWebhookDeliveries.run(toKey(key))
        sql.removeWebhookAttempts.run(toKey(key))
        return true
      },
      judge: (key, finding) => judge(sql, key, finding),
    },
    reads: {
      find: (key) => toFound(sql.find.get(toKey(key))),
      list: (of) => (of === undefined ? sql.all.all() : sql.list.all(of.tenantId, of.accountId)).map(toEndpoint),
    },
    background: {
      deleteSomeDeliveries: (key) => sql.thin.run({ ...toKey(key), most: STEP }).changes === STEP,
      deleteSomeAttempts: (key) => sql.thinAttempts.run({ ...toKey(key), most: STEP }).changes === STEP,
    },
  } satisfies Table<Endpoints & Steps>

  return {
    table,
    recall,
    /** Called for every page of the log, so the answer is cached. */
    hasAny(): boolean {
      isAny ??= sql.any.get() !== undefined
      return isAny
    },
  }
}

const BOUNDLESS: MostEndpoints = { account: Number.MAX_SAFE_INTEGER, tenant: Number.MAX_SAFE_INTEGER }

const hasRoom = (counts: Row | undefined, { account, tenant }: MostEndpoints): boolean =>
  Number(counts?.['of_account']) < account && Number(counts?.['of_tenant']) < tenant

const toFound = (row: Row | undefined) => row && toEndpoint(row)

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
    count: db.prepare(
      'select count(*) as of_tenant, count(*) filter (where account = ?) as of_account from endpoints where tenant = ?',
    ),
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
    removeWebhookAttempts: db.prepare(`delete from webhook_attempts where ${IS_OF_IT}`),
    thinAttempts: db.prepare(`
      delete from webhook_attempts where id in (select id from webhook_attempts where ${IS_OF_IT} limit :most offset :most)
        and exists (select 1 from endpoints where ${IS_IT})
    `),
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
