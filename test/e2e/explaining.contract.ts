/** Explanations and preflights over HTTP: why messages stand where they stand, and what would become of one. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Explanation } from '../../src/api/explain/explanation-schemas.ts'
import type { PreflightReport } from '../../src/api/explain/preflight-schemas.ts'
import type { Gateway } from '../support/gateway.ts'
import type { SharedGateway } from '../support/shared-gateway.ts'
import { freshNumber, magic, post, search, send, someSms, untilEvent, untilIndexed } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { UNKNOWN_SENDER, type UnknownOutcomes } from './unknown-outcome.fixture.ts'

const OPERATOR = ['operator']

async function explain(gateway: Gateway, id: string): Promise<Explanation> {
  const { status, body, text } = await gateway.call<Explanation>('GET', `/v1/messages/${id}/explain`)
  assert.equal(status, 200, text)
  return body
}

const untilSituation = (gateway: Gateway, id: string, situation: Explanation['situation']): Promise<Explanation> =>
  until(`${id} to be ${situation}`, async () => {
    const explanation = await explain(gateway, id)
    return explanation.situation === situation && explanation
  })

async function preflight(gateway: Gateway, body: object): Promise<PreflightReport> {
  const answer = await gateway.call<PreflightReport>('POST', '/v1/preflight', body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

type Ending = Readonly<{
  to: string
  sender?: string
  situation: Explanation['situation']
  summary: RegExp
  actions: readonly string[]
  blame?: string
}>

const ENDINGS: readonly Ending[] = [
  {
    to: '0001',
    situation: 'failed',
    summary: /^Failed: the number is not valid/,
    actions: ['send_new', 'resend'],
    blame: 'message',
  },
  {
    to: '0002',
    situation: 'failed',
    summary: /^Failed: the number is blocked/,
    actions: ['send_new', 'resend'],
    blame: 'recipient',
  },
  { to: '0003', situation: 'delivered', summary: /^Delivered by simulator after 3 attempts, in .*s\.$/, actions: [] },
  {
    to: '0003',
    sender: 'MuchLater',
    situation: 'retry_scheduled',
    summary: /^Waiting to retry: attempt 2 of 5 is due at .* UTC, because the provider is temporarily unavailable\.$/,
    actions: ['wait', 'erase'],
    blame: 'provider',
  },
  {
    to: '0004',
    sender: 'Once',
    situation: 'dead_letter',
    summary: /^Failed after 1 attempt: the provider is temporarily unavailable; it is in the dead letters\.$/,
    actions: ['replay'],
    blame: 'provider',
  },
  { to: '0005', situation: 'delivered', summary: /^Delivered by simulator in /, actions: [] },
  {
    to: '0006',
    situation: 'awaiting_report',
    summary: /^Sent by simulator in .*; waiting for its delivery report\.$/,
    actions: ['wait', 'resend'],
  },
  {
    to: '0007',
    situation: 'bounced',
    summary: /^Bounced: the phone is switched off/,
    actions: ['send_new', 'resend'],
    blame: 'recipient',
  },
  { to: '0008', situation: 'delivered', summary: /^Delivered by simulator in /, actions: [] },
  { to: '0009', situation: 'delivered', summary: /^Delivered by simulator in /, actions: [] },
]

export function explainingContract(gateway: SharedGateway, { openUnknown }: UnknownOutcomes): void {
  describe('the magic recipients are explained:', { concurrency: true }, () => {
    for (const { to, sender, situation, summary, actions, blame } of ENDINGS) {
      test(`${to} ${sender ?? ''} ends as ${situation}`, async () => {
        const id = await send(gateway, { to: magic(to), ...(sender !== undefined && { sender_id: sender }) })
        const explained = await untilSituation(gateway, id, situation)
        assert.match(explained.summary, summary)
        assert.deepEqual(
          explained.actions.map(({ action }) => action),
          actions,
        )
        assert.equal(explained.error?.blame, blame)
        assert.ok(!JSON.stringify(explained).includes(magic(to).slice(1)))
      })
    }
  })

  test('a message with an unknown outcome is held, until its route gives it up', async () => {
    const { id } = await openUnknown(gateway)
    const { situation, summary, actions, data } = await explain(gateway, id)
    assert.equal(situation, 'unknown_outcome')
    assert.match(summary, /^Outcome unknown: bird may or may not have the message; .* and then holds it until/)
    assert.deepEqual(
      actions.map(({ action }) => action),
      ['wait', 'resolve', 'resolve', 'resolve'],
    )
    assert.equal(data.unknown_outcome?.policy, 'hold')
    const sent = actions.find(({ body }) => body?.['as'] === 'sent')
    assert.equal((await gateway.call('POST', sent?.path ?? '', sent?.body)).status, 200)
    assert.match((await explain(gateway, id)).summary, /^Sent by bird, as a person recorded;/)
  })

  describe('while the circuit breaker of the only provider is open', () => {
    const force = async (action: object): Promise<void> => {
      const operator = await gateway.of('explainers', 'default', OPERATOR)
      assert.equal((await operator.call('POST', '/v1/providers/bird/breaker', action)).status, 200)
    }
    after(() => force({ action: 'reset' }))

    test('a preflight says when the message would go, and the message says what it waits for', async () => {
      await force({ action: 'trip', seconds: 3600 })
      const sms = someSms({ sender_id: UNKNOWN_SENDER })
      const { valid, route, would_send } = await until('the preflight to see the breaker', async () => {
        const report = await preflight(gateway, sms)
        return report.warnings.length > 0 && report
      })
      assert.deepEqual([valid, route?.id, route?.providers[0]?.breaker_state], [true, 'bird', 'open'])
      assert.match(would_send.text, /as soon as a provider of its route can be called, at .* UTC at the earliest/)

      const id = await send(gateway, { sender_id: UNKNOWN_SENDER })
      const { summary, next, actions, data } = await untilSituation(gateway, id, 'no_provider')
      assert.match(
        summary,
        /^Waiting for bird: an operator opened its circuit breaker at .*; the next try is at .* or when/,
      )
      assert.equal(next?.at, data.route?.providers[0]?.retry_at)
      await until('the message to be parked', async () => (await explain(gateway, id)).data.queue?.parked === 1)
      const reset = actions.find(({ action }) => action === 'reset_breaker')
      assert.deepEqual([reset?.scope, reset?.allowed], ['operator', false])

      const operator = await gateway.of('explainers', 'default', OPERATOR)
      assert.equal((await operator.call('POST', reset?.path ?? '', reset?.body)).status, 200)
      await untilEvent(gateway, id, 'HandoffAccepted')
      assert.equal((await explain(gateway, id)).situation, 'awaiting_report')
    })
  })

  test('an operator sees that the tenant of a message is suspended', async () => {
    const tenant = await gateway.of('held-back')
    const operator = await gateway.of('held-back', 'default', OPERATOR)
    assert.equal((await operator.call('POST', '/v1/tenants', { id: 'held-back' })).status, 201)
    const id = await send(tenant, { to: magic('0003'), sender_id: 'MuchLater' })
    await untilSituation(tenant, id, 'retry_scheduled')
    assert.equal((await operator.call('PATCH', '/v1/tenants/held-back', { state: 'suspended' })).status, 200)
    const { summary, actions } = await untilSituation(operator, id, 'tenant_suspended')
    assert.match(summary, /the tenant is suspended/)
    const { would_send } = await preflight(operator, someSms())
    assert.equal(would_send.refusal?.error_code, 'TENANT_SUSPENDED')
    assert.equal((await operator.call('PATCH', actions[0]?.path ?? '', actions[0]?.body)).status, 200)
    await untilSituation(operator, id, 'retry_scheduled')
  })

  test('an erased message tells that it will not be sent', async () => {
    const id = await send(gateway, { to: magic('0003'), sender_id: 'MuchLater' })
    await untilSituation(gateway, id, 'retry_scheduled')
    assert.equal((await gateway.call('POST', `/v1/messages/${id}/erase`)).status, 200)
    const { data, actions } = await untilSituation(gateway, id, 'content_erased')
    assert.deepEqual([data.erased, actions[0]?.action], [true, 'send_new'])
  })

  describe('a preflight', () => {
    test('says what the send then answers, and leaves no trace', async () => {
      const tenant = await gateway.of('careful')
      const to = freshNumber()
      const rule = { limit: 1, window_seconds: 3600 }
      const path = `/v1/limits/recipient/${encodeURIComponent(to)}`
      assert.equal((await tenant.call('PUT', path, rule)).status, 200)

      const sms = someSms({ to })
      for (const _ of [1, 2]) {
        const before = await preflight(tenant, sms)
        assert.deepEqual(
          [before.would_send.accepted, before.limits[0]?.used, before.idempotency?.status],
          [true, 0, 'new'],
        )
      }
      const { status, body } = await post(tenant, sms)
      assert.equal(status, 202)
      assert.deepEqual((await preflight(tenant, sms)).idempotency, { status: 'replay', message_id: body.request_id })

      const next = someSms({ to })
      const { valid, problems, would_send } = await preflight(tenant, next)
      const refused = await post(tenant, next)
      assert.deepEqual([valid, problems[0]?.code], [false, 'RATE_LIMITED'])
      assert.equal(would_send.refusal?.status, refused.status)
      assert.equal(refused.status, 429)
      await untilIndexed(tenant)
      assert.equal((await search(tenant, {})).items.length, 1)
    })

    test('describes the number, the segments and why there is no route', async () => {
      const { recipient, sms, warnings } = await preflight(gateway, { to: '+551133334444', message: 'Olá — 1' })
      assert.deepEqual([recipient?.country, recipient?.number_type, warnings[0]?.path], ['BR', 'fixed_line', '/to'])
      assert.deepEqual([sms?.encoding, sms?.characters_forcing_ucs2], ['ucs2', ['á', '—']])
      const mail = { channel: 'email', to: 'ana@example.com', subject: 'Hi', html: '<script>x()</script>' }
      const { problems } = await preflight(gateway, mail)
      assert.deepEqual(problems.map(({ code }) => code).toSorted(), ['INVALID_TEMPLATE', 'NO_ROUTE_FOUND'])
    })

    test('of a one-time code begins no challenge and counts none', async () => {
      const body = { kind: 'otp', to: freshNumber() }
      for (const _ of [1, 2]) {
        const { valid, limits } = await preflight(gateway, body)
        assert.deepEqual([valid, limits.map(({ scope, used }) => [scope, used])], [true, [['otp', 0]]])
      }
    })
  })
}
