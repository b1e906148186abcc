/** Webhooks: deliveries in order, signed, and retried on failure. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import {
  GONE,
  type Hook,
  isSigned,
  NO_CONTENT,
  openCustomer,
  type ReceivedWebhook,
  SERVER_ERROR,
} from '../support/customer.ts'
import type { Gateway } from '../support/gateway.ts'
import type { SharedGateway } from '../support/shared-gateway.ts'
import { send, show, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

type Endpoint = Readonly<{
  id: string
  enabled: boolean
  disabled_reason: string | null
  failing_since: string | null
}>
type WebhookDelivery = Readonly<{
  message_id: string
  endpoint_id: string
  state: string
  failures: number
  due_at: string | null
  last_status: number | null
  last_error: string | null
}>
type Listed = Readonly<{ items: readonly WebhookDelivery[] }>
type Secrets = Readonly<{ secret: string; previous_secret: string | null }>

/** For busy machines. */
const PATIENT = { withinMs: 60_000, everyMs: 100 }

export async function webhookDeliveriesContract(gateway: SharedGateway): Promise<void> {
  const customer = await openCustomer()
  after(() => customer[Symbol.asyncDispose]())

  /** A new account, so that only its own messages are delivered. */
  const openAccount = (): Promise<Gateway> => gateway.of('demo', `a-${randomUUID()}`)

  test('an endpoint receives every status change once, in order and signed', async () => {
    const account = await openAccount()
    const [hook, choosy] = [customer.hook(), customer.hook()]
    const secret = await make(account, { url: hook.url })
    await make(account, { id: 'choosy', url: choosy.url, events: ['message.delivered'] })
    const ids = await Promise.all(['1', '2', '3'].map((order) => send(account, { metadata: { order }, tags: ['t'] })))
    for (const id of ids) await untilTold(account, hook, id)
    for (const id of ids) assert.deepEqual(typesOf(hook, id), await typesToTell(account, id))
    const received = hook.received()
    assert.equal(new Set(received.map((one) => one.id)).size, received.length, 'a webhook was delivered twice')
    for (const one of received) assert.ok(isSigned(one, secret), `${one.type} is not signed`)
    const first = received.find(({ data }) => data['message_id'] === ids[0])
    assert.deepEqual([first?.data['metadata'], first?.data['tags']], [{ order: '1' }, ['t']])
    assert.match(String(first?.data['to']), /^\+\*{7}\d{4}$/)
    assert.deepEqual(
      choosy.received().map(({ type }) => type),
      Array(3).fill('message.delivered'),
    )
  })

  test('a callback URL receives only events of its own message', async () => {
    const account = await openAccount()
    const hook = customer.hook()
    const own = await send(account, { callback_url: hook.url })
    const other = await send(account)
    await untilStatus(account, other, 'delivered', PATIENT)
    await untilTold(account, hook, own)
    assert.deepEqual(typesOf(hook), await typesToTell(account, own))
    const secret = await secretOf(account, 'callback')
    assert.ok(hook.received().every((one) => one.data['message_id'] === own && isSigned(one, secret)))
    assert.deepEqual(await webhookDeliveriesOf(account, other), [])
  })

  test('a failed delivery is retried, and its state is shown', async () => {
    const account = await openAccount()
    const hook = customer.hook((nth) => (nth <= 2 ? SERVER_ERROR : NO_CONTENT))
    await make(account, { url: hook.url })
    const id = await send(account)
    const [twice] = await untilWebhookDeliveries(account, id, ([delivery]) => delivery?.failures === 2)
    assert.deepEqual([twice?.state, twice?.last_status, twice?.last_error], ['pending', 500, 'responded with 500'])
    assert.ok(Date.parse(twice?.due_at ?? '') > Date.now() + 60_000, 'the second delay is minutes')
    assert.notEqual((await endpointOf(account, 'hook')).failing_since, null)

    await patch(account, 'hook', { enabled: true })
    await untilTold(account, hook, id)
    assert.deepEqual(
      (await webhookDeliveriesOf(account, id)).map((one) => [one.failures, one.last_status, one.last_error]),
      [[0, 204, null]],
    )
    const [first, second, third, ...rest] = hook.received()
    assert.deepEqual([second?.id, third?.id], [first?.id, first?.id])
    assert.deepEqual(
      [first, ...rest].map((one) => one?.type),
      await typesToTell(account, id),
    )
    await until(
      'the endpoint to recover',
      async () => (await endpointOf(account, 'hook')).failing_since === null,
      PATIENT,
    )
  })

  test('an endpoint that answers 410 is disabled until it is enabled again', async () => {
    const account = await openAccount()
    const hook = customer.hook((nth) => (nth === 1 ? GONE : NO_CONTENT))
    await make(account, { url: hook.url })
    const ids = [await send(account)]
    const gone = await until(
      'the endpoint to be disabled',
      async () => disabled(await endpointOf(account, 'hook')),
      PATIENT,
    )
    assert.equal(gone.disabled_reason, 'gone')
    ids.push(await send(account))
    const [waiting] = await untilWebhookDeliveries(account, ids[1] ?? '', ([delivery]) => delivery !== undefined)
    assert.deepEqual([waiting?.state, waiting?.due_at, hook.received().length], ['pending', null, 1])

    await patch(account, 'hook', { enabled: true })
    for (const id of ids) await untilTold(account, hook, id)
    assert.deepEqual(typesOf(hook, ids[1]), await typesToTell(account, ids[1] ?? ''))
    assert.deepEqual(typesOf(hook, ids[0]).slice(1), await typesToTell(account, ids[0] ?? ''))
  })

  test('a replay delivers again with the same ids', async () => {
    const account = await openAccount()
    const hook = customer.hook()
    await make(account, { url: hook.url })
    const id = await send(account)
    await untilTold(account, hook, id)
    const before = hook.received().map((one) => one.id)
    for (const [nth, body] of [{ message_id: id }, { since: new Date(Date.now() - 600_000).toISOString() }].entries()) {
      const answer = await account.call('POST', '/v1/endpoints/hook/replay', body)
      assert.deepEqual([answer.status, answer.body], [202, { replayed: 1 }])
      await until(
        'all webhooks to be delivered again',
        () => hook.received().length === before.length * (nth + 2),
        PATIENT,
      )
    }
    assert.deepEqual(
      hook.received().map((one) => one.id),
      [...before, ...before, ...before],
    )
  })

  test('a private network address is not called, and the delivery has the reason', async () => {
    const account = await openAccount()
    await make(account, { url: 'http://192.168.7.7/hook' })
    const id = await send(account)
    const [delivery] = await untilWebhookDeliveries(account, id, ([one]) => one !== undefined && one.failures > 0)
    assert.deepEqual([delivery?.state, delivery?.last_status], ['pending', null])
    assert.match(delivery?.last_error ?? '', /not a public IP address/)
  })

  test('other accounts and tenants neither receive nor see the deliveries', async () => {
    const account = await openAccount()
    const strangers = [await openAccount(), await gateway.of('stranger')]
    const [hook, others] = [customer.hook(), customer.hook()]
    await make(account, { url: hook.url })
    for (const stranger of strangers) await make(stranger, { url: others.url })
    const id = await send(account)
    await untilTold(account, hook, id)
    assert.deepEqual(others.received(), [])
    for (const stranger of strangers) {
      assert.deepEqual(
        (await stranger.call<Listed>('GET', `/v1/messages/${id}/webhook-deliveries`)).body.items ?? [],
        [],
      )
      assert.deepEqual((await stranger.call<Listed>('GET', '/v1/endpoints/hook/deliveries')).body.items, [])
      assert.equal((await stranger.call('POST', '/v1/endpoints/hook/replay', { message_id: id })).status, 404)
      assert.notEqual(await secretOf(stranger, 'hook'), await secretOf(account, 'hook'))
    }
  })

  test('a webhook delivered after an erasure contains no content', async () => {
    const account = await openAccount()
    const hook = customer.hook()
    await make(account, { url: hook.url })
    await patch(account, 'hook', { enabled: false })
    const id = await send(account, { metadata: { order: '1138' }, tags: ['shipping'] })
    await untilStatus(account, id, 'delivered', PATIENT)
    assert.equal((await account.call('POST', `/v1/messages/${id}/erase`)).status, 200)
    await patch(account, 'hook', { enabled: true })
    await untilTold(account, hook, id)
    const received = hook.received()
    assert.deepEqual(
      received.map(({ type }) => type),
      await typesToTell(account, id),
    )
    for (const { data } of received) assert.deepEqual([data['to'], data['metadata'], data['tags']], [null, {}, []])
  })

  test('both secrets sign during a rotation, and only the new one afterwards', async () => {
    const account = await openAccount()
    const hook = customer.hook()
    const old = await make(account, { url: hook.url })
    const rotate = async (body: object): Promise<string> =>
      (await account.call<Secrets>('POST', '/v1/endpoints/hook/rotate', body)).body.secret
    const next = await rotate({})
    const [both] = await toldOf(hook, await send(account))
    assert.deepEqual(
      [old, next].map((secret) => both && isSigned(both, secret)),
      [true, true],
    )
    const last = await rotate({ overlap_seconds: 0 })
    const [alone] = await toldOf(hook, await send(account))
    assert.deepEqual(
      [old, next, last].map((secret) => alone && isSigned(alone, secret)),
      [false, false, true],
    )
  })
}

