import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { Client } from 'pg'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { MessageId } from '../../domain/ids.ts'
import type { Fact } from '../../domain/message/events.ts'
import { CHANNELS } from '../../domain/message/message.ts'
import { isPrunable, type RetentionPolicy } from '../../domain/message/retention.ts'
import { millis } from '../../lib/time.ts'
import { at, idsOf, someProjection } from '../../ports/index-samples.contract.ts'
import { daysAgo, NORTH, SOUTH } from '../../ports/retention-samples.contract.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  DEAD,
  delivered,
  hours,
  NOON,
  retryAt,
  someMessage,
  stateAfter,
  tenant,
  unknownUntil,
} from '../../ports/samples.contract.ts'
import { openStores } from './database.fixture.ts'
import { postgresMessageIndex } from './message-index.ts'
import { FIND, GROUPS, IN_ORDER, postgresRetention } from './retention.ts'

const { migrated } = await sharePostgres()

const open = () => openStores(migrated, (db) => ({ index: postgresMessageIndex(db), retention: postgresRetention(db) }))

const FACTS: readonly Fact[] = [
  ATTEMPTED,
  ACCEPTED,
  { kind: 'HandoffAccepted', providerMessageId: 'SM1', by: 'answer', noDeliveryReports: true },
  delivered(),
  DEAD,
  { kind: 'DeadLettered', code: 'OUTCOME_UNKNOWN', detail: '', outcome: 'unknown' },
  retryAt(NOON),
  unknownUntil(NOON),
  { kind: 'ProviderTimedOut', reportId: 'silence' },
  { kind: 'ProviderBounced', reportId: 'b' },
  { kind: 'MessageErased' },
  { kind: 'ResendRequested', by: 'resend' },
]
const TENANTS = [NORTH, SOUTH, tenant('west')]
const someDays = fc.constantFrom(0, 3, 10, 30)
const message = fc.record({
  tenantId: fc.constantFrom(...TENANTS),
  channel: fc.constantFrom(...CHANNELS),
  age: fc.integer({ min: 0, max: 40 * 24 }).map((count) => hours(count)),
  facts: fc.array(fc.constantFrom(...FACTS), { maxLength: 5 }),
  pace: fc.constantFrom(1_000, 3_600_000, 86_400_000, 5 * 86_400_000).map((pace) => millis(pace)),
})
const rule = fc.record(
  { tenantId: fc.constantFrom(...TENANTS), channel: fc.constantFrom(...CHANNELS), days: someDays },
  { requiredKeys: ['days'] },
)
const policy: fc.Arbitrary<RetentionPolicy> = fc.record({ days: someDays, rules: fc.array(rule, { maxLength: 4 }) })

test('finds exactly the messages that are no longer kept', async () => {
  await using opened = await open()
  const { index, retention } = opened
  const property = fc.asyncProperty(fc.array(message, { maxLength: 30 }), policy, async (messages, wanted) => {
    await index.clear()
    const states = messages.map(({ tenantId, channel, age, facts, pace }) =>
      stateAfter(someMessage({ tenantId, channel, createdAt: millis(NOON - age) as never }), facts, pace),
    )
    await index.apply(
      states.map((state, nth) => ({ state, position: at(nth + 1) })),
      at(states.length),
    )
    const prunable = states.filter((state) => isPrunable(wanted, state, NOON)).map(({ id }) => id)
    const found = (await retention.find(wanted, NOON, 100)).map(({ id }) => id)
    assert.deepEqual(found.toSorted(), prunable.toSorted())
    const some = await retention.find(wanted, NOON, 2)
    assert.equal(some.length, Math.min(2, prunable.length))
  })
  await fc.assert(property, { numRuns: 50 })
})

test('leaves no copies behind, and the rows of other messages', async () => {
  await using opened = await open()
  const { index, retention } = opened
  const cc = ['eva@example.com', 'rui@example.com'].map((address) => ({ address: address as EmailAddress }))
  const story = { message: { createdAt: daysAgo(9) }, mail: { cc }, facts: [ATTEMPTED, DEAD] }
  const projections = [1, 2].map((position) => someProjection(story, position))
  await index.apply(projections, at(2))
  const [old, other] = idsOf(projections) as [MessageId, MessageId]
  const due = (await retention.find({ days: 3, rules: [] }, NOON, 9)).filter(({ id }) => id === old)
  await retention.removeDetails([old])
  assert.equal(await retention.remove(due), 1)
  assert.deepEqual(await ask(opened.database.adminUrl, 'select distinct message from pombo.message_copies'), [
    { message: other },
  ])
  assert.deepEqual(await ask(opened.database.adminUrl, 'select id from pombo.messages'), [{ id: other }])
})

test('a message that changed since it was found is left', async () => {
  await using opened = await open()
  const { index, retention } = opened
  const state = stateAfter(someMessage({ createdAt: daysAgo(9) }), [ATTEMPTED, DEAD])
  await index.apply([{ state, position: at(1) }], at(1))
  const due = await retention.find({ days: 3, rules: [] }, NOON, 9)
  assert.deepEqual(due, [{ id: state.id, position: 1 }])
  await index.apply([{ state: stateAfter(state, [{ kind: 'MessageErased' }]), position: at(2) }], at(2))
  assert.equal(await retention.remove(due), 0)
  assert.equal(await retention.remove([{ id: state.id, position: at(2) }]), 1)
})

test('never scans the messages of a tenant that keeps them', async () => {
  await using opened = await open()
  const { adminUrl } = opened.database
  const { facts, state } = await aRow(opened)
  await ask(
    adminUrl,
    `insert into pombo.messages (id, tenant, position, created_at, channel, lane, status, handoff_state, provider_state,
       dead, outcome_unknown, facts, state, forgotten)
     select gen_random_uuid(), 'keeper' || n % 3, n, n, case n % 100 when 0 then 'sms' else 'email' end, 'bulk', 'delivered', 'handed_off', 'delivered', false,
       false, $1, $2, false
     from generate_series(1, 20000) as n`,
    [facts, state],
  )
  await ask(adminUrl, 'analyze pombo.messages')
  for (const sql of [GROUPS, literal(FIND)]) {
    const plan = (await explain(adminUrl, sql)).map((row) => Object.values(row).join()).join('\n')
    assert.match(plan, /Index (?:Only )?Scan using messages_channel/)
    assert.doesNotMatch(plan, /Seq Scan|Bitmap|Sort Key: m/, plan)
  }
})

/** With values, because a plan for parameters says nothing about them. */
const literal = (sql: string): string =>
  [`'{keeper1}'`, `'{sms}'`, `'{9000}'`, String(NOON), String(NOON), '500'].reduce(
    (text, value, nth) => text.replaceAll(`$${nth + 1}`, value),
    sql,
  )

async function explain(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`begin; ${IN_ORDER.text}`)
  const { rows } = await client.query(`explain ${sql}`)
  await client.end()
  return rows
}

async function aRow({ index, database }: Awaited<ReturnType<typeof open>>) {
  await index.apply([someProjection({ message: { id: randomUUID() as MessageId } }, 1)], at(1))
  const [row] = await ask(database.adminUrl, 'select facts, state from pombo.messages')
  return row ?? {}
}

async function ask(url: string, sql: string, values: unknown[] = []): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(sql, values)
  await client.end()
  return rows
}
