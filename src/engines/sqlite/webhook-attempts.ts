/** The newest attempts of webhook deliveries in a table. Ids are in the order of time. */
import type { DatabaseSync } from 'node:sqlite'
import { lowestUuidV7At } from '../../lib/uuid-v7.ts'
import { ATTEMPTS_KEPT, type SealedAttempt, type WebhookAttempts } from '../../ports/webhook-attempts.ts'
import type { EndpointDeliveries } from '../../ports/webhook-deliveries.ts'
import { deliveriesIn, subjectOf, toSealedAttempt } from '../shared/webhook-attempt-rows.ts'
import type { Table } from './tables.ts'

/** `message` may be the id of an alert, or stand for a test event; `sealed` is everything else. */
export const WEBHOOK_ATTEMPT_TABLES = `
  create table webhook_attempts (
    id text primary key,
    tenant text not null,
    account text not null,
    endpoint text not null,
    message text not null,
    sealed text not null
  ) strict;
  create index webhook_attempts_of_endpoint on webhook_attempts (tenant, account, endpoint, id);
  create index webhook_attempts_of_message on webhook_attempts (message, tenant, account, endpoint, id);
`

/** Rows deleted per step: few enough not to block other users of the store. */
const STEP = 500

const IS_OF_ENDPOINT = 'tenant = :tenant and account = :account and endpoint = :endpoint'

export function webhookAttemptTable(db: DatabaseSync) {
  const add = db.prepare(`
    insert into webhook_attempts (id, tenant, account, endpoint, message, sealed)
    values (:id, :tenant, :account, :endpoint, :message, :sealed) on conflict do nothing
  `)
  const trim = db.prepare(`
    delete from webhook_attempts where id in (
      select id from webhook_attempts where message = :message and ${IS_OF_ENDPOINT}
      order by id desc limit -1 offset ${ATTEMPTS_KEPT}
    )
  `)
  const erase = db.prepare('delete from webhook_attempts where message = ?')
  const forget = db.prepare(`
    delete from webhook_attempts where id in (select id from webhook_attempts where id < ? order by id limit ${STEP})
  `)
  return {
    // A crash may lose some, so they are answered before they are on disk.
    background: {
      record(attempts) {
        for (const attempt of attempts) add.run({ ...toColumns(attempt), id: attempt.id, sealed: attempt.sealed })
        for (const delivery of deliveriesIn(attempts)) trim.run(toColumns(delivery))
      },
      forget: (before) => forget.run(lowestUuidV7At(before)).changes === STEP,
    },
    shreds: {
      erase: (messageId) => void erase.run(messageId),
    },
  } satisfies Table<WebhookAttempts>
}

/** On the read-only connection. */
export function webhookAttemptList(db: DatabaseSync) {
  const columns = 'id, tenant, account, endpoint, message, sealed'
  const find = db.prepare(`select ${columns} from webhook_attempts where id = :id and ${IS_OF_ENDPOINT}`)
  const listWhere = (more: string) =>
    db.prepare(`
      select ${columns} from webhook_attempts where ${IS_OF_ENDPOINT} ${more} and id < :before
      order by id desc limit :limit
    `)
  const [ofEndpoint, ofSubject] = [listWhere(''), listWhere('and message = :message')]
  return {
    reads: {
      find(key) {
        const row = find.get({ ...toEndpoint(key), id: key.id })
        return row && toSealedAttempt(row)
      },
      list({ subjectId, limit, cursor: before = AFTER_ALL, ...endpoint }) {
        const page = { ...toEndpoint(endpoint), limit, before }
        const rows = subjectId === undefined ? ofEndpoint.all(page) : ofSubject.all({ ...page, message: subjectId })
        return rows.map(toSealedAttempt)
      },
    },
  } satisfies Table<WebhookAttempts>
}

/** Above every id. */
const AFTER_ALL = 'g'

const toEndpoint = ({ tenantId, accountId, endpointId }: EndpointDeliveries) => ({
  tenant: tenantId,
  account: accountId,
  endpoint: endpointId,
})

const toColumns = (delivery: EndpointDeliveries & Pick<SealedAttempt, 'subjectId'>) => ({
  ...toEndpoint(delivery),
  message: subjectOf(delivery),
})