/** Creates an endpoint, `hook` by default, and returns its secret. */
async function make({ call }: Gateway, fields: object): Promise<string> {
  const { status, body, text } = await call<Secrets>('POST', '/v1/endpoints', { id: 'hook', ...fields })
  assert.equal(status, 201, text)
  return body.secret
}

async function patch({ call }: Gateway, id: string, fields: object): Promise<void> {
  const { status, text } = await call('PATCH', `/v1/endpoints/${id}`, fields)
  assert.equal(status, 200, text)
}

const endpointOf = async ({ call }: Gateway, id: string): Promise<Endpoint> =>
  (await call<Endpoint>('GET', `/v1/endpoints/${id}`)).body

const disabled = (endpoint: Endpoint): Endpoint | false => !endpoint.enabled && endpoint

const secretOf = async ({ call }: Gateway, id: string): Promise<string> =>
  (await call<Secrets>('GET', `/v1/endpoints/${id}/secret`)).body.secret

async function webhookDeliveriesOf({ call }: Gateway, id: string): Promise<readonly WebhookDelivery[]> {
  const { status, body, text } = await call<Listed>('GET', `/v1/messages/${id}/webhook-deliveries`)
  assert.equal(status, 200, text)
  return body.items
}

/** Waits for webhook deliveries of a message that match. */
const untilWebhookDeliveries = (
  account: Gateway,
  id: string,
  isSo: (webhookDeliveries: readonly WebhookDelivery[]) => boolean,
): Promise<readonly WebhookDelivery[]> =>
  until(
    `the webhook deliveries of ${id}`,
    async () => {
      const webhookDeliveries = await webhookDeliveriesOf(account, id)
      return webhookDeliveries.length > 0 && isSo(webhookDeliveries) && webhookDeliveries
    },
    PATIENT,
  )

const toldOf = (hook: Hook, id: string): Promise<readonly ReceivedWebhook[]> =>
  until(
    `${id} to be delivered`,
    () => {
      const received = hook.received().filter(({ data }) => data['message_id'] === id)
      return received.length > 0 && received
    },
    PATIENT,
  )

/** Waits until the hook has received the final event of a message and the delivery is recorded. */
async function untilTold(account: Gateway, hook: Hook, id: string): Promise<void> {
  await until(`${id} to be delivered`, () => typesOf(hook, id).includes('message.delivered'), PATIENT)
  await untilWebhookDeliveries(account, id, (webhookDeliveries) =>
    webhookDeliveries.every(({ state }) => state === 'delivered'),
  )
}

const typesOf = (hook: Hook, id?: string): readonly string[] =>
  hook
    .received()
    .filter(({ data }) => id === undefined || data['message_id'] === id)
    .map(({ type }) => type)

/** Every status of the message. */
async function typesToTell(account: Gateway, id: string): Promise<readonly string[]> {
  const statuses = (await show(account, id)).events.map(({ payload }) => payload.status)
  return statuses.filter((status, index) => status !== statuses[index - 1]).map((status) => `message.${status}`)
}
