/** The tests of an index's statistics: message counts over time, and errors. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Fact } from '../domain/message/events.ts'
import type { Message } from '../domain/message/message.ts'
import { later, millis, seconds } from '../lib/time.ts'
import { applyAll, NORTH } from './index-samples.contract.ts'
import type { ErrorQuery } from './message-index.ts'
import {
  ACCEPTED,
  ACME,
  ATTEMPTED,
  DEAD,
  delivered,
  hours,
  NOON,
  type Open,
  retryAt,
  stopped,
  tenant,
} from './samples.contract.ts'

export function messageFiguresContract(engine: string, open: Open<'index'>): void {
  describe(`statistics on ${engine}`, { timeout: 120_000 }, () => {
    test('count messages by time of creation, channel, provider and status', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const inHour = (hour: number): Partial<Message> => ({ createdAt: later(NOON, millis(hours(hour) + 1000)) })
      const email = { channel: 'email', kind: 'email' } as const
      await applyAll(
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

    test('errors are counted by channel, provider and code, most frequent first, within a tenant and a time range', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const at = (second: number): Partial<Message> => ({ createdAt: later(NOON, seconds(second)) })
      const email = { channel: 'email', kind: 'email' } as const
      const retried = [ATTEMPTED, retryAt(NOON)]
      await applyAll(
        index,
        { message: at(0), facts: [ATTEMPTED, DEAD] },
        { message: at(9), facts: [ATTEMPTED, DEAD] },
        { message: at(1), facts: [ATTEMPTED, DEAD] },
        { message: at(2), facts: retried },
        { message: { ...at(3), ...email }, facts: retried },
        { message: at(4), facts: [{ kind: 'ValidationFailed', code: 'NO_ROUTE_FOUND', detail: 'none' }] },
        { message: at(5), facts: [...retried, ATTEMPTED, ACCEPTED] },
        { message: at(6) },
        { message: { ...at(7), tenantId: tenant('south') }, facts: [ATTEMPTED, DEAD] },
      )
      const dead = {
        channel: 'sms',
        provider: ACME,
        code: 'CARRIER_BLOCKED',
        count: 3,
        newestAt: later(NOON, seconds(9)),
      }
      const busy = { channel: 'sms', provider: ACME, code: 'BUSY', count: 1, newestAt: later(NOON, seconds(2)) }
      const lost = { channel: 'sms', code: 'NO_ROUTE_FOUND', count: 1, newestAt: later(NOON, seconds(4)) }
      const mail = { ...busy, channel: 'email', newestAt: later(NOON, seconds(3)) }
      const errors = (asked: Partial<ErrorQuery>) => index.errors({ tenantId: NORTH, limit: 200, ...asked })
      assert.deepEqual(await errors({}), [dead, lost, mail, busy])
      assert.deepEqual(await errors({ limit: 2 }), [dead, lost])
      assert.deepEqual(await errors({ dead: true }), [dead])
      assert.deepEqual(await errors({ dead: false }), [lost, mail, busy])
      const early = { ...dead, count: 2, newestAt: later(NOON, seconds(1)) }
      assert.deepEqual(await errors({ to: later(NOON, seconds(3)) }), [early, busy])
      assert.deepEqual(await errors({ from: later(NOON, seconds(4)) }), [{ ...dead, count: 1 }, lost])
      assert.deepEqual(await errors({ tenantId: tenant('east') }), [])
    })

    test('durations of hand-off and delivery are reported', async () => {
      await using opened = await open(stopped)
      const { index } = opened
      const paces = Array.from({ length: 100 }, (_, i) => seconds(((i * 37) % 100) + 1))
      await applyAll(index, ...paces.map((pace) => ({ facts: [ATTEMPTED, ACCEPTED, delivered()], pace })))
      const bounced: Fact = { kind: 'ProviderBounced', reportId: 'r' }
      await applyAll(index, { facts: [ATTEMPTED] }, { facts: [ATTEMPTED, ACCEPTED, bounced], pace: seconds(500) })
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
