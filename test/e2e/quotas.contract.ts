/** Quotas of messages over HTTP: a tenant that has used up its own is refused, and its neighbours notice nothing. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type Hook, isSigned, openCustomer } from '../support/customer.ts'
import { MESSAGEBIRD } from '../support/fake-messagebird.ts'
import type { Gateway } from '../support/gateway.ts'
import type { SharedGateway, ShareGateway } from '../support/shared-gateway.ts'
import { post, send, someSms, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

type Problem = Readonly<{ status: number; title: string; error_code: string; detail: string; retry_after?: number }>
type Item = Readonly<{ quota: string; limit: number | null; used: number | null; ratio: number | null }>

const WAITING = 20
const STORED = 20_000

/** Providers other than the simulator need a sender. */
const anSms = () => someSms({ sender_id: 'Acme' })

/** Nothing listens there, so messages for it wait. */
const NOWHERE = { ...MESSAGEBIRD, base_url: 'http://127.0.0.1:1', callbacks: false }

const CONFIG = {
  providers: [
    { name: 'simulator', kind: 'simulator' },
    { name: 'away', kind: 'messagebird', settings: NOWHERE },
  ],
  routes: [
    { id: 'usual', channel: 'sms', providers: ['simulator'] },
    { id: 'mail', channel: 'email', providers: ['simulator'] },
    {
      id: 'stuck',
      channel: 'sms',
      tenant_id: 'waiting',
      providers: ['away'],
      retry: { delays_seconds: [1], max_attempts: 100 },
    },
  ],
  tenants: {
    waiting: { quotas: { waiting_messages: WAITING } },
    storing: { quotas: { stored_bytes: STORED } },
    mailing: { quotas: { stored_bytes: STORED } },
  },
  alerts: { email: { tenant_id: 'ops', to: ['oncall@example.com'] } },
}
const ENV = { POMBO_BREAKER_FAILURES: '1', POMBO_BREAKER_SECONDS: '1', POMBO_WEBHOOK_NETWORKS: '127.0.0.0/8' }

/** Sends one message after the other until one is refused; returns the refusal and how many were accepted. */
async function fill(
  gateway: Gateway,
): Promise<Readonly<{ accepted: readonly string[]; problem: Problem; headers: Headers }>> {
  const accepted: string[] = []
  const refused = await until('a refusal', async () => {
    const answer = await post(gateway, anSms())
    if (answer.status === 202) accepted.push(answer.body.request_id)
    return answer.status !== 202 && answer
  })
  return { accepted, problem: refused.body as unknown as Problem, headers: refused.headers }
}

async function quotaOf({ call }: Gateway, quota: string): Promise<Item | undefined> {
  const { items } = (await call<{ items: readonly Item[] }>('GET', '/v1/usage/quotas')).body
  return items.find((item) => item.quota === quota)
}

/** Every message of the neighbour is accepted and delivered. */
async function assertUndisturbed(neighbour: Gateway): Promise<void> {
  const ids = await Promise.all(Array.from({ length: 20 }, () => send(neighbour)))
  for (const id of ids) await untilStatus(neighbour, id, 'delivered')
}

export async function quotasContract(share: ShareGateway, isExact: boolean): Promise<void> {
  const gateway = await share({ config: CONFIG, env: ENV })
  const neighbour = await gateway.of('neighbour')
  const told = await openHooks(gateway)
  waitingTests(gateway, await gateway.of('waiting'), neighbour, isExact)
  alertTests(told, await gateway.of('ops'))
  storingTests(await gateway.of('storing'), await gateway.of('mailing'), neighbour)
}

type Told = Readonly<{ hook: Hook; secret: string }>
type Hooks = Readonly<Record<'waiting' | 'kiosk' | 'neighbour' | 'ops', Told>>

/** Everybody's endpoints: two accounts of the tenant, its neighbour, and the operators. */
async function openHooks(gateway: SharedGateway): Promise<Hooks> {
  const customer = await openCustomer()
  after(() => customer[Symbol.asyncDispose]())
  const add = async (owner: SharedGateway, events: readonly string[]): Promise<Told> => {
    const hook = customer.hook()
    const added = await owner.call<{ secret: string }>('POST', '/v1/endpoints', { url: hook.url, events })
    assert.equal(added.status, 201, added.text)
    return { hook, secret: added.body.secret }
  }
  return {
    waiting: await add(await gateway.of('waiting'), []),
    kiosk: await add(await gateway.of('waiting', 'kiosk'), ['quota.warning']),
    neighbour: await add(await gateway.of('neighbour'), []),
    ops: await add(await gateway.of('ops', 'default', ['operator']), [
      'tenant.quota_warning',
      'provider.breaker_opened',
      'provider.breaker_closed',
    ]),
  }
}

type Mail = Readonly<{ subject: string; created_at: string }>

const alertsTo = ({ hook }: Told) => hook.received().filter(({ type }) => !type.startsWith('message.'))

