import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { parseProviderName } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { CallbackRequest, Provider } from '../../ports/provider.ts'
import type { ReceiptForwarding } from '../../ports/receipt-forwarding.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
type Fixture = Awaited<ReturnType<typeof openFixture>>
const SIGNED = { 'content-type': 'application/json', 'x-signature': 'true' }

async function sendOne(api: Fixture): Promise<string> {
  const id = (await (await api.caller())('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' })).json().request_id
  await api.happen(id, { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' })
  return id
}

const receipt = (id: string, state: string, reportId = state): object => ({
  ref: { messageId: id, cycle: 1, attempt: 1 },
  providerMessageId: 'p1',
  state,
  reportId,
})

const post = (api: Fixture, url: string, payload: string | Buffer, headers: Record<string, string>) =>
  api.app.inject({ method: 'POST', url, payload, headers })

for (const url of ['/v1/callbacks/fake', '/v1/sms/webhook']) {
  test(`a report to ${url} is answered after it is stored, also when repeated`, async () => {
    await using api = await openFixture(world)
    const id = await sendOne(api)
    const body = JSON.stringify([receipt(id, 'accepted'), receipt(id, 'delivered')])
    for (const _ of ['once', 'twice']) {
      const answer = await post(api, url, body, SIGNED)
      assert.deepEqual([answer.statusCode, answer.json()], [200, { received: 2 }])
      const { status, events } = (await (await api.caller())('GET', `/v1/sms/${id}`)).json()
      assert.equal(status, 'delivered')
      assert.deepEqual(
        events.map((event: { event_type: string }) => event.event_type),
        ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted', 'ProviderAccepted', 'ProviderDelivered'],
      )
    }
  })

  test(`S1-P16 an unsigned callback to ${url} is 401 and changes nothing`, async () => {
    await using api = await openFixture(world)
    const id = await sendOne(api)
    const before = await api.deps.log.tip()
    const signature = fc.option(fc.stringMatching(/^[a-z]{0,8}$/), { nil: undefined })
    const type = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain', undefined)
    await fc.assert(
      fc.asyncProperty(signature, type, fc.uint8Array({ maxLength: 50 }), async (signed, contentType, noise) => {
        fc.pre(signed !== 'true')
        const body =
          noise.length % 2 === 0 ? Buffer.from(noise) : Buffer.from(JSON.stringify([receipt(id, 'delivered')]))
        const answer = await post(api, url, body, omitUndefined({ 'x-signature': signed, 'content-type': contentType }))
        assert.equal(answer.statusCode, 401)
        assert.equal(await api.deps.log.tip(), before)
      }),
    )
    assert.ok(api.lines.some(({ msg }) => msg === 'callback refused: signature not valid'))
  })
}

test('a callback that names a worker is passed on to it', async () => {
  const forwarded: string[] = []
  const receiptForwarding: ReceiptForwarding = {
    serve: () => ({ [Symbol.asyncDispose]: async () => undefined }),
    forward: async (worker, { reportId }) => {
      forwarded.push(`${worker} ${reportId}`)
      return 'applied'
    },
  }
  await using api = await openFixture(world, { receiptForwarding })
  const id = await sendOne(api)
  const body = JSON.stringify([receipt(id, 'accepted'), receipt(id, 'delivered')])
  for (const url of ['/v1/callbacks/fake', '/v1/sms/webhook']) {
    assert.deepEqual((await post(api, `${url}?worker=c0ffee`, body, SIGNED)).json(), { received: 2 })
    assert.deepEqual(forwarded.splice(0), ['c0ffee accepted', 'c0ffee delivered'])
  }
  await post(api, '/v1/callbacks/fake', body, SIGNED)
  assert.deepEqual(forwarded, [])
  assert.equal((await (await api.caller())('GET', `/v1/sms/${id}`)).json().status, 'delivered')
})

test('the provider gets the raw bytes, the headers and the URL', async () => {
  const seen: CallbackRequest[] = []
  const name = parseProviderName('witness')
  assert.ok(name)
  const witness: Provider = {
    name,
    capabilities: { channels: ['sms'], reports: 'callback' },
    send: async () => ({ kind: 'accepted', providerMessageId: 'p' }),
    readCallback: async (request) => {
      seen.push(request)
      return []
    },
  }
  await using api = await openFixture(world, { providers: new Map([[name, witness]]) })
  const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x22])
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-one': '1' }
  assert.equal((await post(api, '/v1/callbacks/witness?a=b%20c', bytes, headers)).statusCode, 200)
  const [request] = seen
  assert.ok(request)
  assert.deepEqual(Buffer.from(request.body), bytes)
  assert.equal(request.method, 'POST')
  assert.equal(request.url, 'https://pombo.example/v1/callbacks/witness?a=b%20c')
  assert.equal(request.headers.get('x-one'), '1')
})

