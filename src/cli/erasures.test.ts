/** `pombo erase --to` and `pombo erasures`, against a gateway on a real socket. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Answer, openTestGateway, run } from './test-world.ts'

const ID = '01978d5e-0000-7000-8000-00000000abcd'
const TO = '+15005550100'
const SIGNED = { receipt: { erasure_id: ID, messages: { found: 3, erased: 3, failed: 0 } }, signature: { value: 'x' } }
const RUNNING = { id: ID, status: 'running', erased: 1, failed: 0, receipt: null }
const DONE = {
  id: ID,
  status: 'completed',
  erased: 3,
  failed: 0,
  receipt: SIGNED,
  requested_at: '2030-01-31T12:00:00Z',
}

const answering = (...answers: unknown[]): Answer => {
  const queue = [...answers]
  return () => (queue.length > 1 ? queue.shift() : queue[0])
}

describe('erase --to', () => {
  for (const to of [TO, 'ann@example.com']) {
    test(`waits for the erasure of ${to.includes('@') ? 'an email address' : 'a phone number'} and prints the receipt`, async () => {
      await using gateway = await openTestGateway(answering(RUNNING, RUNNING, RUNNING, DONE))
      const { code, out, err } = await run(['erase', '--to', to], gateway)
      assert.deepEqual([code, JSON.parse(out), err], [0, SIGNED, '3 messages erased\n'])
      const [first, ...polls] = gateway.requests
      assert.deepEqual([first?.method, first?.path, first?.body], ['POST', '/v1/erasures', { to }])
      assert.deepEqual(
        polls.map(({ method, path }) => `${method} ${path}`),
        Array(3).fill(`GET /v1/erasures/${ID}`),
      )
    })
  }

  test('fails when some messages could not be erased', async () => {
    await using gateway = await openTestGateway(answering(RUNNING, { ...DONE, failed: 2 }))
    const { code, err } = await run(['erase', '--to', TO], gateway)
    assert.deepEqual([code, err], [1, '3 messages erased, 2 failed; the receipt lists them\n'])
    assert.equal(JSON.parse((await run(['erase', '--to', TO, '--json'], gateway)).out).failed, 2)
  })

  test('rejects a wrong recipient without calling the gateway', async () => {
    await using gateway = await openTestGateway(answering(DONE))
    assert.equal((await run(['erase', '--to', 'nobody'], gateway)).code, 2)
    assert.equal(gateway.requests.length, 0)
  })
})

describe('erasures', () => {
  const verify = async (answer: unknown, ...more: string[]) => {
    await using gateway = await openTestGateway(() => answer)
    const readFile = (path: string) => (path === 'receipt.json' ? JSON.stringify(SIGNED) : '{}')
    const ran = await run(['erasures', 'verify', ...more], { ...gateway, readFile })
    return { ...ran, requests: gateway.requests }
  }

  test('verify lets the gateway check the receipt', async () => {
    const { code, out, requests } = await verify({ valid: true, recipient_matches: null }, 'receipt.json')
    assert.deepEqual([code, out], [0, 'valid: signed by this gateway and unchanged\n'])
    assert.deepEqual([requests[0]?.path, requests[0]?.body], ['/v1/erasures/verify', SIGNED])
  })

  test('verify fails for a forged receipt and for another recipient', async () => {
    const forged = await verify({ valid: false, recipient_matches: null }, 'receipt.json')
    assert.deepEqual([forged.code, forged.out.startsWith('invalid')], [1, true])
    const other = await verify({ valid: true, recipient_matches: false }, 'receipt.json', '--to', TO)
    assert.deepEqual([other.code, other.out], [1, 'valid, but for another recipient\n'])
    assert.deepEqual(other.requests[0]?.body, { ...SIGNED, to: TO })
    const none = await verify({}, 'something-else.json')
    assert.deepEqual([none.code, none.requests.length], [1, 0])
  })

  test('list shows the progress of each erasure', async () => {
    await using gateway = await openTestGateway(() => ({ items: [DONE], next_cursor: null }))
    const { out } = await run(['erasures', 'list'], gateway)
    assert.equal(out, `2030-01-31T12:00:00Z  ${ID}  completed  3 erased, 0 failed\n`)
    await using empty = await openTestGateway(() => ({ items: [], next_cursor: null }))
    assert.equal((await run(['erasures', 'list'], empty)).out, 'no erasures\n')
  })
})
