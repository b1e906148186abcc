import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { CODE, openFixture } from '../server.fixture.ts'
import { ACCOUNT, errorOf, type Form, SERVICE, twilioCaller } from './twilio.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const START = `${SERVICE}/Verifications`
const CHECK = `${SERVICE}/VerificationCheck`
const TO = '+5511987654321'

async function open() {
  const api = await openFixture(world)
  const call = await twilioCaller(api, 'otp')
  const start = async (form: Form = {}) => (await call('POST', START, { To: TO, Channel: 'sms', ...form })).json()
  const check = (form: Form) => call('POST', CHECK, form)
  return { api, call, start, check, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

const toId = (sid: string): string => sid.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')

test('a verification has the fields of Twilio, and is shown with its recipient masked', async () => {
  await using opened = await open()
  const started = await opened.start()
  const [at, service] = ['2030-01-31T12:00:00Z', SERVICE.split('/').at(-1)]
  const { sid } = started
  const expected = {
    sid,
    service_sid: service,
    account_sid: ACCOUNT,
    to: TO,
    channel: 'sms',
    status: 'pending',
    valid: false,
    amount: null,
    payee: null,
    date_created: at,
    date_updated: at,
    lookup: { carrier: null },
    send_code_attempts: [{ time: at, channel: 'sms', attempt_sid: `VL${sid.slice(2)}` }],
    sna: null,
    url: `https://pombo.example${START}/${sid}`,
  }
  assert.deepEqual(started, expected)
  assert.deepEqual((await opened.call('GET', `${START}/${sid}`)).json(), { ...expected, to: '+*******4321' })
})

test('lasts ten minutes', async () => {
  await using opened = await open()
  const { sid } = await opened.start()
  opened.api.pass(seconds(599))
  assert.equal((await opened.check({ To: TO, Code: '000000' })).json().status, 'pending')
  opened.api.pass(seconds(1))
  assert.deepEqual(errorOf(await opened.check({ To: TO, Code: CODE })), [404, 20404])
  assert.equal((await opened.call('GET', `${START}/${sid}`)).json().status, 'expired')
})

test('is approved once, by its recipient or its sid', async () => {
  await using opened = await open()
  for (const named of ['To', 'VerificationSid']) {
    const { sid } = await opened.start()
    const approved = await opened.check({ Code: CODE, [named]: named === 'To' ? TO : sid })
    assert.deepEqual([approved.statusCode, approved.json().status, approved.json().valid], [201, 'approved', true])
    assert.equal(approved.json().to, named === 'To' ? TO : '+*******4321')
    assert.deepEqual(errorOf(await opened.check({ Code: CODE, VerificationSid: sid })), [404, 20404])
  }
})

test('a mailbox is found however it is spelt, and by its own service only', async () => {
  await using opened = await open()
  await opened.start({ To: 'Ann@Acme.example', Channel: 'email' })
  const other = CHECK.replace(/0\//, '1/')
  assert.deepEqual(errorOf(await opened.call('POST', other, { To: 'ann@acme.example', Code: CODE })), [404, 20404])
  const approved = await opened.check({ To: 'ann@acme.example', Code: CODE })
  assert.deepEqual([approved.json().status, approved.json().channel], ['approved', 'email'])
})

test('a code of another length is wrong, and takes no attempt', async () => {
  await using opened = await open()
  await opened.start()
  for (let count = 0; count < 9; count += 1) {
    assert.equal((await opened.check({ To: TO, Code: '12345' })).json().status, 'pending')
  }
  for (const code of ['', '123', '12345678901', '12 456']) {
    assert.deepEqual(errorOf(await opened.check({ To: TO, Code: code })), [400, 60200], code)
  }
  assert.equal((await opened.check({ To: TO, Code: CODE })).json().status, 'approved')
})

test('guesses are limited together with those of our own API', async () => {
  await using opened = await open()
  const statuses = new Set<number>()
  for (let count = 0; count < 120; count += 1) {
    statuses.add((await opened.check({ To: TO, Code: '123456' })).statusCode)
  }
  assert.deepEqual([...statuses], [404, 429])
  const own = { challenge_id: '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11', code: '123456' }
  assert.equal((await (await opened.api.caller())('POST', '/v1/otp/validate', own)).statusCode, 429)
})

test('one idempotency key starts one verification', async () => {
  await using opened = await open()
  const post = () => opened.call('POST', START, { To: TO, Channel: 'sms' }, { 'idempotency-key': 'login-1' })
  assert.equal((await post()).json().sid, (await post()).json().sid)
  assert.notEqual((await opened.start()).sid, (await opened.start()).sid)
})

test('a recipient gets a limited number of codes', async () => {
  await using opened = await open()
  for (let count = 0; count < 5; count += 1) await opened.start()
  const answer = await opened.call('POST', START, { To: TO, Channel: 'sms' })
  assert.deepEqual(errorOf(answer), [429, 60203])
  assert.ok(Number(answer.headers['retry-after']) > 0)
})

test('a verification is canceled or approved by hand once', async () => {
  await using opened = await open()
  for (const status of ['canceled', 'approved']) {
    const { sid } = await opened.start()
    const url = `${START}/${sid}`
    for (const bad of ['', 'pending', 'constructor']) {
      assert.deepEqual(errorOf(await opened.call('POST', url, { Status: bad })), [400, 60200])
    }
    const changed = (await opened.call('POST', url, { Status: status })).json()
    assert.deepEqual([changed.status, changed.valid], [status, status === 'approved'])
    assert.deepEqual(errorOf(await opened.call('POST', url, { Status: 'approved' })), [404, 20404])
    assert.deepEqual(errorOf(await opened.check({ VerificationSid: sid, Code: CODE })), [404, 20404])
  }
})

test('a challenge that was canceled is over for our own API too', async () => {
  await using opened = await open()
  const { sid } = await opened.start()
  await opened.call('POST', `${START}/${sid}`, { Status: 'canceled' })
  const id = toId(sid)
  const checked = await (await opened.api.caller())('POST', '/v1/otp/validate', { challenge_id: id, code: CODE })
  assert.deepEqual([checked.json().valid, checked.json().status], [false, 'canceled'])
})

test('what is not supported is refused, with the code of Twilio', async () => {
  await using opened = await open()
  for (const form of [
    { To: 'nobody' },
    { To: 'ann@acme.example' },
    { Channel: 'call' },
    { Channel: '' },
    { CustomCode: '1234' },
    { CustomMessage: 'Hi' },
    { RateLimits: '{}' },
    { CodeLength: '3' },
    { CodeLength: '11' },
    { CodeLength: 'six' },
    { Locale: 'x' },
    { CustomFriendlyName: 'x'.repeat(41) },
  ]) {
    const answer = await opened.call('POST', START, { To: TO, Channel: 'sms', ...form } as Form)
    assert.deepEqual(errorOf(answer), [400, 60200], JSON.stringify(form))
    assert.ok(!answer.body.includes('nobody') && !answer.body.includes('ann@'))
  }
  assert.equal((await opened.start({ CodeLength: '6' })).status, 'pending')
  assert.deepEqual(errorOf(await opened.check({ Code: CODE })), [400, 60200])
})

test('CodeLength sets the length of the code, and a code of another length takes no check', async () => {
  await using opened = await open()
  const { sid } = await opened.start({ CodeLength: '4' })
  const challenge = await opened.api.deps.challenges.find({ tenantId: 'acme', id: toId(sid) } as never)
  assert.deepEqual([challenge?.shape, challenge?.maxAttempts], [{ length: 4, alphabet: 'numeric' }, 5])
  // The fixture sends the same six digits in any case.
  assert.equal((await opened.check({ VerificationSid: sid, Code: CODE })).json().status, 'pending')
  const after = await opened.api.deps.challenges.find({ tenantId: 'acme', id: toId(sid) } as never)
  assert.equal(after?.attempts, 0)
})

test('another tenant does not find a verification', async () => {
  await using opened = await open()
  const { sid } = await opened.start()
  const token = await opened.api.token({ tenant_id: 'other', scope: 'otp' })
  const authorization = `Basic ${Buffer.from(`SK${'0'.repeat(32)}:${token}`).toString('base64')}`
  const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  for (const payload of [`VerificationSid=${sid}&Code=${CODE}`, `To=%2B5511987654321&Code=${CODE}`]) {
    assert.equal((await opened.api.app.inject({ method: 'POST', url: CHECK, headers, payload })).statusCode, 404)
  }
})
