/** What an SMSC answers, or does not: too fast, refused for good, refused for its own sake, and nothing at all. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  freshNumber,
  inboxOf,
  kindsOf,
  search,
  send,
  show,
  told,
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

  test('a message that the SMSC finds too fast goes again by the same attempt', async () => {
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

  test('a recipient that is refused is not tried elsewhere', async () => {
    plain.react(INVALID_NUMBER)
    const to = freshNumber()
    const id = await send(gateway, { to, sender_id: toElse('plain') })
    const message = await untilStatus(gateway, id, 'failed', PATIENT)
    assert.deepEqual([message.error_code, message.attempts, message.provider], ['INVALID_NUMBER', 1, 'plain'])
    assert.ok(!message.error_detail?.includes(to.slice(1)))
    assert.deepEqual(await inboxOf(gateway, to), [])
  })

  test('what the SMSC refuses for its own sake goes to the next provider of the route', async () => {
    plain.react(INVALID_SENDER)
    const to = freshNumber()
    const id = await send(gateway, { to, sender_id: toElse('plain') })
    const message = await untilStatus(gateway, id, 'delivered', PATIENT)
    assert.deepEqual([message.provider, message.attempts], ['simulator', 2])
    const retry = message.events.find(({ event_type: kind }) => kind === 'RetryScheduled')
    assert.equal(retry && told(retry, 'code'), 'INVALID_SENDER_ID')
    assert.deepEqual([submitsTo(plain, to).length, (await inboxOf(gateway, to)).length], [1, 1])
  })

  test('what is not answered is held until a person settles it, and its late answer and its receipt still count', async () => {
    slow.react('hold')
    const to = freshNumber()
    const id = await send(gateway, { to, sender_id: toElse('slow') })
    await until(
      'the doubt',
      async () => {
        // It is there and answers everything else, so the sessions stay.
        slow.say('enquire_link')
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

  test('what was on the way when the line was cut is unknown, and sent again only if a person says so', async () => {
    plain.react((nth) => (nth === 1 ? 'hang up' : 'take'))
    const to = freshNumber()
    const id = await send(gateway, { to, sender_id: 'plain' })
    const doubtful = await untilEvent(gateway, id, 'HandoffUnknown', PATIENT)
    const last = doubtful.events.at(-1)
    assert.equal(last && told(last, 'code'), 'CONNECTION_LOST')
    assert.deepEqual([await unknownOnes(), submitsTo(plain, to).length], [[id], 1])
    await untilBound(carriers)
    assert.equal(await settle(id, 'resend'), 200)
    await untilStatus(gateway, id, 'sent', PATIENT)
    assert.deepEqual([submitsTo(plain, to).length, await unknownOnes()], [2, []])
  })
}
