/** What an operator decides about tenants, through a running gateway that serves only tenants it knows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MESSAGEBIRD } from '../support/fake-messagebird.ts'
import type { Gateway } from '../support/gateway.ts'
import type { SharedGateway, ShareGateway } from '../support/shared-gateway.ts'
import { post, send, show, someSms, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

/** Nothing listens here. */
const NOWHERE = { ...MESSAGEBIRD, base_url: 'http://127.0.0.1:1', callbacks: false }

const CONFIG = {
  providers: [
    { name: 'real', kind: 'messagebird', settings: NOWHERE },
    { name: 'alpha', kind: 'simulator' },
    { name: 'beta', kind: 'simulator' },
    { name: 'reserved', kind: 'simulator', tenants: ['filed'] },
  ],
  routes: [
    { id: 'filed', channel: 'sms', providers: ['alpha'] },
    { id: 'live', channel: 'sms', sender: 'Live', providers: ['real'] },
    { id: 'best', channel: 'sms', sender: 'Best', providers: ['reserved', 'alpha'] },
  ],
  tenants: { filed: { name: 'Filed', providers: ['beta', 'reserved'] } },
}

type Lanes = Readonly<{ lanes: readonly Readonly<{ parked: number }>[] }>
type Problem = Readonly<{ error_code: string; detail: string }>

/** Calls that must succeed. */
async function must(by: Gateway, ...call: Parameters<Gateway['call']>): Promise<void> {
  const { status, text } = await by.call(...call)
  assert.ok(status < 300, text)
}

const codeOf = async (by: Gateway, ...call: Parameters<Gateway['call']>) => {
  const { status, body } = await by.call<Problem>(...call)
  return [status, body.error_code]
}

/** The same caller with a header in every call. */
const withHeader = (by: SharedGateway, name: string, value: string): SharedGateway => ({
  ...by,
  call: (method, path, body, headers = {}) => by.call(method, path, body, { ...headers, [name]: value }),
})

