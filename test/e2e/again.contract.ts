/** Dead letters, replay, resend, resolving unknown outcomes and erasure, over HTTP. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { eraseRecipient } from '../support/erasures.ts'
import type { Gateway } from '../support/gateway.ts'
import type { SharedGateway } from '../support/shared-gateway.ts'
import {
  freshNumber,
  inboxOf,
  kindsOf,
  magic,
  type Page,
  payloadField,
  post,
  search,
  send,
  show,
  someSms,
  untilEvent,
  untilIndexed,
  untilStatus,
} from '../support/sms.ts'
import { until } from '../support/until.ts'
import { UNKNOWN_SENDER, type UnknownOutcomes } from './unknown-outcome.fixture.ts'

type Resent = Readonly<{ id: string; status: string; cycle: number }>
type Problem = Readonly<{ error_code: string; detail: string }>

export function againContract(
  gateway: SharedGateway,
  { bird, acceptedFor, openUnknown: openUnknownMessage }: UnknownOutcomes,
): void {
  const resend = (id: string, query = '') => gateway.call<Resent & Problem>('POST', `/v1/messages/${id}/resend${query}`)
  const replay = (id: string) => gateway.call<Resent>('POST', `/v1/dead-letters/${id}/replay`)
  const resolve = (id: string, as: string) =>
    gateway.call<Resent & Problem>('POST', `/v1/messages/${id}/resolve`, { as })
  const erase = (id: string) => gateway.call('POST', `/v1/messages/${id}/erase`)

  const untilCycle = (id: string, cycle: number, kind: string) =>
    until(`${kind} in cycle ${cycle}`, async () => {
      const message = await show(gateway, id)
      return message.events.some(({ event_type, payload }) => event_type === kind && payload.cycle === cycle) && message
    })

  async function deadLetters(tag: string): Promise<string[]> {
    await untilIndexed(gateway)
    const { body } = await gateway.call<Page>('GET', `/v1/dead-letters?tag=${tag}`)
    return body.items.map(({ id }) => id)
  }

  describe('a dead letter', () => {
    test('is replayed as a new cycle with all its attempts', async () => {
      const id = await send(gateway, { to: magic('0004'), tags: ['one'] })
      await untilEvent(gateway, id, 'DeadLettered')
      assert.deepEqual(await deadLetters('one'), [id])
      const { status, body } = await replay(id)
      assert.deepEqual([status, body.id, body.status, body.cycle], [202, id, 'queued', 2])
      const message = await untilCycle(id, 2, 'DeadLettered')
      assert.equal(message.attempts, 10)
      assert.deepEqual(await deadLetters('one'), [id])
    })

    test('is no longer listed once its replay succeeds', async () => {
      const id = await send(gateway, { to: magic('0003'), sender_id: 'Once', tags: ['recovers'] })
      for (const cycle of [1, 2]) {
        await untilCycle(id, cycle, 'DeadLettered')
        assert.equal((await replay(id)).status, 202)
      }
      const message = await untilStatus(gateway, id, 'delivered')
      assert.deepEqual([message.cycle, message.attempts, message.dead_letter], [3, 3, false])
      assert.deepEqual(await deadLetters('recovers'), [])
      assert.equal((await replay(id)).status, 409)
    })

    test('is replayed with all others that match a filter', async () => {
      const sms = { to: magic('0003'), sender_id: 'Once' }
      const chosen = await Promise.all([1, 2, 3].map(() => send(gateway, { ...sms, tags: ['chosen'] })))
      const other = await send(gateway, { ...sms, tags: ['other'] })
      for (const id of [...chosen, other]) await untilEvent(gateway, id, 'DeadLettered')
      assert.equal((await deadLetters('chosen')).length, 3)
      const { status, body } = await gateway.call('POST', '/v1/dead-letters/replay', { filter: { tag: 'chosen' } })
      assert.deepEqual([status, body], [202, { replayed: 3, skipped: 0, rate_limited: 0, next_cursor: null }])
      for (const id of chosen) await untilCycle(id, 2, 'DeadLettered')
      assert.equal((await show(gateway, other)).cycle, 1)
    })
  })

  describe('a resend', () => {
    test('starts a new cycle and delivers the message again', async () => {
      const sms = someSms()
      const id = await send(gateway, sms)
      await untilStatus(gateway, id, 'delivered')
      assert.deepEqual((await resend(id)).body.cycle, 2)
      const message = await untilCycle(id, 2, 'ProviderDelivered')
      assert.deepEqual(kindsOf(message).slice(4), [
        'ResendRequested',
        'HandoffAttempted',
        'HandoffAccepted',
        'ProviderDelivered',
      ])
      const inbox = await inboxOf(gateway, sms.to)
      assert.equal(new Set(inbox.map(({ attempt_id: attempt }) => attempt)).size, 2)
    })

    test('is refused while the message is in flight', async () => {
      bird.behave('hang')
      const id = await send(gateway, { sender_id: UNKNOWN_SENDER })
      await untilEvent(gateway, id, 'HandoffAttempted')
      const { status, body } = await resend(id)
      bird.behave('well')
      assert.deepEqual([status, body.error_code], [409, 'CONFLICT'])
      assert.equal((await show(gateway, id)).cycle, 1)
    })

    test('requested five times concurrently happens once', async () => {
      const to = freshNumber()
      const id = await send(gateway, { to, sender_id: UNKNOWN_SENDER })
      await untilStatus(gateway, id, 'sent')
      // The second handoff must not end: a finished one could be resent again.
      bird.behave('hang up')
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => resend(id)))
      await untilCycle(id, 2, 'HandoffUnknown')
      bird.behave('well')
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [202, 409, 409, 409, 409])
      assert.deepEqual([(await show(gateway, id)).cycle, acceptedFor(to)], [2, 2])
    })
  })

  describe('a limit', () => {
    const OVERRIDE = '?override_limits=true'
    const limit = async (of: Gateway, to: string, most: number): Promise<void> => {
      const rule = { limit: most, window_seconds: 3600, algorithm: 'fixed' }
      assert.equal((await of.call('PUT', `/v1/limits/recipient/${encodeURIComponent(to)}`, rule)).status, 200)
    }

    test('counts a resend like a send and refuses it once reached, unless overridden', async () => {
      const to = freshNumber()
      await limit(gateway, to, 2)
      const id = await send(gateway, { to })
      await untilStatus(gateway, id, 'delivered')
      const first = await resend(id)
      assert.equal(first.status, 202, first.text)
      assert.match(first.headers.get('ratelimit') ?? '', /^"recipient";r=0;t=\d+$/)
      await untilCycle(id, 2, 'ProviderDelivered')

      const refused = await resend(id)
      assert.deepEqual([refused.status, refused.body.error_code], [429, 'RATE_LIMITED'])
      assert.ok(Number(refused.headers.get('retry-after')) > 3_000)
      assert.equal((await post(gateway, someSms({ to }))).status, 429)
      assert.equal((await resend(id, OVERRIDE)).status, 202)
      await untilCycle(id, 3, 'ProviderDelivered')
      assert.equal((await inboxOf(gateway, to)).length, 3)
    })

    test('refuses only those dead letters of a bulk replay that exceed it', async () => {
      const tenant = await gateway.of('limited')
      const sms = { sender_id: 'Once', tags: ['limited'] }
      const ids = await Promise.all(
        ['0003', '0003', '0003', '0004'].map((to) => send(tenant, { ...sms, to: magic(to) })),
      )
      for (const id of ids) await untilEvent(tenant, id, 'DeadLettered')
      await untilIndexed(tenant)
      await limit(tenant, magic('0003'), 1)
      const path = '/v1/dead-letters/replay'
      const { body } = await tenant.call('POST', path, { filter: { tag: 'limited' } })
      assert.deepEqual(body, { replayed: 2, skipped: 0, rate_limited: 2, next_cursor: null })
      const held: string[] = []
      for (const id of ids) if ((await show(tenant, id)).cycle === 1) held.push(id)
      assert.equal(held.length, 2)
      assert.equal((await tenant.call('POST', `/v1/dead-letters/${held[0]}/replay`)).status, 429)
      assert.equal((await tenant.call('POST', `/v1/dead-letters/${held[0]}/replay${OVERRIDE}`)).status, 202)
    })
  })

  describe('a message with an unknown outcome', () => {
    const listUnknown = async (): Promise<string[]> => {
      await untilIndexed(gateway)
      return (await search(gateway, { unknown: 'true' })).items.map(({ id }) => id)
    }
    async function openUnknown() {
      const unknown = await openUnknownMessage(gateway)
      assert.ok((await listUnknown()).includes(unknown.id))
      return unknown
    }

    for (const [as, status, kind] of [
      ['sent', 'sent', 'HandoffAccepted'],
      ['not_sent', 'failed', 'HandoffFailed'],
    ] as const) {
      test(`resolved as ${as} becomes ${status}, and nothing is sent`, async () => {
        const { id, accepted } = await openUnknown()
        const answer = await resolve(id, as)
        assert.deepEqual([answer.status, answer.body.status], [200, status], answer.text)
        const { events, unknown } = await show(gateway, id)
        const last = events.at(-1)
        assert.deepEqual(
          [last?.event_type, last && payloadField(last, 'resolved_by'), unknown],
          [kind, 'default', false],
        )
        assert.ok(!(await listUnknown()).includes(id))
        assert.equal((await resolve(id, 'resend')).status, 409)
        assert.equal(accepted(), 1)
      })
    }

    test('resolved as resend five times concurrently is sent once more', async () => {
      const { id, accepted } = await openUnknown()
      const answers = await Promise.all([1, 2, 3, 4, 5].map(() => resolve(id, 'resend')))
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409, 409, 409])
      const message = await untilStatus(gateway, id, 'sent')
      assert.deepEqual(kindsOf(message).slice(2), [
        'HandoffUnknown',
        'RetryScheduled',
        'HandoffAttempted',
        'HandoffAccepted',
      ])
      assert.deepEqual([message.cycle, message.attempts, accepted()], [1, 2, 2])
    })

    test('already resolved by a receipt cannot be resolved again', async () => {
      const id = await send(gateway, { to: magic('0005') })
      await untilStatus(gateway, id, 'delivered')
      const { status, body } = await resolve(id, 'resend')
      assert.deepEqual([status, body.error_code], [409, 'CONFLICT'])
      assert.match(body.detail, /delivered/)
    })
  })

  describe('an erasure', () => {
    test('removes the content and keeps the states', async () => {
      const sms = someSms({ tags: ['private'], metadata: { patient: 'Ada' }, sender_id: 'Clinic' })
      const id = await send(gateway, sms)
      await untilStatus(gateway, id, 'delivered')
      assert.deepEqual((await erase(id)).body, { id, erased: true })
      const message = await show(gateway, id)
      assert.deepEqual(
        [message.erased, message.to, message.tags, message.metadata, message.sender_id, message.status],
        [true, null, [], {}, null, 'delivered'],
      )
      assert.equal(kindsOf(message).at(-1), 'MessageErased')
      await untilIndexed(gateway)
      for (const query of [{ tag: 'private' }, { q: 'Ada' }, { to: sms.to }]) {
        assert.deepEqual((await search(gateway, query)).items, [])
      }
      assert.equal((await resend(id)).status, 409)
      assert.equal((await erase(id)).status, 200)
    })

    test('keeps the idempotency key: it still returns the erased message', async () => {
      const sms = someSms()
      const first = await post(gateway, sms)
      await untilStatus(gateway, first.body.request_id, 'delivered')
      await erase(first.body.request_id)
      const again = await post(gateway, sms)
      assert.deepEqual([again.status, again.text], [202, first.text])
      assert.equal((await inboxOf(gateway, sms.to)).length, 1)
    })

    test('of a message that waits for a retry prevents the retry', async () => {
      const id = await send(gateway, { to: magic('0003'), sender_id: 'Patient' })
      await untilEvent(gateway, id, 'RetryScheduled')
      await erase(id)
      const message = await untilStatus(gateway, id, 'failed')
      assert.equal(message.error_code, 'ERASED')
      const inbox = await inboxOf(gateway, magic('0003'))
      assert.equal(inbox.filter((item) => item.message_id === id).length, 0)
    })

    test('by recipient erases all messages to one number and no others', async () => {
      const to = freshNumber()
      const mine = await Promise.all([1, 2, 3].map(() => send(gateway, { to })))
      const other = await send(gateway)
      for (const id of [...mine, other]) await untilStatus(gateway, id, 'delivered')
      await untilIndexed(gateway)
      const receipt = await eraseRecipient(gateway, to)
      assert.deepEqual(receipt.receipt.messages, { found: 3, erased: 3, failed: 0 })
      const verified = await gateway.call<{ valid: boolean }>('POST', '/v1/erasures/verify', { ...receipt, to })
      assert.deepEqual(verified.body, { valid: true, recipient_matches: true })
      for (const id of mine) assert.equal((await show(gateway, id)).to, null)
      assert.equal((await show(gateway, other)).erased, false)
      assert.equal((await eraseRecipient(gateway, to)).receipt.messages.found, 0)
      assert.deepEqual((await search(gateway, { to })).items, [])
    })
  })
}
