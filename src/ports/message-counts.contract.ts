/** The tests of what an index counts: after any history the figures are those of the messages. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { MessageId, ProviderName } from '../domain/ids.ts'
import type { Fact } from '../domain/message/events.ts'
import { CHANNELS, LANES } from '../domain/message/message.ts'
import { HANDOFF_STATES, PROVIDER_STATES, STATUSES } from '../domain/message/states.ts'
import { later, type Millis, millis } from '../lib/time.ts'
import type { OpenFilled } from './filled-index.contract.ts'
import { NORTH, search, untilCurrent } from './index-samples.contract.ts'
import type { Filter, MessageIndex, StatsBucket } from './message-index.ts'
import { ACCEPTED, ATTEMPTED, DEAD, delivered, hours, NOON, retryAt, tenant } from './samples.contract.ts'

const BY_OTHER: Fact = { ...ATTEMPTED, provider: 'other' as ProviderName } as Fact
const BOUNCED: Fact = { kind: 'ProviderBounced', reportId: 'b' }
/** What happens to a message, in one piece. */
const HISTORIES: readonly (readonly Fact[])[] = [
  [],
  [ATTEMPTED],
  [ATTEMPTED, ACCEPTED],
  [BY_OTHER, ACCEPTED, delivered()],
  [ATTEMPTED, DEAD],
  [ATTEMPTED, retryAt(NOON)],
  [ATTEMPTED, ACCEPTED, BOUNCED],
  [{ kind: 'MessageExpired' }],
]
const LATER: readonly Fact[] = [ATTEMPTED, BY_OTHER, ACCEPTED, delivered(), BOUNCED, { kind: 'MessageErased' }]

const DAY = hours(24)
/** Whole days before and after, so that kept counts of every span take part. */
const PERIOD = { from: later(NOON, millis(-10 * DAY)), to: later(NOON, millis(10 * DAY + 12_345)) }
/** No minute fits into it: all messages are read. */
const READ = millis(100 * DAY + 1)
const KEPT = millis(100 * DAY)

const message = fc.record({
  age: fc.integer({ min: -3 * DAY, max: 3 * DAY }),
  lane: fc.constantFrom(...LANES),
  isMail: fc.boolean(),
  facts: fc.constantFrom(...HISTORIES),
  pace: fc.integer({ min: 1, max: 200_000 }),
  isOther: fc.boolean(),
})
const change = fc.record({ nth: fc.nat(), fact: fc.constantFrom(...LATER) })

const FILTERS: readonly Filter[] = [
  {},
  ...CHANNELS.map((channel) => ({ channel })),
  ...STATUSES.map((status) => ({ status })),
  ...HANDOFF_STATES.map((handoffState) => ({ handoffState })),
  ...PROVIDER_STATES.map((providerState) => ({ providerState })),
  ...LANES.map((lane) => ({ lane })),
  ...[true, false].flatMap((is) => [{ dead: is }, { unknown: is }]),
  { provider: 'acme' },
  { provider: 'other' },
  { tag: 'welcome' },
  { metadata: 'order:A-17' },
  { text: 'welcome' },
  { createdFrom: later(NOON, millis(-DAY + 1_234)), createdTo: later(NOON, millis(DAY + 77)) },
]

export function messageCountsContract(engine: string, open: OpenFilled): void {
  describe(`counts on ${engine}`, { timeout: 240_000 }, () => {
    test('after any history, statistics and totals are those of the stored messages', async () => {
      const histories = [fc.array(message, { maxLength: 30 }), fc.array(change, { maxLength: 30 })] as const
      await fc.assert(
        fc.asyncProperty(...histories, async (messages, changes) => {
          await using opened = await open()
          const { index, put, happen } = opened
          const ids = await put(
            ...messages.map(({ age, lane, isMail, facts, pace, isOther }) => ({
              message: { createdAt: later(NOON, millis(age)), lane, ...(isOther ? { tenantId: tenant('south') } : {}) },
              ...(isMail ? { mail: { tags: ['welcome'] } } : {}),
              facts,
              pace: millis(pace),
            })),
          )
          const happened = new Set(messages.flatMap(({ facts }, n) => facts.map(({ kind }) => `${n} ${kind}`)))
          for (const { nth, fact } of changes) {
            const id = ids[nth % Math.max(1, ids.length)]
            // A log takes each fact about an attempt once.
            const name = `${nth % Math.max(1, ids.length)} ${fact.kind}`
            if (id === undefined || happened.has(name)) continue
            happened.add(name)
            await happen(id as MessageId, fact)
          }
          await assertCounted(index)
        }),
        { numRuns: 6 },
      )
    })

    test('a total counts on only as far as it is cheap', async () => {
      await using opened = await open()
      const { index, put } = opened
      const facts = [ATTEMPTED, DEAD]
      await put(...Array.from({ length: 1_001 }, () => ({})), { facts })
      await untilCurrent(index)
      const total = (filter: Filter) => index.total({ tenantId: NORTH, filter })
      assert.deepEqual(await total({ status: 'failed' }), { value: 1, relation: 'eq' })
      const { value, relation } = await total({ tag: 'welcome' })
      assert.ok(relation === 'eq' ? value === 1_002 : value === 1_000, `${relation} ${value}`)
      assert.deepEqual(await total({ tag: 'welcome', status: 'failed' }), { value: 1, relation: 'eq' })
      assert.deepEqual(await index.total({ tenantId: tenant('west'), filter: {} }), { value: 0, relation: 'eq' })
    })
  })
}

/** Kept counts, messages that are read, and lists agree. */
export async function assertCounted(index: MessageIndex): Promise<void> {
  await untilCurrent(index)
  const stats = async (bucket: Millis): Promise<readonly StatsBucket[]> => {
    const buckets = await index.stats({ tenantId: NORTH, ...PERIOD, bucket })
    return buckets.map(({ start: _, ...one }) => one as StatsBucket).toSorted(byName)
  }
  assert.deepEqual(await stats(KEPT), await stats(READ))
  for (const filter of FILTERS) {
    const found = (await search(index, filter)).length
    const { value, relation } = await index.total({ tenantId: NORTH, filter })
    assert.deepEqual([value, relation], [found, 'eq'], JSON.stringify(filter))
  }
}

const byName = (one: StatsBucket, other: StatsBucket): number => (nameOf(one) < nameOf(other) ? -1 : 1)
const nameOf = ({ channel, provider }: StatsBucket): string => `${channel} ${provider}`