export async function tenantsContract(share: ShareGateway): Promise<void> {
  const operator = await share({ config: CONFIG, env: { POMBO_TENANTS: 'known' } })
  const acme = await operator.of('acme')

  test('a tenant is served from the moment an operator creates it, or if the file has it', async () => {
    assert.deepEqual(await codeOf(acme, 'GET', '/v1/messages'), [403, 'TENANT_UNKNOWN'])
    assert.deepEqual(await codeOf(acme, 'POST', '/v1/sms/send', someSms()), [403, 'TENANT_UNKNOWN'])
    assert.deepEqual(await codeOf(acme, 'POST', '/v1/tenants', { id: 'acme' }), [403, 'TENANT_UNKNOWN'])
    await must(operator, 'POST', '/v1/tenants', { id: 'acme', name: 'Acme' })
    await untilStatus(acme, await send(acme), 'delivered')
    assert.equal((await (await operator.of('filed')).call('GET', '/v1/messages')).status, 200)
    assert.deepEqual(await codeOf(acme, 'POST', '/v1/tenants', { id: 'more' }), [403, 'FORBIDDEN'])
    const { body } = await operator.call<{ items: readonly { id: string; source: string }[] }>('GET', '/v1/tenants')
    assert.deepEqual(
      body.items.map(({ id, source }) => [id, source]),
      [
        ['acme', 'api'],
        ['filed', 'file'],
      ],
    )
  })

  test('a suspended tenant cannot call, its waiting messages are not sent, and a replay sends them later', async () => {
    await must(operator, 'POST', '/v1/providers/alpha/breaker', { action: 'trip', seconds: 600 })
    const id = await send(acme)
    await until('the message to be parked', async () => {
      const { body } = await acme.call<Lanes>('GET', '/v1/queue')
      return body.lanes.reduce((sum, { parked }) => sum + parked, 0) === 1
    })
    await must(operator, 'PATCH', '/v1/tenants/acme', { state: 'suspended' })
    assert.deepEqual(await codeOf(acme, 'GET', '/v1/messages'), [403, 'TENANT_SUSPENDED'])
    const tester = withHeader(acme, 'pombo-mode', 'test')
    assert.deepEqual(await codeOf(tester, 'POST', '/v1/sms/send', someSms()), [403, 'TENANT_SUSPENDED'])
    await must(operator, 'POST', '/v1/providers/alpha/breaker', { action: 'reset' })

    const acting = withHeader(operator, 'pombo-tenant', 'acme')
    const failed = await untilStatus(acting, id, 'failed')
    assert.deepEqual([failed.error_code, failed.attempts], ['TENANT_SUSPENDED', 0])
    assert.deepEqual(await codeOf(acting, 'POST', '/v1/sms/send', someSms()), [403, 'TENANT_SUSPENDED'])
    await must(operator, 'PATCH', '/v1/tenants/acme', { state: 'active' })
    await must(acme, 'POST', `/v1/dead-letters/${id}/replay`)
    assert.equal((await untilStatus(acme, id, 'delivered')).provider, 'alpha')
  })

  test('messages take only providers that the tenant may use, and its routes name no others', async () => {
    await must(operator, 'PATCH', '/v1/tenants/acme', { providers: ['beta'] })
    assert.deepEqual(await codeOf(acme, 'POST', '/v1/sms/send', someSms()), [422, 'NO_ROUTE_FOUND'])
    const { body } = await acme.call<{ items: readonly { name: string }[] }>('GET', '/v1/providers')
    assert.deepEqual(
      body.items.map(({ name }) => name),
      ['beta'],
    )
    const route = { id: 'mine', channel: 'sms', sender: 'Mine' }
    const refused = await acme.call<Problem>('POST', '/v1/routes', { ...route, providers: ['beta', 'alpha'] })
    assert.deepEqual([refused.status, refused.body.error_code], [400, 'VALIDATION_ERROR'])
    assert.match(refused.body.detail, /^\/providers\/1 is not allowed for this tenant; choose among beta/)
    await must(acme, 'POST', '/v1/routes', { ...route, providers: ['beta'] })
    const sent = await untilStatus(acme, await send(acme, { sender_id: 'Mine' }), 'delivered')
    assert.deepEqual([sent.route_id, sent.provider], ['mine', 'beta'])
    await must(operator, 'PATCH', '/v1/tenants/acme', { providers: null })
  })

  test('a reserved provider carries the messages of its tenants only', async () => {
    const filed = await operator.of('filed')
    const providerOf = async (by: Gateway) =>
      (await untilStatus(by, await send(by, { sender_id: 'Best' }), 'delivered')).provider
    assert.deepEqual([await providerOf(filed), await providerOf(acme)], ['reserved', 'alpha'])
    const listed = async (by: Gateway) => {
      const { body } = await by.call<{ items: readonly { name: string }[] }>('GET', '/v1/providers')
      return body.items.map(({ name }) => name)
    }
    assert.deepEqual(await listed(filed), ['beta', 'reserved'])
    assert.deepEqual(await listed(acme), ['real', 'alpha', 'beta'])
    const route = { id: 'theirs', channel: 'sms', sender: 'Theirs', providers: ['reserved'] }
    assert.deepEqual(await codeOf(acme, 'POST', '/v1/routes', route), [400, 'VALIDATION_ERROR'])
  })

  test('test mode reaches only the simulator, whatever the routes say, and its messages are apart', async () => {
    const tester = withHeader(acme, 'pombo-mode', 'test')
    const sms = someSms({ sender_id: 'Live' })
    const [live, tested] = [await post(acme, sms), await post(tester, sms)]
    assert.deepEqual([live.status, tested.status], [202, 202])
    const [liveId, testId] = [live.body.request_id, tested.body.request_id]
    assert.notEqual(liveId, testId)
    const delivered = await untilStatus(tester, testId, 'delivered')
    assert.deepEqual([delivered.route_id, delivered.provider], ['test', 'alpha'])
    const attempted = await until('the attempt by the other provider', async () => {
      const message = await show(acme, liveId)
      return message.attempts > 0 && message
    })
    assert.deepEqual([attempted.route_id, attempted.provider], ['live', 'real'])
    assert.equal((await acme.call('GET', `/v1/messages/${testId}`)).status, 404)
    assert.equal((await tester.call('GET', `/v1/messages/${liveId}`)).status, 404)
  })

  test('readiness says what is wrong only to an operator', async () => {
    const ready = await operator.call<{ dependencies: object }>('GET', '/health/ready')
    const open = await fetch(`${operator.url}/health/ready`)
    assert.deepEqual([ready.status, open.status], [200, 200])
    assert.ok(!(await open.text()).includes('detail'))
  })
}
