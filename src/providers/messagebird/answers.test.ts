/** Every row of MessageBird's table and every class of answers, through the adapter and a real socket. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Said, saying } from '../../../test/support/fake-http.ts'
import { openFakeMessageBird, refusal, MESSAGEBIRD as SETTINGS } from '../../../test/support/fake-messagebird.ts'
import { playRow, type Row, SILENCE_ROWS, STATUS_ROWS, toWords } from '../../../test/support/http-answers.ts'
import { someAttempt } from '../../ports/provider.contract.ts'
import type { Receipt } from '../../ports/provider.ts'
import { someContext } from '../place.fixture.ts'
import { MESSAGEBIRD_ERRORS } from './errors.ts'
import { MESSAGEBIRD } from './messagebird.ts'

type Coded = readonly [said: Said, code: number, words: string]

const CODES: readonly Coded[] = [
  [refusal(401, 2, 'access_key'), 2, 'rejected provider AUTHENTICATION_FAILED'],
  [refusal(422, 9), 9, 'rejected message INVALID_NUMBER'],
  [refusal(422, 9, 'recipients'), 9, 'rejected message INVALID_NUMBER'],
  [refusal(422, 9, 'originator'), 9, 'rejected provider INVALID_SENDER_ID'],
  [refusal(422, 10, 'body'), 10, 'rejected message MESSAGE_REJECTED'],
  [refusal(422, 10, 'recipient'), 10, 'rejected message INVALID_NUMBER'],
  [refusal(422, 10, 'originator'), 10, 'rejected provider INVALID_SENDER_ID'],
  [refusal(404, 20), 20, 'rejected message MESSAGE_REJECTED'],
  [refusal(400, 21), 21, 'rejected message MESSAGE_REJECTED'],
  [refusal(402, 25), 25, 'rejected provider INSUFFICIENT_FUNDS'],
  [refusal(404, 98), 98, 'rejected provider ENDPOINT_NOT_FOUND'],
  [refusal(500, 99), 99, 'deferred INTERNAL_ERROR'],
  [refusal(422, 99), 99, 'deferred INTERNAL_ERROR'],
]

const UNUSUAL: readonly Row[] = [
  ['a code that is not listed', refusal(422, 1234), 'rejected message MESSAGEBIRD_1234'],
  ['a code that is not listed, of another class', refusal(403, 1234), 'rejected provider MESSAGEBIRD_1234'],
  ['a code that is not listed with a server error', refusal(503, 1234), 'deferred HTTP_503'],
  ['a refusal with a server error', refusal(500, 25), 'deferred HTTP_500'],
  ['a code with a proxy that gave up', refusal(504, 99), 'unknown HTTP_504'],
  [
    'a wait with a server error',
    { ...refusal(503, 99), headers: { 'retry-after': '7' } },
    'deferred INTERNAL_ERROR in 7000 ms',
  ],
  ['no error in the list of errors', saying(422, { errors: [] }), 'rejected message HTTP_422'],
  ['a message without its name', saying(201, { href: 'x' }), 'unknown HTTP_201'],
  ['half a message', { status: 201, body: '{"id": "e8' }, 'unknown HTTP_201'],
  ['a page in the place of a message', { status: 200, body: '<html>' }, 'unknown HTTP_200'],
]

describe('what an answer of MessageBird means', { timeout: 60_000 }, async () => {
  const fake = await openFakeMessageBird()
  const reported: Receipt[] = []
  const place = someContext({ report: async (receipt) => void reported.push(receipt) })
  const open = () => MESSAGEBIRD.open({ ...SETTINGS, originator: 'Pombo', base_url: fake.url }, place)
  const provider = open()
  after(async () => {
    await provider[Symbol.asyncDispose]()
    await fake[Symbol.asyncDispose]()
  })
  const attempt = someAttempt()
  const { to, body } = attempt.content
  const send = (signal: AbortSignal) => provider.send(attempt, signal)
  const play = (row: Row): Promise<void> => playRow({ fake, send, secrets: [to, to.slice(1), body] }, row)

  for (const [said, code, words] of CODES) {
    test(`${said.status} ${said.body} is ${words}`, () => play([`${code}`, said, words]))
  }
  test('every code of the table is in this one', () => {
    assert.deepEqual(new Set(CODES.map(([, code]) => code)), new Set(MESSAGEBIRD_ERRORS.keys()))
  })
  for (const row of [...UNUSUAL, ...STATUS_ROWS, ...SILENCE_ROWS]) test(`${row[0]} is ${row[2]}`, () => play(row))

  test('a message by any 2xx and of any type of content is taken', async () => {
    for (const status of [200, 201, 202]) {
      fake.behave({
        status,
        body: '{"id":"e8077d803532c0b5937c639b60216938"}',
        headers: { 'content-type': 'text/html' },
      })
      assert.equal(toWords(await send(AbortSignal.timeout(10_000))), 'accepted')
    }
    assert.deepEqual(reported, [])
  })

  for (const [status, reason, state, ours] of [
    ['delivery_failed', 'unknown subscriber', 'bounced', 'INVALID_NUMBER'],
    ['delivery_failed', 'insufficient balance', 'bounced', 'INSUFFICIENT_FUNDS'],
    ['expired', null, 'dropped', 'EXPIRED'],
  ] as const) {
    test(`a message that is ${status} (${reason}) from the start is reported at once`, async () => {
      const id = 'e8077d803532c0b5937c639b60216938'
      fake.behave(saying(201, { id, recipients: { items: [{ status, statusReason: reason }] } }))
      assert.equal(toWords(await send(AbortSignal.timeout(10_000))), 'accepted')
      const [report] = reported.splice(0)
      assert.deepEqual(
        [report?.ref, report?.providerMessageId, report?.state, report?.code],
        [attempt.ref, id, state, ours],
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
