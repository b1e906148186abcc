/** Every row of Twilio's table and every class of answers, through the adapter and a real socket. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { saying } from '../../../test/support/fake-http.ts'
import { openFakeTwilio, refusal, TWILIO as SETTINGS } from '../../../test/support/fake-twilio.ts'
import { playRow, type Row, SILENCE_ROWS, STATUS_ROWS, toWords } from '../../../test/support/http-answers.ts'
import { someAttempt } from '../../ports/provider.contract.ts'
import type { Receipt } from '../../ports/provider.ts'
import { someContext } from '../place.fixture.ts'
import { TWILIO_ERRORS } from './errors.ts'
import { TWILIO } from './twilio.ts'

/** With a 4xx, as Twilio says them. */
const CODES: readonly (readonly [status: number, code: number, words: string])[] = [
  [401, 20003, 'rejected provider AUTHENTICATION_FAILED'],
  [404, 20404, 'rejected provider ACCOUNT_NOT_FOUND'],
  [429, 20429, 'deferred RATE_LIMITED'],
  [500, 20500, 'deferred INTERNAL_ERROR'],
  [503, 20503, 'deferred SERVICE_UNAVAILABLE'],
  [400, 21211, 'rejected message INVALID_NUMBER'],
  [400, 21614, 'rejected message INVALID_NUMBER'],
  [400, 21635, 'rejected message INVALID_NUMBER'],
  [400, 21212, 'rejected provider INVALID_SENDER_ID'],
  [400, 21606, 'rejected provider INVALID_SENDER_ID'],
  [400, 21659, 'rejected provider INVALID_SENDER_ID'],
  [400, 21660, 'rejected provider INVALID_SENDER_ID'],
  [400, 21661, 'rejected provider INVALID_SENDER_ID'],
  [400, 21408, 'rejected provider REGION_NOT_ENABLED'],
  [400, 21602, 'rejected message MESSAGE_REJECTED'],
  [400, 21617, 'rejected message MESSAGE_REJECTED'],
  [400, 21608, 'rejected provider TRIAL_ACCOUNT'],
  [400, 21610, 'rejected message OPTED_OUT'],
  [400, 21611, 'rejected provider QUEUE_FULL'],
  [400, 21612, 'rejected provider NOT_ROUTABLE'],
  [400, 30001, 'deferred QUEUE_FULL'],
  [400, 30002, 'rejected provider ACCOUNT_SUSPENDED'],
  [400, 30003, 'deferred recipient UNREACHABLE'],
  [400, 30004, 'rejected message NUMBER_BLOCKED'],
  [400, 30005, 'rejected message INVALID_NUMBER'],
  [400, 30006, 'rejected message INVALID_NUMBER'],
  [400, 30007, 'rejected message MESSAGE_REJECTED'],
  [400, 30008, 'rejected provider CARRIER_ERROR'],
  [400, 30022, 'deferred RATE_LIMITED'],
  [400, 30023, 'rejected provider QUOTA_EXCEEDED'],
  [400, 30032, 'rejected provider INVALID_SENDER_ID'],
  [400, 30034, 'rejected provider INVALID_SENDER_ID'],
  [400, 30036, 'rejected message EXPIRED'],
  [400, 30450, 'rejected message FRAUD_BLOCKED'],
  [400, 30610, 'deferred recipient QUIET_HOURS'],
  [400, 30640, 'rejected message NUMBER_BLOCKED'],
  [400, 60410, 'rejected message FRAUD_BLOCKED'],
]

const UNUSUAL: readonly Row[] = [
  ['a code that is not listed', refusal(400, 29999), 'rejected message TWILIO_29999'],
  ['a code that is not listed, of another class', refusal(403, 29999), 'rejected provider TWILIO_29999'],
  ['a code that is not listed with a server error', refusal(503, 29999), 'deferred HTTP_503'],
  ['a refusal with a server error', refusal(500, 21211), 'deferred HTTP_500'],
  ['throttling with a server error', refusal(503, 20429), 'deferred RATE_LIMITED'],
  ['a code with a proxy that gave up', refusal(504, 20503), 'unknown HTTP_504'],
  [
    'a wait with a server error',
    { ...refusal(503, 20503), headers: { 'retry-after': '7' } },
    'deferred SERVICE_UNAVAILABLE in 7000 ms',
  ],
  ['a message without its name', saying(201, { status: 'queued' }), 'unknown HTTP_201'],
  ['a name that is none of a message', saying(201, { sid: 'AC1' }), 'unknown HTTP_201'],
  ['half a message', { status: 201, body: '{"sid": "SM' }, 'unknown HTTP_201'],
  ['a page in the place of a message', { status: 201, body: '<html>' }, 'unknown HTTP_201'],
]

describe('what an answer of Twilio means', { timeout: 60_000 }, async () => {
  const fake = await openFakeTwilio()
  const reported: Receipt[] = []
  const place = someContext({ report: async (receipt) => void reported.push(receipt) })
  const open = () => TWILIO.open({ ...SETTINGS, from: '+15005550006', base_url: fake.url }, place)
  const provider = open()
  after(async () => {
    await provider[Symbol.asyncDispose]()
    await fake[Symbol.asyncDispose]()
  })
  const attempt = someAttempt()
  const { to, body } = attempt.content
  const send = (signal: AbortSignal) => provider.send(attempt, signal)
  const play = (row: Row): Promise<void> => playRow({ fake, send, secrets: [to, to.slice(1), body] }, row)

  for (const [status, code, words] of CODES) {
    test(`${status} with ${code} is ${words}`, () => play([`${code}`, refusal(status, code), words]))
  }
  test('every code of the table is in this one', () => {
    assert.deepEqual(new Set(CODES.map(([, code]) => code)), new Set(TWILIO_ERRORS.keys()))
  })
  for (const row of [...UNUSUAL, ...STATUS_ROWS, ...SILENCE_ROWS]) test(`${row[0]} is ${row[2]}`, () => play(row))

  test('a message by any 2xx and of any type of content is taken', async () => {
    const sid = `SM${'0'.repeat(32)}`
    for (const status of [200, 201, 202]) {
      fake.behave({ status, body: JSON.stringify({ sid }), headers: { 'content-type': 'text/html' } })
      assert.equal(toWords(await send(AbortSignal.timeout(10_000))), 'accepted')
    }
    assert.deepEqual(reported, [])
  })

  for (const [status, code, state, ours] of [
    ['failed', 30007, 'dropped', 'MESSAGE_REJECTED'],
    ['undelivered', 30005, 'bounced', 'INVALID_NUMBER'],
    ['canceled', null, 'dropped', 'DELIVERY_FAILED'],
  ] as const) {
    test(`a message that is ${status} from the start is reported at once`, async () => {
      const sid = `SM${'1'.repeat(32)}`
      fake.behave(saying(201, { sid, status, error_code: code }))
      assert.equal(toWords(await send(AbortSignal.timeout(10_000))), 'accepted')
      const [report] = reported.splice(0)
      assert.deepEqual(
        [report?.ref, report?.providerMessageId, report?.state, report?.code],
        [attempt.ref, sid, state, ours],
      )
    })
  }

  test('where nothing listens it is deferred', async () => {
    await fake.stop()
    // By one that keeps no connection from before.
    await using fresh = open()
    assert.equal(toWords(await fresh.send(attempt, AbortSignal.timeout(10_000))), 'deferred CONNECTION_REFUSED')
  })
})
