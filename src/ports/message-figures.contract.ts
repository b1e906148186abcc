/** The tests of what an index counts and notices: figures over time, and messages that may need a nudge. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Fact } from '../domain/events.ts'
import type { Message } from '../domain/message.ts'
import type { MessageState } from '../domain/state.ts'
import { type Instant, later, millis, seconds } from '../domain/time.ts'
import { NORTH, tell } from './index-samples.contract.ts'
import {
  ACCEPTED,
  ACME,
  ATTEMPTED,
  DEAD,
  delivered,
  doubtUntil,
  earlier,
  hours,
  NOON,
  type Open,
  retryAt,
  stopped,
  tenant,
} from './samples.contract.ts'

export function messageFiguresContract(engine: string, open: Open<'index'>): void {
  describe(`neglect and figures on ${engine}`, { timeout: 20_000 }, () => {
    test('silent are the messages handed off that nobody reported the end of', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const reported: Fact = { kind: 'ProviderAccepted', reportId: 'r' }
      const [newest, oldest] = await tell(
        index,
        { facts: [ATTEMPTED, ACCEPTED] },
        { facts: [ATTEMPTED, ACCEPTED, reported], message: { ...ago(5), tenantId: tenant('south') } },
        { facts: [ATTEMPTED, ACCEPTED, delivered()], message: ago(5) },
        { facts: [ATTEMPTED, DEAD], message: ago(5) },
        { facts: [ATTEMPTED], message: ago(5) },
      )
      const silent = async (until: Instant, limit = 9) => ids(await index.neglected('silent', until, limit))
      assert.deepEqual(await silent(later(NOON, seconds(3))), [oldest, newest])
      assert.deepEqual(await silent(later(NOON, seconds(3)), 1), [oldest])
      assert.deepEqual(await silent(later(NOON, seconds(2))), [oldest])
      assert.deepEqual(await silent(earlier(NOON, hours(6))), [])
    })

    test('stalled are the messages whose work was due and did not happen', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const [queued, sending, retry, doubt] = await tell(
        index,
        { message: ago(1) },
        { message: { ...ago(2), tenantId: tenant('south') }, facts: [ATTEMPTED] },
        { message: ago(9), facts: [ATTEMPTED, retryAt(earlier(NOON, hours(3)))] },
        { message: ago(9), facts: [ATTEMPTED, doubtUntil(earlier(NOON, hours(4)))] },
        { message: ago(9), facts: [ATTEMPTED, retryAt(later(NOON, hours(1)))] },
        { message: ago(9), facts: [ATTEMPTED, ACCEPTED] },
        { message: ago(9), facts: [ATTEMPTED, DEAD] },
        { message: { createdAt: NOON } },
      )
      const stalled = async (until: Instant, limit = 9) => ids(await index.neglected('stalled', until, limit))
      assert.deepEqual(await stalled(NOON), [doubt, retry, sending, queued])
      assert.deepEqual(await stalled(NOON, 2), [doubt, retry])
      assert.deepEqual(await stalled(earlier(NOON, hours(1))), [doubt, retry, sending])
      const [row] = await index.neglected('stalled', NOON, 1)
      assert.equal(row?.phase, 'doubt')
    })

    test('figures count messages by time of creation, channel, provider and status', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const inHour = (hour: number): Partial<Message> => ({ createdAt: later(NOON, millis(hours(hour) + 1000)) })
      const email = { channel: 'email', kind: 'email' } as const
      await tell(
        index,
        { message: inHour(0) },
        { message: inHour(0) },
        { message: { ...inHour(0), ...email } },
        { message: inHour(1), facts: [ATTEMPTED, ACCEPTED] },
        { message: inHour(1), facts: [ATTEMPTED, ACCEPTED, delivered()] },
        { message: inHour(1), facts: [ATTEMPTED, DEAD] },
        { message: inHour(-1) },
        { message: { createdAt: later(NOON, hours(2)) } },
      )
      const bounds = { from: NOON, to: later(NOON, hours(2)), bucket: hours(1) }
      const buckets = await index.stats({ tenantId: NORTH, ...bounds })
      const counted = buckets.map(({ start, channel, provider, statuses }) => ({ start, channel, provider, statuses }))
      const nextHour = later(NOON, hours(1))
      assert.deepEqual(
        counted.toSorted((a, b) => a.start - b.start || (a.channel < b.channel ? -1 : 1)),
        [
          { start: NOON, channel: 'email', provider: undefined, statuses: { queued: 1 } },
          { start: NOON, channel: 'sms', provider: undefined, statuses: { queued: 2 } },
          { start: nextHour, channel: 'sms', provider: ACME, statuses: { sent: 1, delivered: 1, failed: 1 } },
        ],
      )
      assert.ok(buckets.every((bucket) => bucket.provider !== undefined || bucket.acceptToHandoff === undefined))
    })

    test('figures tell how long hand-off and delivery took', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const paces = Array.from({ length: 100 }, (_, i) => seconds(((i * 37) % 100) + 1))
      await tell(index, ...paces.map((pace) => ({ facts: [ATTEMPTED, ACCEPTED, delivered()], pace })))
      const bounced: Fact = { kind: 'ProviderBounced', reportId: 'r' }
      await tell(index, { facts: [ATTEMPTED] }, { facts: [ATTEMPTED, ACCEPTED, bounced], pace: seconds(500) })
      const [bucket] = await index.stats({ tenantId: NORTH, from: NOON, to: later(NOON, hours(1)), bucket: hours(1) })
      const { acceptToHandoff: handoff, handoffToDelivery: delivery } = bucket ?? {}
      assert.ok(handoff !== undefined && delivery !== undefined)
      assert.deepEqual([handoff.count, handoff.max], [101, 1_000_000])
      assert.deepEqual([delivery.count, delivery.max], [100, 100_000])
      assert.ok(delivery.p50 >= 50_000 && delivery.p50 <= 51_000, `p50 ${delivery.p50}`)
      assert.ok(delivery.p95 >= 95_000 && delivery.p95 <= 96_000, `p95 ${delivery.p95}`)
    })
  })
}

const ago = (count: number): Partial<Message> => ({ createdAt: earlier(NOON, hours(count)) })
const ids = (states: readonly MessageState[]): string[] => states.map(({ id }) => id)
