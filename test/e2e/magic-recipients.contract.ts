/** Every magic recipient of the simulator ends as its table says: all the paths a message can take. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { QUICK } from '../support/routes.ts'
import type { ShareGateway } from '../support/shared-gateway.ts'
import { inboxOf, kindsOf, magic, send, show, told, untilEvent, untilStatus } from '../support/sms.ts'

export async function magicRecipientsContract(share: ShareGateway): Promise<void> {
  const gateway = await share({ config: QUICK })

  /** What becomes of a magic recipient's message, and of each attempt at it. */
  const FATES = [
    { to: '0001', status: 'failed', code: 'INVALID_NUMBER', kinds: ['HandoffAttempted', 'HandoffFailed'], received: 0 },
    { to: '0002', status: 'failed', code: 'NUMBER_BLOCKED', kinds: ['HandoffAttempted', 'HandoffFailed'], received: 0 },
    {
      to: '0003',
      status: 'delivered',
      code: null,
      kinds: [
        ...['HandoffAttempted', 'RetryScheduled', 'HandoffAttempted', 'RetryScheduled'],
        ...['HandoffAttempted', 'HandoffAccepted', 'ProviderDelivered'],
      ],
      received: 1,
    },
    {
      to: '0004',
      status: 'failed',
      code: 'SERVICE_UNAVAILABLE',
      kinds: [
        ...Array.from({ length: 4 }, () => ['HandoffAttempted', 'RetryScheduled']).flat(),
        ...['HandoffAttempted', 'DeadLettered'],
      ],
      received: 0,
    },
    {
      to: '0005',
      status: 'delivered',
      code: null,
      kinds: ['HandoffAttempted', 'HandoffUnknown', 'HandoffAccepted', 'ProviderDelivered'],
      received: 1,
    },
    {
      to: '0007',
      status: 'failed',
      code: 'UNREACHABLE',
      kinds: ['HandoffAttempted', 'HandoffAccepted', 'ProviderBounced'],
      received: 1,
    },
    {
      to: '0008',
      status: 'delivered',
      code: null,
      kinds: ['HandoffAttempted', 'HandoffAccepted', 'ProviderDelivered', 'ProviderAccepted'],
      received: 1,
    },
    {
      to: '0009',
      status: 'delivered',
      code: null,
      kinds: ['HandoffAttempted', 'HandoffAccepted', 'ProviderDelivered'],
      received: 1,
    },
  ] as const

  describe('the magic recipient', { concurrency: true }, () => {
    for (const { to, status, code, kinds, received } of FATES) {
      test(`${to} ends as ${status} ${code ?? ''}`, async () => {
        const id = await send(gateway, { to: magic(to) })
        const message = await untilEvent(gateway, id, kinds.at(-1) ?? '')
        assert.equal(message.status, status)
        assert.equal(message.error_code, code)
        assert.deepEqual(kindsOf(message), ['MessageCreated', ...kinds])
        assert.equal(message.attempts, kinds.filter((kind) => kind === 'HandoffAttempted').length)
        assert.equal(message.dead_letter, to === '0004')
        const inbox = await inboxOf(gateway, magic(to))
        assert.equal(inbox.filter((item) => item.request_id === id).length, received)
      })
    }

    test('0005 is reconciled by its receipt, or by asking where the route does not wait for it', async () => {
      const [waiting, asking] = await Promise.all([
        send(gateway, { to: magic('0005') }),
        send(gateway, { to: magic('0005'), sender_id: 'Asking' }),
      ])
      const accepted = async (id: string) => {
        const { events } = await untilEvent(gateway, id, 'ProviderDelivered')
        return events.filter(({ event_type: kind }) => kind === 'HandoffAccepted').map((event) => told(event, 'by'))
      }
      assert.deepEqual([await accepted(waiting), await accepted(asking)], [['receipt'], ['lookup']])
      const inbox = await inboxOf(gateway, magic('0005'))
      assert.equal(inbox.filter(({ request_id: id }) => id === waiting || id === asking).length, 2)
    })

    test('0006 stays sent while others get their receipts', async () => {
      const id = await send(gateway, { to: magic('0006') })
      await untilStatus(gateway, id, 'sent')
      await untilStatus(gateway, await send(gateway), 'delivered')
      const message = await show(gateway, id)
      assert.equal(message.status, 'sent')
      assert.deepEqual(kindsOf(message), ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted'])
    })

    test('0009 keeps its caller waiting for five seconds', async () => {
      const { events } = await untilStatus(gateway, await send(gateway, { to: magic('0009') }), 'delivered')
      const [begun, ended] = ['HandoffAttempted', 'HandoffAccepted'].map((kind) =>
        Date.parse(events.find(({ event_type }) => event_type === kind)?.at ?? ''),
      )
      assert(begun !== undefined && ended !== undefined && ended - begun >= 5_000)
    })
  })
}
