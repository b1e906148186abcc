import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { createKey } from '../access/api-keys.fixture.ts'
import { FULL, openFixture } from '../server.fixture.ts'
import { ACCOUNT, basic, errorOf, type Form, MESSAGES, SERVICE, twilioCaller } from './twilio.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const SMS = { To: '+5511987654321', Body: 'Hi' }

async function open() {
  const api = await openFixture(world)
  const get = async (headers: Form, url = `${MESSAGES}.json`) => api.app.inject({ method: 'GET', url, headers })
  return { api, get, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

test('an API key or a token is the auth token of its account', async () => {
  await using opened = await open()
  const { api, get } = opened
  const { key } = await createKey(await api.caller({ scope: 'admin' }), { scopes: ['messages:read'] })
  for (const secret of [key, await api.token()]) {
    assert.equal((await get(basic(ACCOUNT, secret))).statusCode, 200)
    assert.equal((await get(basic(`SK${'a'.repeat(32)}`, secret))).statusCode, 200)
    for (const user of ['', `AC${'0'.repeat(32)}`, ACCOUNT.toUpperCase(), 'SK1', `${ACCOUNT}x`]) {
      assert.deepEqual(errorOf(await get(basic(user, secret))), [401, 20003], user)
    }
  }
})

test('wrong, other and missing credentials are refused as Twilio refuses them', async () => {
  await using opened = await open()
  const { api, get } = opened
  const token = await api.token()
  const cookie = { cookie: `pombo_session=${token}` }
  for (const headers of [{}, cookie, { authorization: `Bearer ${token}` }, { authorization: 'Basic ???' }]) {
    const answer = await get(headers as Form)
    assert.deepEqual(errorOf(answer), [401, 20003])
    assert.equal(answer.headers['www-authenticate'], 'Basic realm="Pombo"')
  }
  assert.deepEqual(errorOf(await get(basic(ACCOUNT, 'pk_live_nobody'))), [401, 20003])
  assert.deepEqual(errorOf(await get(basic(ACCOUNT, ''))), [401, 20003])
})

test('the path must name the account of the caller', async () => {
  await using opened = await open()
  const { api, get } = opened
  const credentials = basic(ACCOUNT, await api.token())
  const other = MESSAGES.replace(ACCOUNT, `AC${'0'.repeat(32)}`)
  const answer = await get(credentials, `${other}.json`)
  assert.deepEqual(errorOf(answer), [404, 20404])
  assert.equal(answer.json().message, `The requested resource ${other}.json was not found`)
  const account = await get(credentials, `/2010-04-01/Accounts/${ACCOUNT}.json`)
  assert.deepEqual([account.json().sid, account.json().status], [ACCOUNT, 'active'])
})

test('a test key has an account of its own', async () => {
  await using opened = await open()
  const { api, get } = opened
  const { key } = await createKey(await api.caller({ scope: 'admin' }), { scopes: ['messages:read'], mode: 'test' })
  assert.deepEqual(errorOf(await get(basic(ACCOUNT, key))), [401, 20003])
  const { twilio_account_sid: sid } = (await (await api.caller({ scope: 'admin' }))('GET', '/v1/api-keys')).json()
    .items[0]
  assert.notEqual(sid, ACCOUNT)
  assert.equal((await get(basic(sid, key), `/2010-04-01/Accounts/${sid}/Messages.json`)).statusCode, 200)
})

test('every route needs its scope', async () => {
  await using opened = await open()
  const { api } = opened
  const sent = (await (await twilioCaller(api))('POST', `${MESSAGES}.json`, SMS)).json()
  const one = `${MESSAGES}/${sent.sid}.json`
  const verification = `${SERVICE}/Verifications/VE${'0'.repeat(32)}`
  const routes = [
    ['POST', `${MESSAGES}.json`, 'sms:send'],
    ['GET', `${MESSAGES}.json`, 'messages:read'],
    ['GET', one, 'messages:read'],
    ['POST', one, 'messages:write'],
    ['DELETE', one, 'messages:write'],
    ['POST', `${SERVICE}/Verifications`, 'otp'],
    ['POST', `${SERVICE}/VerificationCheck`, 'otp'],
    ['GET', verification, 'otp'],
    ['POST', verification, 'otp'],
  ] as const
  for (const scope of FULL.scope.split(' ')) {
    const call = await twilioCaller(api, scope)
    for (const [method, url, needs] of routes) {
      const { statusCode } = await call(method, url, method === 'POST' ? {} : undefined)
      assert.equal(statusCode === 403, scope !== needs, `${method} ${url} with ${scope}: ${statusCode}`)
    }
  }
})

test('only these routes take forms, and they take nothing else', async () => {
  await using opened = await open()
  const { api } = opened
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  assert.equal((await (await api.caller())('POST', '/v1/sms/send', 'to=%2B5511987654321', form)).statusCode, 415)
  const call = await twilioCaller(api)
  const json = await call('POST', `${MESSAGES}.json`, {}, { 'content-type': 'application/json' })
  assert.deepEqual(errorOf(json), [415, 20415])
})

test('what is not served has the error of Twilio, and other paths have ours', async () => {
  await using opened = await open()
  const call = await twilioCaller(opened.api)
  for (const [method, url] of [
    ['GET', `/2010-04-01/Accounts/${ACCOUNT}/Calls.json`],
    ['POST', `${MESSAGES}/SM${'0'.repeat(32)}/Feedback.json`],
    ['GET', `${SERVICE}/RateLimits`],
    ['GET', `${MESSAGES}/SM1.json`],
    ['GET', `${MESSAGES}/MM${'0'.repeat(32)}.json`],
  ] as const) {
    assert.deepEqual(errorOf(await call(method, url)), [404, 20404], url)
  }
  assert.equal((await call('GET', '/v2/nothing')).json().error_code, 'NOT_FOUND')
})

test('no error repeats a credential', async () => {
  await using opened = await open()
  const { api, get } = opened
  const secret = `pk_live_8f3k1x0q7zab_${'S'.repeat(40)}`
  const answer = await get(basic(ACCOUNT, secret), `/2010-04-01/Accounts/${secret}/Messages.json`)
  assert.ok(!answer.body.includes('SSSS'))
  assert.ok(!JSON.stringify(api.lines).includes('SSSS'))
})
