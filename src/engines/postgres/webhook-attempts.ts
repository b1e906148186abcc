/** The newest attempts of webhook deliveries in the cluster profile. Ids are in the order of time. */
import { lowestUuidV7At } from '../../lib/uuid-v7.ts'
import { ATTEMPTS_KEPT, type WebhookAttemptKey, type WebhookAttempts } from '../../ports/webhook-attempts.ts'
import { deliveriesIn, subjectOf, toSealedAttempt } from '../shared/webhook-attempt-rows.ts'
import { ARRAYS } from './binary-arrays.ts'
import type { Database } from './database.ts'

/** Rows deleted per step: few enough for the statement timeout. */
const STEP = 500

const ADD = `
  insert into pombo.webhook_attempts (id, tenant, account, endpoint, message, sealed)
  select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::text[]) on conflict do nothing
`

const TRIM = `
  delete from pombo.webhook_attempts where id = any(array(
    select older.id from unnest($1::text[], $2::text[], $3::text[], $4::uuid[]) as d (tenant, account, endpoint, message)
    cross join lateral (
      select a.id from pombo.webhook_attempts a
      where a.message = d.message and a.tenant = d.tenant and a.account = d.account and a.endpoint = d.endpoint
      order by a.id desc offset ${ATTEMPTS_KEPT}
    ) older
  ))
`

const COLUMNS = 'id, tenant, account, endpoint, message, sealed'
const IS_OF_ENDPOINT = 'tenant = $1 and account = $2 and endpoint = $3'
const FIND = `select ${COLUMNS} from pombo.webhook_attempts where ${IS_OF_ENDPOINT} and id = $4`
const LIST = `
  select ${COLUMNS} from pombo.webhook_attempts where ${IS_OF_ENDPOINT} and id < $4
  order by id desc limit $5
`
const LIST_OF_SUBJECT = `
  select ${COLUMNS} from pombo.webhook_attempts where ${IS_OF_ENDPOINT} and id < $4 and message = $6
  order by id desc limit $5
`
const ERASE = 'delete from pombo.webhook_attempts where message = $1'
const FORGET = `
  delete from pombo.webhook_attempts where id = any(array(
    select id from pombo.webhook_attempts where id < $1 order by id limit ${STEP}
  )) returning id
`

/** Above every id. */
const AFTER_ALL = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

export const postgresWebhookAttempts = (db: Database): WebhookAttempts => ({
  async record(attempts) {
    if (attempts.length === 0) return
    const add = [
      ARRAYS.uuid(attempts.map(({ id }) => id)),
      ARRAYS.text(attempts.map(({ tenantId }) => tenantId)),
      ARRAYS.text(attempts.map(({ accountId }) => accountId)),
      ARRAYS.text(attempts.map(({ endpointId }) => endpointId)),
      ARRAYS.uuid(attempts.map(subjectOf)),
      ARRAYS.text(attempts.map(({ sealed }) => sealed)),
    ]
    const deliveries = deliveriesIn(attempts)
    const trim = [
      ARRAYS.text(deliveries.map(({ tenantId }) => tenantId)),
      ARRAYS.text(deliveries.map(({ accountId }) => accountId)),
      ARRAYS.text(deliveries.map(({ endpointId }) => endpointId)),
      ARRAYS.uuid(deliveries.map(subjectOf)),
    ]
    await db.asSystem(TRIM, trim, [{ text: ADD, values: add }])
  },

  async find(key) {
    const [row] = await db.asTenant(key.tenantId, FIND, [...toEndpoint(key), key.id])
    return row && toSealedAttempt(row)
  },

  async list({ subjectId, limit, cursor = AFTER_ALL, ...endpoint }) {
    const values = [...toEndpoint(endpoint), cursor, limit]
    const rows =
      subjectId === undefined
        ? await db.asTenant(endpoint.tenantId, LIST, values)
        : await db.asTenant(endpoint.tenantId, LIST_OF_SUBJECT, [...values, subjectId])
    return rows.map(toSealedAttempt)
  },

  async erase(messageId) {
    await db.asSystem(ERASE, [messageId])
  },

  forget: async (before) => (await db.asSystem(FORGET, [lowestUuidV7At(before)])).length === STEP,
})

const toEndpoint = ({ tenantId, accountId, endpointId }: Omit<WebhookAttemptKey, 'id'>): unknown[] => [
  tenantId,
  accountId,
  endpointId,
]
