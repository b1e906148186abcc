/** Answers of an SMSC: throttled, rejected recipient, rejected by the carrier, and no answer. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  freshNumber,
  inboxOf,
  kindsOf,
  payloadField,
  search,
  send,
  show,
  untilEvent,
  untilIndexed,
  untilStatus,
} from '../support/sms.ts'
import { until } from '../support/until.ts'
import type { SmppSite } from './smpp.contract.ts'
import { PATIENT, submitsTo, toElse, untilBound } from './smpp-carriers.fixture.ts'

const THROTTLED = 0x58
const INVALID_NUMBER = 0x0b
const INVALID_SENDER = 0x0a

export function smppOutcomesContract({ site: { gateway }, carriers }: SmppSite): void {
  const { plain, slow } = carriers

  beforeEach(() => {
    plain.react('take')
    slow.react('take')
  })

  const settle = async (id: string, as: string): Promise<number> =>
    (await gateway.call('POST', `/v1/messages/${id}/resolve`, { as })).status
  const unknownOnes = async (): Promise<readonly string[]> => {
    await untilIndexed(gateway, PATIENT)
    return (await search(gateway, { unknown: 'true' })).items.map(({ id }) => id)
  }

  test('a throttled message is retried within the same attempt', async () => {
    plain.react((nth) => (nth <= 2 ? THROTTLED : 'take'))
    const to = freshNumber()
    const id = await send(gateway, { to, sender_id: 'plain' })
    await untilStatus(gateway, id, 'sent', PATIENT)
    const submits = submitsTo(plain, to)
    assert.equal(submits.length, 3)
    assert.equal(await plain.report(submits.at(-1)?.id ?? ''), 0)
    const message = await show(gateway, id)
    assert.deepEqual([message.status, message.attempts], ['delivered', 1])
  })

  test('a rejected recipient is not tried at another provider', async () => {
    plain.react(INVALID_NUMBER)
    const to = freshNumber()
    const id = await send(gateway, { to, sender_id: toElse('plain') })
    const message = await untilStatus(gateway, id, 'failed', PATIENT)
    assert.deepEqual([message.error_code, message.attempts, message.provider], ['INVALID_NUMBER', 1, 'plain'])
    assert.ok(!message.error_detail?.includes(to.slice(1)))
    assert.deepEqual(await inboxOf(gateway, to), [])
  })

  test('a message that the SMSC rejects for its own reasons fails over to the next provider', async () => {
    plain.react(INVALID_SENDER)
    const to = freshNumber()
    const id = await send(gateway, { to, sender_id: toElse('plain') })
    const message = await untilStatus(gateway, id, 'delivered', PATIENT)
    assert.deepEqual([message.provider, message.attempts], ['simulator', 2])
    const retry = message.events.find(({ event_type: kind }) => kind === 'RetryScheduled')
    assert.equal(retry && payloadField(retry, 'code'), 'INVALID_SENDER_ID')
    assert.deepEqual([submitsTo(plain, to).length, (await inboxOf(gateway, to)).length], [1, 1])
  })

  test('an unanswered message is held until a person resolves it, and a late answer and receipt still count', async () => {
    slow.react('hold')
    const to = freshNumber()
    const id = await send(gateway, { to, sender_id: toElse('slow') })
    await until(
      'the unknown outcome',
      async () => {
        // The SMSC answers everything else, so the sessions stay open.
        slow.sendPdu('enquire_link')
        return kindsOf(await show(gateway, id)).includes('HandoffUnknown')
      },
      PATIENT,
    )
    assert.deepEqual(await unknownOnes(), [id])
    assert.equal(await settle(id, 'sent'), 200)
    assert.deepEqual([(await show(gateway, id)).status, await unknownOnes()], ['sent', []])
    assert.equal(await settle(id, 'not_sent'), 409)
    slow.release()
    const [submit, ...others] = submitsTo(slow, to)
    await untilEvent(gateway, id, 'ProviderAccepted', PATIENT)
    assert.equal(await slow.report(submit?.id ?? ''), 0)
    const message = await show(gateway, id)
    assert.deepEqual([message.status, message.provider_message_id, others], ['delivered', submit?.id, []])
    assert.deepEqual(kindsOf(message).slice(1), [
      'HandoffAttempted',
      'HandoffUnknown',
      'HandoffAccepted',
      'ProviderAccepted',
      'ProviderDelivered',
    ])
    assert.deepEqual(await inboxOf(gateway, to), [])
  })

  test('a message in flight during a disconnect has an unknown outcome and is resent only by a person', async () => {
    plain.react((nth) => (nth === 1 ? 'hang up' : 'take'))
    const to = freshNumber()
    const id = await send(gateway, { to, sender_id: 'plain' })
    const doubtful = await untilEvent(gateway, id, 'HandoffUnknown', PATIENT)
    const last = doubtful.events.at(-1)
    assert.equal(last && payloadField(last, 'code'), 'CONNECTION_LOST')
    assert.deepEqual([await unknownOnes(), submitsTo(plain, to).length], [[id], 1])
    await untilBound(carriers)
    assert.equal(await settle(id, 'resend'), 200)
    await untilStatus(gateway, id, 'sent', PATIENT)
    assert.deepEqual([submitsTo(plain, to).length, await unknownOnes()], [2, []])
  })
}
