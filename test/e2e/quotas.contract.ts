/** Quotas of messages over HTTP: a tenant that has used up its own is refused, and its neighbours notice nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
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
}
const ENV = { POMBO_BREAKER_FAILURES: '1', POMBO_BREAKER_SECONDS: '1' }

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
  waitingTests(gateway, await gateway.of('waiting'), neighbour, isExact)
  storingTests(await gateway.of('storing'), await gateway.of('mailing'), neighbour)
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
    await until('the warning', () =>
      /"quota":"waiting_messages".*quota: the tenant uses most of it/.test(gateway.err()),
    )
    const warned = gateway
      .err()
      .split('\n')
      .filter((line) => line.includes('"quota":"waiting_messages"'))
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
