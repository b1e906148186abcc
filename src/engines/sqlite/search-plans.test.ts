/** The query plans of searches: no sorting, and no reading of unwanted rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageId } from '../../domain/ids.ts'
import { NORTH } from '../../ports/index-samples.contract.ts'
import type { Filter } from '../../ports/message-index.ts'
import { NOON } from '../../ports/samples.contract.ts'
import { toSearch } from './search.ts'
import { newTables } from './store.fixture.ts'

const ID = '00000000-0000-4000-8000-000000000000' as MessageId

const FILTERS: readonly Filter[] = [
  {},
  { id: ID },
  { channel: 'email' },
  { status: 'expired' },
  { handoffState: 'queued' },
  { providerState: 'complaint' },
  { provider: 'acme' },
  { providerMessageId: 'SM1' },
  { toKey: 'key' },
  { tag: 'vip' },
  { lane: 'otp' },
  { createdFrom: NOON, createdTo: NOON },
  { text: 'order 17' },
  { dead: true },
  { dead: false },
  { unknown: true },
  { unknown: false },
  { channel: 'sms', status: 'failed', provider: 'acme', tag: 'vip', text: 'order' },
]

for (const filter of FILTERS) {
  test(`a filter by ${Object.keys(filter).join(', ') || 'nothing'} uses only an index`, (t) => {
    const db = newTables(t)
    const { sql, values } = toSearch({ tenantId: NORTH, filter, limit: 50, cursor: '1.1' })
    const plan = db
      .prepare(`explain query plan select n ${sql}`)
      .all(...values)
      .map(({ detail }) => String(detail))
    assert.match(
      plan[0] ?? '',
      /^SEARCH listing USING COVERING INDEX listing_(newest|dead|outcome_unknown) \(tenant=\?/,
    )
    assert.ok(!plan.some((step) => step.includes('TEMP B-TREE')), plan.join('\n'))
  })
}
