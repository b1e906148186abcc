/** The query plans of searches: they read in the order of lists, and no unwanted rows. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { BatchId, MessageId } from '../../domain/ids.ts'
import { instant } from '../../lib/time.ts'
import { NORTH } from '../../ports/index-samples.contract.ts'
import type { Filter } from '../../ports/message-index.ts'
import { createdEntry, NOON } from '../../ports/samples.contract.ts'
import { fileNew, openMessages } from './messages/filed-messages.fixture.ts'
import { messageSearch } from './search.ts'
import { newTables } from './store.fixture.ts'

const ID = '00000000-0000-4000-8000-000000000000' as MessageId

/** Read in the order of lists, a page at most. */
const ORDERED: readonly Filter[] = [
  {},
  { channel: 'sms' },
  { status: 'queued' },
  { handoffState: 'queued' },
  { providerState: 'unknown' },
  { tag: 'vip' },
  { lane: 'transactional' },
  { createdFrom: instant(NOON - 1), createdTo: NOON },
  { text: 'order 17' },
  { metadata: 'order:A-17' },
  { batchId: 'upload-1' as BatchId },
  { template: 'welcome' },
  { tag: ['vip', 'gold'] },
  { dead: false },
  { unknown: false },
  { channel: 'sms', status: 'queued', tag: 'vip', text: 'order' },
]

/** Few messages have a name, so all that have it are read and sorted. */
const NAMED: readonly Filter[] = [
  { id: ID },
  { toKey: 'key' },
  { providerMessageId: 'SM1' },
  { toKey: 'key', tag: 'vip' },
  { ids: [ID] },
  { idPrefix: '00000000' },
  { ids: [ID], batchId: 'upload-1' as BatchId },
]

/** The plans of all queries of a search. */
function plansOf(t: TestContext, filter: Filter, named?: readonly number[]): readonly string[] {
  const db = newTables(t)
  // Without a message of the tenant, nothing is searched.
  fileNew(openMessages(db), createdEntry().event)
  const asked: string[] = []
  const recording = new Proxy(db, {
    get: (target, name) =>
      name === 'prepare'
        ? (sql: string) => {
            asked.push(sql)
            return target.prepare(sql)
          }
        : Reflect.get(target, name),
  })
  messageSearch(recording).reads.search({ tenantId: NORTH, filter, limit: 50, cursor: '1.1' }, named)
  assert.ok(asked.length > 1)
  return asked.flatMap((sql) =>
    db
      .prepare(`explain query plan ${sql}`)
      .all()
      .map(({ detail }) => String(detail)),
  )
}

const nameOf = (filter: Filter): string => Object.keys(filter).join(', ') || 'nothing'

/** Where the search starts. */
function firstStepOf({ text, metadata, batchId, template, tag }: Filter): RegExp {
  if ([text, metadata, batchId, template].some((term) => term !== undefined))
    return /^SCAN message_words VIRTUAL TABLE INDEX/
  if (tag !== undefined) return /^SEARCH tagged USING PRIMARY KEY \(tenant=\? AND tag=\?/
  return /^SEARCH messages USING COVERING INDEX \w+ \(shape=\? AND created_at/
}

for (const filter of ORDERED) {
  test(`a filter by ${nameOf(filter)} reads only an index, in the order of lists`, (t) => {
    const plans = plansOf(t, filter)
    assert.ok(
      plans.some((step) => firstStepOf(filter).test(step)),
      plans.join('\n'),
    )
    assert.ok(!plans.some((step) => step.includes('TEMP B-TREE')), plans.join('\n'))
    assert.ok(!plans.some((step) => /^SCAN (messages|tagged|shapes)\b/.test(step)), plans.join('\n'))
  })
}

for (const filter of NAMED) {
  test(`a filter by ${nameOf(filter)} reads only messages that may have the name`, (t) => {
    const plans = plansOf(t, filter, [1])
    assert.ok(!plans.some((step) => /^SCAN (messages|tagged|shapes)\b/.test(step)), plans.join('\n'))
    assert.ok(
      plans.some((step) => /^SEARCH messages USING INTEGER PRIMARY KEY/.test(step)),
      plans.join('\n'),
    )
  })
}
