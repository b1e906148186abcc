/** The query plans of look-ups: each reads an index, and stops after a page, however many messages a tenant has. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import type { BatchId, MessageId } from '../../domain/ids.ts'
import { at, NORTH, someProjection } from '../../ports/index-samples.contract.ts'
import type { Filter } from '../../ports/message-index.ts'
import { toMessageTerms } from '../shared/index-terms.ts'
import type { Database } from './database.ts'
import { openPostgresIndex } from './postgres.ts'
import { search } from './search.ts'

const { migrated } = await sharePostgres()

const ID = '5eed0001-0000-4000-8000-000000000000' as MessageId
const BATCH = 'upload-1' as BatchId
const [RARE = '', COMMON = ''] = [
  ...toMessageTerms({ batchId: BATCH }),
  ...toMessageTerms({ template: 'welcome' }),
].map((term) => `'${term}'`)

/** Filters, and the index that each reads first. */
const LOOKUPS: readonly (readonly [Filter, RegExp])[] = [
  [{ id: ID }, /Index Scan using messages_pkey/],
  [{ ids: [ID] }, /(?:Index Scan using|Bitmap Index Scan on) messages_pkey/],
  [{ idPrefix: '5eed0001' }, /messages_pkey/],
  [{ providerMessageId: 'SM1' }, /messages_provider_message_id/],
  [{ errorCode: 'RARE' }, /Index Only Scan Backward using messages_shape/],
  [{ errorCode: 'RARE', status: 'failed' }, /messages_shape/],
  [{ batchId: BATCH }, /messages_words/],
  [{ template: 'welcome' }, /messages_words|Index Scan Backward using messages_newest/],
]

test('every look-up reads an index', async () => {
  await using database = await migrated()
  await using postgres = await openPostgresIndex({ url: database.appUrl })
  await postgres.index.apply([someProjection({}, 1)], at(1))
  const client = new Client({ connectionString: database.adminUrl })
  await client.connect()
  try {
    const { rows } = await client.query('select facts, state from pombo.messages')
    // Half have the template, one in 1,000 has the error, and one in 5,000 the batch.
    await client.query(
      `insert into pombo.messages (id, tenant, position, created_at, channel, lane, status, handoff_state,
         provider_state, provider_message_id, error_code, dead, outcome_unknown, facts, state, forgotten, failed)
       select gen_random_uuid(), '${NORTH}', n, n, 'sms', 'bulk', 'delivered', 'handed_off', 'delivered', 'P' || n,
         case when n % 1000 = 0 then 'RARE' when n % 2 = 0 then 'COMMON' end, false, false, $1, $2, false,
         case when n % 5000 = 0 then ${RARE}::tsvector when n % 2 = 0 then ${COMMON}::tsvector else '' end
       from generate_series(1, 20000) as n`,
      [rows[0]?.['facts'], rows[0]?.['state']],
    )
    await client.query('analyze pombo.messages')
    for (const [filter, index] of LOOKUPS) {
      const plan = await planOf(client, filter)
      assert.match(plan, index, plan)
      assert.doesNotMatch(plan, /Seq Scan on messages/, plan)
    }
  } finally {
    await client.end()
  }
})

/** The plan of the first statement of a search. */
async function planOf(client: Client, filter: Filter): Promise<string> {
  const explain = async (role: string, sql: string, values: unknown[] = []) => {
    await client.query(`begin; set local role ${role}; select set_config('pombo.tenant', '${NORTH}', true)`)
    const { rows } = await client.query(`explain ${sql}`, values)
    await client.query('rollback')
    plans.push(rows.map((row) => Object.values(row).join()).join('\n'))
    return []
  }
  const plans: string[] = []
  const recording: Pick<Database, 'asTenant' | 'asSystem'> = {
    asTenant: (_tenantId, sql, values) => explain('pombo_tenant', sql, values),
    asSystem: (sql, values) => explain('pombo_system', sql, values),
  }
  await search(recording as Database, { tenantId: NORTH, filter, limit: 50 }, false)
  return plans[0] ?? ''
}