function alertTests({ waiting, kiosk, neighbour, ops }: Hooks, operators: SharedGateway): void {
  test('every account of the tenant gets one signed webhook, operators get theirs, and nobody else any', async () => {
    await until('the webhooks', () => alertsTo(waiting).length >= 2 && alertsTo(kiosk).length > 0)
    assert.deepEqual(
      alertsTo(waiting)
        .map(({ type }) => type)
        .toSorted(),
      ['quota.exceeded', 'quota.warning'],
    )
    const [warning, ...others] = alertsTo(kiosk)
    assert.ok(warning !== undefined && others.length === 0)
    assert.equal(warning.type, 'quota.warning')
    const { used, ...data } = warning.data
    assert.deepEqual(data, { tenant_id: 'waiting', mode: 'live', quota: 'waiting_messages', limit: WAITING })
    assert.ok(Number(used) >= 0.8 * WAITING)
    assert.ok(isSigned(warning, kiosk.secret) && !isSigned(warning, waiting.secret))

    await until('operators to be told', () => alertsTo(ops).some(({ type }) => type === 'tenant.quota_warning'))
    const quotas = alertsTo(ops).filter(({ type }) => type === 'tenant.quota_warning')
    assert.deepEqual(
      quotas.map(({ data: of }) => of['tenant_id']),
      ['waiting'],
    )
    assert.deepEqual(alertsTo(neighbour), [])
  })

  test('operators are told of a circuit breaker that opens, by webhook and by mail', async () => {
    const opened = await until('the breaker', () =>
      alertsTo(ops).find(({ type }) => type === 'provider.breaker_opened'),
    )
    assert.equal(opened.data['provider'], 'away')
    assert.ok(isSigned(opened, ops.secret))
    const ids = alertsTo(ops).map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length, 'each turn once')
    const mails = await until('the mail', async () => {
      const { items } = (await operators.call<{ items: readonly Mail[] }>('GET', '/v1/email/logs')).body
      const ofBreaker = items.filter(({ subject }) => subject === 'Pombo: The circuit breaker of away has opened')
      return ofBreaker.length > 0 && ofBreaker
    })
    const hours = mails.map(({ created_at: at }) => at.slice(0, 'YYYY-MM-DDTHH'.length))
    assert.equal(new Set(hours).size, mails.length, 'one mail in an hour')
  })
}

function waitingTests(
  gateway: SharedGateway,
  waiting: SharedGateway,
  neighbour: SharedGateway,
  isExact: boolean,
): void {
  test('a tenant with as many waiting messages as it may have gets 507, and another sends undisturbed', async () => {
    const repeated = anSms()
    const first = await post(waiting, repeated)
    const { accepted, problem, headers } = await fill(waiting)
    assert.deepEqual([problem.status, problem.title, problem.error_code], [507, 'Quota exceeded', 'QUOTA_EXCEEDED'])
    assert.match(problem.detail, new RegExp(`^The quota of ${WAITING} waiting messages is reached, with \\d+ waiting`))
    assert.deepEqual([headers.get('retry-after'), problem.retry_after], ['10', 10])
    if (isExact) assert.equal(accepted.length + 1, WAITING)
    else assert.ok(accepted.length + 1 >= WAITING)

    await assertUndisturbed(neighbour)
    const again = await post(waiting, repeated)
    assert.deepEqual([again.status, again.text], [202, first.text])
    assert.equal((await post(waiting, anSms())).status, 507)
  })

  test('it is told so before, in the log and by the metric, and sees how much it uses', async () => {
    await until('the warning', () => /"quota":"waiting_messages".*alert: quota.warning/.test(gateway.err()))
    const warned = gateway
      .err()
      .split('\n')
      .filter((line) => line.includes('"quota":"waiting_messages"') && line.includes('alert: quota.warning'))
    assert.equal(warned.length, 1)
    assert.equal(JSON.parse(warned[0] ?? '{}').tenant_id, 'waiting')
    const { text } = await gateway.call('GET', '/metrics')
    const [, ratio = ''] =
      /^pombo_quota_used_ratio\{quota="waiting_messages",tenant="waiting"\} (\S+)$/m.exec(text) ?? []
    assert.ok(Number(ratio) >= 1, ratio)
    const item = await quotaOf(waiting, 'waiting_messages')
    assert.ok(item?.limit === WAITING && Number(item.used) >= WAITING && Number(item.ratio) >= 1)
    assert.equal((await quotaOf(neighbour, 'waiting_messages'))?.limit, 1_000_000)
  })

  test('what waits is sent, and then there is room again', async () => {
    const route = { channel: 'sms', providers: ['simulator'] }
    assert.equal((await waiting.call('POST', '/v1/routes', route)).status, 201)
    await until('room', async () => (await post(waiting, anSms())).status === 202, { withinMs: 60_000 })
    await until('all to be sent', async () => (await quotaOf(waiting, 'waiting_messages'))?.used === 0, {
      withinMs: 60_000,
    })
  })
}

function storingTests(storing: SharedGateway, mailing: SharedGateway, neighbour: SharedGateway): void {
  test('a tenant whose messages occupy as much as they may gets 507, for sends and resends', async () => {
    const { accepted, problem, headers } = await fill(storing)
    assert.deepEqual([problem.status, problem.error_code], [507, 'QUOTA_EXCEEDED'])
    assert.match(
      problem.detail,
      new RegExp(`^The quota of ${STORED} bytes for stored messages is reached, with \\d+ in use`),
    )
    assert.equal(headers.get('retry-after'), null)
    const [id = ''] = accepted
    await untilStatus(storing, id, 'delivered')
    assert.equal((await storing.call('POST', `/v1/messages/${id}/resend`)).status, 507)
    await assertUndisturbed(neighbour)
  })

  test('content that is erased makes room', async () => {
    const mail = { to: 'ana@example.com', subject: 'Hi', html: `<p>${'x'.repeat(2 * STORED)}</p>` }
    const sent = await mailing.call<{ id: string }>('POST', '/v1/email/send', { ...mail, idempotency_key: 'mail' })
    assert.equal(sent.status, 202, sent.text)
    const { id } = sent.body
    await until('the mail to count', async () => Number((await quotaOf(mailing, 'stored_bytes'))?.used) > STORED)
    await until('a refusal', async () => (await post(mailing, anSms())).status === 507, { everyMs: 500 })
    await untilStatus(mailing, id, 'delivered')
    assert.equal((await mailing.call('POST', `/v1/messages/${id}/erase`)).status, 200)
    await until('room', async () => (await post(mailing, anSms())).status === 202)
  })
}
