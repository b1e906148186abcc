import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId } from '../../domain/ids.ts'
import { parseSid } from '../../domain/twilio/sids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { signFrom } from '../../lib/hmac-sha1.ts'
import { seconds } from '../../lib/time.ts'
import { FULL, openFixture } from '../server.fixture.ts'
import { ACCOUNT, basic, errorOf, type Form, MESSAGES, twilioCaller } from './twilio.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const ALL = `${MESSAGES}.json`
const SMS = { To: '+5511987654321', Body: 'Your parcel is on its way.' }

async function open(scope = `${FULL.scope} content:read`) {
  const api = await openFixture(world)
  const call = await twilioCaller(api, scope)
  const send = async (form: Form = {}) => (await call('POST', ALL, { ...SMS, ...form })).json()
  const contentOf = async (sid: string) => (await api.deps.log.load(parseSid('SM', sid) as MessageId))?.content
  return { api, call, send, contentOf, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

test('a message has the fields of Twilio', async () => {
  await using opened = await open()
  const sent = await opened.send({ From: 'Acme' })
  const at = 'Thu, 31 Jan 2030 12:00:00 +0000'
  const { sid, account_sid: account } = sent
  assert.deepEqual(sent, {
    sid,
    account_sid: account,
    messaging_service_sid: null,
    to: SMS.To,
    from: 'Acme',
    body: SMS.Body,
    status: 'queued',
    num_segments: '1',
    num_media: '0',
    direction: 'outbound-api',
    api_version: '2010-04-01',
    price: null,
    price_unit: null,
    error_code: null,
    error_message: null,
    date_created: at,
    date_updated: at,
    date_sent: null,
    uri: `${MESSAGES}/${sid}.json`,
    subresource_uris: { media: `${MESSAGES}/${sid}/Media.json` },
  })
  assert.deepEqual((await opened.call('GET', sent.uri)).json(), sent)
  assert.deepEqual((await opened.call('GET', sent.uri.replace('.json', ''))).json(), sent)
})

test('the period of validity ends at its deadline; unknown parameters change nothing', async () => {
  await using opened = await open()
  const { sid } = await opened.send({ ValidityPeriod: '60', ProvideFeedback: 'true', ForceDelivery: 'false' })
  const content = await opened.contentOf(sid)
  assert.equal(content?.expiresAt, Date.parse('2030-01-31T12:01:00Z'))
  assert.equal(content?.twilio?.validityPeriod, 60)
})

test('what signs callbacks is stored only with a callback, and is not the auth token', async () => {
  await using opened = await open()
  assert.equal((await opened.contentOf((await opened.send()).sid))?.twilio?.signing, undefined)
  const { sid } = await opened.send({ StatusCallback: 'https://shop.example/status?a=b#rc=5' })
  const content = await opened.contentOf(sid)
  assert.equal(content?.callbackUrl, 'https://shop.example/status?a=b')
  const { signing = '' } = content?.twilio ?? {}
  assert.match(signFrom(signing, 'text'), /^[\w+/]{27}=$/)
  assert.ok(!JSON.stringify(content).includes(await opened.api.token()))
})

test('one key sends once, whenever it is repeated; without a key each call sends', async () => {
  await using opened = await open()
  const { api, call } = opened
  const post = (form: Form, key: string) => call('POST', ALL, { ...SMS, ...form }, { 'idempotency-key': key })
  const form = { ValidityPeriod: '600', StatusCallback: 'https://shop.example/' }
  const first = await post(form, 'order-1')
  api.pass(seconds(60))
  const again = await post(form, 'order-1')
  assert.deepEqual([again.statusCode, again.body, again.headers['idempotent-replayed']], [201, first.body, 'true'])
  assert.deepEqual(errorOf(await post({ ...form, Body: 'Other' }, 'order-1')), [409, 20409])
  assert.deepEqual(errorOf(await post(form, '')), [400, 20422])
  assert.notEqual((await opened.send()).sid, (await opened.send()).sid)
})

test('every problem has the code of Twilio, and repeats neither recipient nor text', async () => {
  await using opened = await open()
  const cases: readonly (readonly [Form, number])[] = [
    [{ To: '' }, 21604],
    [{ To: 'whatsapp:+5511987654321' }, 21211],
    [{ To: '11987654321', Body: '' }, 21211],
    [{ Body: '' }, 21602],
    [{ Body: 'x'.repeat(1601) }, 21617],
    [{ Body: 'a\0b' }, 21617],
    [{ From: 'an alphanumeric sender that is far too long' }, 21212],
    [{ MessagingServiceSid: 'MG1' }, 21705],
    [{ StatusCallback: 'ftp://shop.example/' }, 21609],
    [{ StatusCallback: 'https://user:secret@shop.example/' }, 21609],
    [{ MediaUrl: 'https://shop.example/a.png' }, 21620],
    [{ SendAt: '2030-02-01T00:00:00Z', ScheduleType: 'fixed' }, 35114],
    [{ ContentSid: `HX${'0'.repeat(32)}` }, 20422],
    [{ ValidityPeriod: '0' }, 20422],
    [{ ValidityPeriod: '36001' }, 20422],
    [{ ValidityPeriod: '1.5' }, 20422],
  ]
  for (const [form, code] of cases) {
    const answer = await opened.call('POST', ALL, { ...SMS, ...form })
    assert.deepEqual(errorOf(answer), [400, code], JSON.stringify(form))
    const { more_info: link, message } = answer.json()
    assert.equal(link, `https://www.twilio.com/docs/errors/${code}`)
    for (const secret of ['987654321', 'parcel', 'secret']) assert.ok(!message.includes(secret), message)
  }
})

test('a body that is no UTF-8, or too large, is refused', async () => {
  await using opened = await open()
  const large = await opened.call('POST', ALL, { ...SMS, Body: 'x'.repeat(70_000) })
  assert.deepEqual(errorOf(large), [400, 21617])
  const headers = {
    ...basic(ACCOUNT, await opened.api.token()),
    'content-type': 'application/x-www-form-urlencoded',
  }
  const payload = Buffer.from([0x42, 0x6f, 0xff])
  assert.deepEqual(errorOf(await opened.api.app.inject({ method: 'POST', url: ALL, headers, payload })), [400, 20422])
})

test('who may not read content sees a masked recipient and no text; who may is recorded', async () => {
  await using opened = await open()
  const { sid, uri } = await opened.send({ From: 'Acme' })
  const reader = await twilioCaller(opened.api, 'messages:read')
  const { to, body, from } = (await reader('GET', uri)).json()
  assert.deepEqual([to, body, from], ['+*******4321', '', 'Acme'])
  const actions = async () => (await (await opened.api.caller({ scope: 'admin' }))('GET', '/v1/audit')).json().items
  assert.equal((await actions()).length, 0)
  const shown = await opened.call('GET', uri)
  assert.deepEqual([shown.json().body, shown.headers['cache-control']], [SMS.Body, 'no-store'])
  const [entry] = await actions()
  assert.deepEqual([entry.action, entry.target.id], ['message.content_read', parseSid('SM', sid)])
})

test('a page has the size that was asked for, within bounds, and names the next', async () => {
  await using opened = await open()
  const { api, call } = opened
  for (let count = 0; count < 3; count += 1) {
    await opened.send()
    api.pass(seconds(1))
  }
  await api.project()
  const page = (await call('GET', `${ALL}?PageSize=2&To=%2B5511987654321`)).json()
  assert.deepEqual(
    [page.messages.length, page.page, page.page_size, page.start, page.end, page.previous_page_uri],
    [2, 0, 2, 0, 1, null],
  )
  assert.deepEqual([page.messages[0].body, page.messages[0].to], ['', '+*******4321'])
  assert.ok(page.next_page_uri.startsWith(`${ALL}?To=%2B5511987654321&PageSize=2&Page=1&PageToken=`))
  const next = (await call('GET', page.next_page_uri)).json()
  assert.deepEqual([next.messages.length, next.page, next.start, next.next_page_uri], [1, 1, 2, null])
  assert.equal((await call('GET', `${ALL}?PageSize=1000`)).json().page_size, 200)
  for (const query of ['PageToken=x', 'PageSize=x', 'DateSent=yesterday', 'DateSent%3E=2030-02-30']) {
    assert.deepEqual(errorOf(await call('GET', `${ALL}?${query}`)), [400, 20422], query)
  }
  assert.deepEqual(errorOf(await call('GET', `${ALL}?To=nobody`)), [400, 21211])
})

test('a list can be narrowed to days and times', async () => {
  await using opened = await open()
  const { api } = opened
  await opened.send()
  api.pass(seconds(86_400))
  // A new token: the first is no longer valid.
  const call = await twilioCaller(api)
  await call('POST', ALL, SMS)
  await api.project()
  const count = async (query: string) => (await call('GET', `${ALL}?${query}`)).json().messages.length
  assert.equal(await count('DateSent=2030-01-31'), 1)
  assert.equal(await count('DateSent=2030-02-01T23:00:00Z'), 1)
  assert.equal(await count('DateSent%3E=2030-02-01'), 1)
  assert.equal(await count('DateSent>=2030-01-31'), 2)
  assert.equal(await count('DateSent<=2030-01-31'), 1)
  assert.equal(await count('DateSent%3C=2030-02-01T12:00:00Z'), 1)
  assert.equal(await count('DateSent=2030-02-02'), 0)
})

test('another tenant does not find a message; a mail is none', async () => {
  await using opened = await open()
  const { api } = opened
  const { uri } = await opened.send()
  const token = await api.token({ tenant_id: 'other' })
  const headers = { authorization: `Basic ${Buffer.from(`SK${'0'.repeat(32)}:${token}`).toString('base64')}` }
  assert.equal((await api.app.inject({ method: 'GET', url: uri, headers })).statusCode, 404)
  const mail = { to: 'ana@acme.example', subject: 'Hi', html: '<p>Hi</p>', idempotency_key: 'm' }
  const { id } = (await (await api.caller())('POST', '/v1/email/send', mail)).json()
  assert.equal((await opened.call('GET', `${MESSAGES}/SM${id.replaceAll('-', '')}.json`)).statusCode, 404)
})

test('a message is erased once it is sent, and a change of anything else is refused', async () => {
  await using opened = await open()
  const { api, call } = opened
  const { sid, uri } = await opened.send()
  assert.deepEqual(errorOf(await call('DELETE', uri)), [409, 20009])
  assert.deepEqual(errorOf(await call('POST', uri, { Body: '' })), [409, 20009])
  assert.deepEqual(errorOf(await call('POST', uri, { Body: 'Other' })), [400, 20422])
  assert.deepEqual(errorOf(await call('POST', uri, {})), [400, 20422])
  assert.deepEqual(errorOf(await call('POST', uri, { Status: 'canceled' })), [409, 30409])
  await api.happen(String(parseSid('SM', sid)), { kind: 'HandoffFailed', code: 'INVALID_NUMBER', detail: 'none such' })
  const redacted = await call('POST', uri, { Body: '' })
  const { body, to, error_code: code } = redacted.json()
  assert.deepEqual([redacted.statusCode, body, to, code], [200, '', '', 30_005])
  assert.equal((await call('DELETE', uri)).statusCode, 204)
  assert.equal(await opened.contentOf(sid), undefined)
})
