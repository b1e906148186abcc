/** The tests of an index's statistics: message counts over time, and errors. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Fact } from '../domain/message/events.ts'
import type { Message } from '../domain/message/message.ts'
import { later, millis, seconds } from '../lib/time.ts'
import type { OpenFilled } from './filled-index.contract.ts'
import { NORTH, untilCurrent } from './index-samples.contract.ts'
import type { ErrorQuery } from './message-index.ts'
import { ACCEPTED, ACME, ATTEMPTED, DEAD, delivered, hours, NOON, retryAt, tenant } from './samples.contract.ts'

export function messageFiguresContract(engine: string, open: OpenFilled): void {
  describe(`statistics on ${engine}`, { timeout: 120_000 }, () => {
    test('count messages by time of creation, channel, provider and status', async () => {
      await using opened = await open()
      const { index, put } = opened
      const inHour = (hour: number): Partial<Message> => ({ createdAt: later(NOON, millis(hours(hour) + 1000)) })
      await put(
        { message: inHour(0) },
        { message: inHour(0) },
        { message: inHour(0), mail: {} },
        { message: inHour(1), facts: [ATTEMPTED, ACCEPTED] },
        { message: inHour(1), facts: [ATTEMPTED, ACCEPTED, delivered()] },
        { message: inHour(1), facts: [ATTEMPTED, DEAD] },
        { message: inHour(-1) },
        { message: { createdAt: later(NOON, hours(2)) } },
      )
      await untilCurrent(index)
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
      await using opened = await open()
      const { index, put } = opened
      const at = (second: number): Partial<Message> => ({ createdAt: later(NOON, seconds(second)) })
      const retried = [ATTEMPTED, retryAt(NOON)]
      await put(
        { message: at(0), facts: [ATTEMPTED, DEAD] },
        { message: at(9), facts: [ATTEMPTED, DEAD] },
        { message: at(1), facts: [ATTEMPTED, DEAD] },
        { message: at(2), facts: retried },
        { message: at(3), mail: {}, facts: retried },
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
      await untilCurrent(index)
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

    test('the newest message with an error is one that still has it', async () => {
      await using opened = await open()
      const { index, put, happen } = opened
      const at = (second: number): Partial<Message> => ({ createdAt: later(NOON, seconds(second)) })
      const [, , resent] = await put(...[1, 5, 9].map((second) => ({ message: at(second), facts: [ATTEMPTED, DEAD] })))
      assert.ok(resent !== undefined)
      const newest = async () => {
        await untilCurrent(index)
        return (await index.errors({ tenantId: NORTH, limit: 9 })).map(({ count, newestAt }) => [count, newestAt])
      }
      assert.deepEqual(await newest(), [[3, later(NOON, seconds(9))]])
      await happen(resent, { kind: 'ResendRequested', by: 'resend' })
      assert.deepEqual(await newest(), [[2, later(NOON, seconds(5))]])
    })

    test('statistics follow the states of messages', async () => {
      await using opened = await open()
      const { index, put, happen } = opened
      const ids = await put({}, {}, {}, { facts: [ATTEMPTED, ACCEPTED] })
      const range = { tenantId: NORTH, from: NOON, to: later(NOON, hours(1)), bucket: hours(1) }
      const counts = async () => {
        await untilCurrent(index)
        return (await index.stats(range)).map(({ provider, statuses }) => [provider, statuses])
      }
      assert.deepEqual(await sorted(counts), [
        [undefined, { queued: 3 }],
        [ACME, { sent: 1 }],
      ])
      const [first, second, , sent] = ids
      assert.ok(first !== undefined && second !== undefined && sent !== undefined)
      await happen(first, ATTEMPTED, ACCEPTED, delivered())
      await happen(second, ATTEMPTED, DEAD)
      await happen(sent, delivered())
      assert.deepEqual(await sorted(counts), [
        [undefined, { queued: 1 }],
        [ACME, { delivered: 2, failed: 1 }],
      ])
      const { acceptToHandoff, handoffToDelivery } = (await index.stats(range)).find(({ provider }) => provider) ?? {}
      assert.deepEqual([acceptToHandoff?.count, handoffToDelivery?.count], [2, 2])
    })

    test('durations of hand-off and delivery are reported', async () => {
      await using opened = await open()
      const { index, put } = opened
      const paces = Array.from({ length: 100 }, (_, i) => seconds(((i * 37) % 100) + 1))
      await put(...paces.map((pace) => ({ facts: [ATTEMPTED, ACCEPTED, delivered()], pace })))
      const bounced: Fact = { kind: 'ProviderBounced', reportId: 'r' }
      await put({ facts: [ATTEMPTED] }, { facts: [ATTEMPTED, ACCEPTED, bounced], pace: seconds(500) })
      await untilCurrent(index)
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

/** Messages without a provider first. */
const sorted = async (
  counts: () => Promise<readonly (readonly unknown[])[]>,
): Promise<readonly (readonly unknown[])[]> =>
  (await counts()).toSorted(([one], [other]) => String(one ?? '').localeCompare(String(other ?? '')))
