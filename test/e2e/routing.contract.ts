/** Routes over HTTP: created, applied to the next message and shown correctly. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { MESSAGEBIRD } from '../support/fake-messagebird.ts'
import type { Gateway } from '../support/gateway.ts'
import { searchAll } from '../support/index-dump.ts'
import type { ShareGateway } from '../support/shared-gateway.ts'
import { kindsOf, send, someSms, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

type Shown = Readonly<{ id: string; source: string }>
type Resolution = Readonly<{
  route: Shown | null
  provider: string | null
  candidates: readonly Readonly<{ provider: string; chosen: boolean; reason: string }>[]
  excluded: readonly Readonly<{ id: string; reason: string }>[]
}>

/** Nothing listens here. */
const NOWHERE = { ...MESSAGEBIRD, base_url: 'http://127.0.0.1:1', callbacks: false }

const CONFIG = {
  providers: [
    { name: 'alpha', kind: 'simulator' },
    { name: 'beta', kind: 'simulator' },
    { name: 'dead', kind: 'messagebird', settings: NOWHERE },
  ],
  routes: [{ id: 'filed', channel: 'sms', providers: ['alpha'] }],
}

export async function routingContract(share: ShareGateway): Promise<void> {
  const gateway = await share({ config: CONFIG, env: { POMBO_BREAKER_FAILURES: '1' } })

  async function make(fields: object): Promise<string> {
    const route = { id: `r-${randomUUID()}`, channel: 'sms', ...fields }
    const { status, body, text } = await gateway.call<Shown>('POST', '/v1/routes', route)
    assert.equal(status, 201, text)
    return body.id
  }

  const listed = async ({ call }: Gateway): Promise<readonly string[]> =>
    (await call<{ items: readonly Shown[] }>('GET', '/v1/routes')).body.items.map(({ id, source }) => `${source} ${id}`)

  async function resolve({ call }: Gateway, fields: object): Promise<Resolution> {
    const { status, body, text } = await call<Resolution>('POST', '/v1/routes/resolve', {
      to: '+15551000000',
      ...fields,
    })
    assert.equal(status, 200, text)
    return body
  }

  /** The route and provider of a message from this sender. */
  async function carried(by: Gateway, sender: string): Promise<readonly unknown[]> {
    const message = await untilStatus(by, await send(by, { sender_id: sender }), 'delivered')
    return [message.route_id, message.provider]
  }

  test('a route, its changes and its removal apply to the next message', async () => {
    const preview = async () => {
      const { route, provider } = await resolve(gateway, { sender_id: 'Beta' })
      return [route?.id, provider]
    }
    assert.deepEqual(await carried(gateway, 'Beta'), ['filed', 'alpha'])
    const id = await make({ sender: 'Beta', providers: ['beta', 'alpha'] })
    assert.deepEqual([await preview(), await carried(gateway, 'Beta')], Array(2).fill([id, 'beta']))
    assert.equal((await gateway.call('PATCH', `/v1/routes/${id}`, { providers: ['alpha'] })).status, 200)
    assert.deepEqual([await preview(), await carried(gateway, 'Beta')], Array(2).fill([id, 'alpha']))
    assert.equal((await gateway.call('DELETE', `/v1/routes/${id}`)).status, 204)
    assert.deepEqual([await preview(), await carried(gateway, 'Beta')], Array(2).fill(['filed', 'alpha']))
  })

  test('a route applies only to its tenant, and the route of the config file to all', async () => {
    const id = await make({ sender: 'Mine', providers: ['beta'] })
    const stranger = await gateway.of('stranger')
    assert.ok((await listed(gateway)).includes(`api ${id}`))
    assert.deepEqual(await listed(stranger), ['file filed'])
    assert.equal((await stranger.call('GET', `/v1/routes/${id}`)).status, 404)
    assert.equal((await stranger.call('DELETE', `/v1/routes/${id}`)).status, 404)
    assert.deepEqual((await resolve(stranger, { sender_id: 'Mine' })).excluded, [])
    assert.deepEqual(await carried(stranger, 'Mine'), ['filed', 'alpha'])
    assert.deepEqual(await carried(gateway, 'Mine'), [id, 'beta'])
    assert.equal((await gateway.call('PATCH', '/v1/routes/filed', { providers: ['beta'] })).status, 409)
  })

  test('messages are distributed by weight, deterministically by id', async () => {
    const providers = [
      { name: 'alpha', weight: 3 },
      { name: 'beta', weight: 1 },
    ]
    const [id, tag] = [await make({ sender: 'Shared', providers }), randomUUID()]
    const items = Array.from({ length: 400 }, () => someSms({ sender_id: 'Shared', tags: [tag] }))
    assert.equal((await gateway.call('POST', '/v1/messages/batch', { items })).status, 200)
    const rows = await until(
      'all to be delivered',
      async () => {
        const found = await searchAll(gateway, { tag, status: 'delivered' })
        return found.length === items.length && found
      },
      { withinMs: 60_000, everyMs: 250 },
    )
    const ofBeta = rows.filter(({ provider }) => provider === 'beta').length
    // A quarter, plus or minus five standard deviations.
    assert.ok(ofBeta > 56 && ofBeta < 144, `${ofBeta} of 400 went to beta`)
    for (const { id: messageId, provider } of rows.slice(0, 20)) {
      const preview = await resolve(gateway, { sender_id: 'Shared', message_id: messageId })
      assert.deepEqual([preview.route?.id, preview.provider], [id, provider])
    }
  })

  test('a failing provider is followed by the next, and listed with the reason for its exclusion', async () => {
    const id = await make({ sender: 'Dead', providers: ['dead', 'beta'], retry: { delays_seconds: [0.1] } })
    assert.equal((await resolve(gateway, { sender_id: 'Dead' })).provider, 'dead')
    const failed = await untilStatus(gateway, await send(gateway, { sender_id: 'Dead' }), 'delivered')
    assert.deepEqual([failed.provider, failed.attempts], ['beta', 2])
    assert.ok(kindsOf(failed).includes('RetryScheduled'))
    const { route, provider, candidates } = await resolve(gateway, { sender_id: 'Dead' })
    assert.deepEqual([route?.id, provider], [id, 'beta'])
    assert.match(candidates[0]?.reason ?? '', /^circuit breaker open until \d{4}-/)
    const uncounted = await untilStatus(gateway, await send(gateway, { sender_id: 'Dead' }), 'delivered')
    assert.deepEqual([uncounted.provider, uncounted.attempts], ['beta', 1])
  })
}