test('a report by GET is verified like any other', async () => {
  const seen: CallbackRequest[] = []
  const name = parseProviderName('caller')
  assert.ok(name)
  const caller: Provider = {
    name,
    capabilities: { channels: ['sms'], reports: 'callback' },
    send: async () => ({ kind: 'accepted', providerMessageId: 'p' }),
    readCallback: async (request) => {
      seen.push(request)
      return request.url.includes('signed') ? [] : 'forged'
    },
  }
  const publicUrl = 'https://pombo.example/'
  await using api = await openFixture(world, { providers: new Map([[name, caller]]), publicUrl })
  const get = async (query: string) =>
    (await api.app.inject({ method: 'GET', url: `/v1/callbacks/caller?${query}` })).statusCode
  assert.deepEqual([await get('signed=2019-01-11T09:17:11+00:00'), await get('x')], [200, 401])
  const [request] = seen
  assert.deepEqual([request?.method, request?.body.length], ['GET', 0])
  assert.equal(request?.url, 'https://pombo.example/v1/callbacks/caller?signed=2019-01-11T09:17:11+00:00')
  assert.equal((await api.app.inject({ method: 'GET', url: '/v1/callbacks/nobody' })).statusCode, 404)
})

test('accepts and logs a report that matches no message', async () => {
  await using api = await openFixture(world)
  const body = JSON.stringify([receipt('00000000-0000-4000-8000-000000000000', 'delivered')])
  assert.equal((await post(api, '/v1/callbacks/fake', body, SIGNED)).statusCode, 200)
  assert.ok(api.lines.some(({ msg }) => msg === 'delivery report matches no message'))
})

test('a callback of one provider changes nothing about the attempts of another', async () => {
  await using fixture = await openFixture(world)
  const [fake] = fixture.deps.providers.values()
  assert.ok(fake !== undefined)
  const other: Provider = { ...fake, name: parseProviderName('other') ?? fake.name }
  // Before the provider of the attempt, with the same credentials.
  const providers = new Map([other, fake].map((provider) => [provider.name, provider]))
  await using api = await openFixture(world, { providers })
  const id = await sendOne(api)
  const body = JSON.stringify([receipt(id, 'delivered')])
  const statusAfter = async (url: string): Promise<string> => {
    assert.equal((await post(api, url, body, SIGNED)).statusCode, 200)
    return (await (await api.caller())('GET', `/v1/sms/${id}`)).json().status
  }
  assert.equal(await statusAfter('/v1/callbacks/other'), 'sending')
  assert.ok(api.lines.some(({ msg }) => msg === 'delivery report matches no message'))
  assert.equal(await statusAfter('/v1/sms/webhook'), 'delivered')
})

test('reports to the metrics whether a callback was applied, forged or about no message', async () => {
  const seen: string[] = []
  const nothing = () => undefined
  const others = { onAccepted: nothing, onCodeStarted: nothing, onChecked: nothing, onRequestAnswered: nothing }
  const observe = { ...others, onCallback: (provider: string, result: string) => seen.push(`${provider} ${result}`) }
  await using api = await openFixture(world, { observe })
  const id = await sendOne(api)
  const url = '/v1/callbacks/fake'
  await post(api, url, JSON.stringify([receipt(id, 'delivered')]), SIGNED)
  await post(api, url, JSON.stringify([receipt(id, 'delivered')]), { 'content-type': 'application/json' })
  await post(
    api,
    url,
    JSON.stringify([{ ...receipt(id, 'delivered'), ref: { messageId: id, cycle: 7, attempt: 9 } }]),
    SIGNED,
  )
  assert.deepEqual(seen, ['fake accepted', 'fake forged', 'fake unmatched'])
})
