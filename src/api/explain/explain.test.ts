import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { ProviderName, RouteId } from '../../domain/ids.ts'
import type { Fact } from '../../domain/message/events.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { instant, later, seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openFixture, SMS } from '../server.fixture.ts'
import type { ApiDeps } from '../server.ts'
import type { Explanation } from './explanation-schemas.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const NOON = instant(Date.parse('2030-01-31T12:00:00Z'))
const FAKE = 'fake' as ProviderName

const ATTEMPTED: Fact = { kind: 'HandoffAttempted', provider: FAKE, routeId: 'usual-sms' as RouteId, owner: 'o' }
const ACCEPTED: Fact = { kind: 'HandoffAccepted', providerMessageId: 'p1', by: 'answer' }
const DEFERRED: Fact = {
  kind: 'RetryScheduled',
  dueAt: later(NOON, seconds(2)),
  code: 'SERVICE_UNAVAILABLE',
  detail: 'HTTP 503',
}
const UNKNOWN: Fact = { kind: 'HandoffUnknown', code: 'TIMEOUT', detail: 'x', reconcileAt: later(NOON, seconds(5)) }
const REFUSED: Fact = { kind: 'HandoffFailed', code: 'INVALID_NUMBER', detail: 'none such' }

async function open(facts: readonly Fact[] = [], deps: Partial<ApiDeps> = {}) {
  const api = await openFixture(world, deps)
  const call = await api.caller()
  const { id } = (await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' })).json()
  await api.happen(id, ...facts)
  const explain = async (as = call): Promise<Explanation> => {
    const answer = await as('GET', `/v1/messages/${id}/explain`)
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json()
  }
  return { api, id, call, explain, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

test('explains a message that waits for its provider, and what an operator can do', async () => {
  await using opened = await open([ATTEMPTED, DEFERRED])
  const { breakers } = opened.api.deps
  opened.api.pass(seconds(3))
  await breakers.force(FAKE, 'open', later(NOON, seconds(2)), seconds(30))
  const { data, ...told } = await opened.explain()
  const told12 = 'an operator opened its circuit breaker at 12:00:02 UTC'
  assert.deepEqual(told, {
    message_id: opened.id,
    status: 'sending',
    situation: 'no_provider',
    summary: `Waiting for fake: ${told12}; the next try is at 12:00:32 UTC or when it closes.`,
    reasons: [
      { text: 'Pombo accepted and stored the message.', at: '2030-01-31T12:00:00.000Z', event_type: 'MessageCreated' },
      {
        text: 'Attempt 1 with fake failed: the provider is temporarily unavailable.',
        at: '2030-01-31T12:00:00.000Z',
        event_type: 'RetryScheduled',
        provider: 'fake',
        error_code: 'SERVICE_UNAVAILABLE',
      },
      { text: `fake cannot be called: ${told12}.`, provider: 'fake' },
    ],
    next: { text: 'Pombo makes attempt 2 of 5 as soon as fake can be called.', at: '2030-01-31T12:00:32.000Z' },
    actions: [
      { action: 'wait', text: 'Wait: Pombo goes on by itself.', allowed: true },
      {
        action: 'reset_breaker',
        text: 'Close the circuit breaker of fake, if it works again. This concerns all tenants.',
        method: 'POST',
        path: '/v1/providers/fake/breaker',
        body: { action: 'reset' },
        scope: 'operator',
        allowed: false,
      },
      {
        action: 'check_provider',
        text: 'Find out why the providers cannot be called.',
        method: 'GET',
        path: '/v1/providers',
        scope: 'messages:read',
        allowed: true,
      },
      {
        action: 'erase',
        text: 'Erase it to keep it from being sent. Its content cannot be recovered.',
        method: 'POST',
        path: `/v1/messages/${opened.id}/erase`,
        scope: 'messages:write',
        allowed: true,
      },
    ],
    error: {
      code: 'SERVICE_UNAVAILABLE',
      detail: 'HTTP 503',
      category: 'TRANSIENT_ERROR',
      meaning: 'The provider is temporarily unavailable.',
      advice: 'Pombo retries while attempts are left. If the message has failed, resend it later.',
      blame: 'provider',
    },
  })
  assert.deepEqual([data.attempts_in_cycle, data.max_attempts, data.due_at], [1, 5, '2030-01-31T12:00:02.000Z'])
  assert.deepEqual(
    data.route?.providers.map(({ name, up, breaker_state }) => [name, up, breaker_state]),
    [['fake', false, 'open']],
  )
  assert.equal(data.queue?.lane, 'transactional')

  const operator = await opened.api.caller({ scope: 'operator' })
  assert.deepEqual(
    (await opened.explain(operator)).actions.filter(({ allowed }) => !allowed),
    [],
  )
})

test('says what the policy will do about an unknown outcome, and who may decide', async () => {
  await using opened = await open([ATTEMPTED, UNKNOWN])
  const { situation, actions, data, next } = await opened.explain()
  assert.equal(situation, 'unknown_outcome')
  assert.deepEqual(data.unknown_outcome, {
    policy: 'hold',
    provider_can_be_asked: false,
    next_check_at: '2030-01-31T12:00:05.000Z',
    gives_up_at: '2030-02-03T12:00:00.000Z',
  })
  assert.equal(next?.at, '2030-01-31T12:00:05.000Z')
  assert.deepEqual(
    actions.map(({ action, body }) => [action, body?.['as']]),
    [
      ['wait', undefined],
      ['resolve', 'sent'],
      ['resolve', 'not_sent'],
      ['resolve', 'resend'],
    ],
  )
  const viewer = await opened.api.caller({ scope: 'messages:read' })
  const offered = (await opened.explain(viewer)).actions
  assert.deepEqual(
    offered.map(({ allowed }) => allowed),
    [true, false, false, false],
  )
})

test('says until when a delivery report is awaited', async () => {
  await using opened = await open([ATTEMPTED, ACCEPTED])
  const { summary, data } = await opened.explain()
  assert.equal(summary, 'Sent by fake in 0 ms; waiting for its delivery report.')
  assert.deepEqual(data.report, {
    waiting_since: '2030-01-31T12:00:00.000Z',
    provider_reports: 'callback',
    provider_can_be_asked: false,
    next_poll_at: '2030-01-31T12:00:30.000Z',
    times_out_at: '2030-02-03T12:42:30.000Z',
  })
})

test('says which limits and quotas a resend would meet', async () => {
  await using opened = await open([ATTEMPTED, REFUSED])
  const admin = await opened.api.caller({ scope: 'admin' })
  await admin('PUT', '/v1/limits/recipient/%2B5511987654321', { limit: 1, window_seconds: 60 })
  const { error, data } = await opened.explain()
  assert.equal(error?.blame, 'message')
  assert.deepEqual(
    data.limits?.map(({ scope, key, remaining, would_refuse }) => [scope, key, remaining, would_refuse]),
    [['recipient', '+*******4321', 1, false]],
  )
  assert.deepEqual(
    data.quotas?.map(({ quota }) => quota),
    ['waiting_messages', 'stored_bytes'],
  )
})

test('an operator sees that a tenant is suspended', async () => {
  await using opened = await open()
  const operator = await opened.api.caller({ scope: 'operator' })
  assert.equal((await operator('POST', '/v1/tenants', { id: 'acme', state: 'suspended' })).statusCode, 201)
  const { situation, actions, data } = await opened.explain(operator)
  assert.deepEqual([situation, data.tenant_suspended, actions[0]?.path], ['tenant_suspended', true, '/v1/tenants/acme'])
})

test('names neither the recipient nor the text, also after erasure', async () => {
  await using opened = await open([ATTEMPTED, REFUSED])
  const admin = await opened.api.caller({ scope: 'admin' })
  await admin('PUT', '/v1/limits/recipient/*', { limit: 5, window_seconds: 60 })
  for (const erase of [false, true]) {
    if (erase) assert.equal((await opened.call('POST', `/v1/messages/${opened.id}/erase`)).statusCode, 200)
    const text = JSON.stringify(await opened.explain())
    assert.ok(!text.includes('987654321') && !text.includes('parcel'), text)
  }
  const { data, actions, reasons } = await opened.explain()
  assert.deepEqual([data.erased, actions.map(({ action }) => action)], [true, ['send_new']])
  assert.equal(reasons.at(-1)?.text, 'Its content and recipient were erased.')
})

test('works for the id of a one-time code, and not for a message of another tenant', async () => {
  await using opened = await open()
  const code = await opened.call('POST', '/v1/otp/generate', { to: SMS.to, idempotency_key: 'c' })
  const path = `/v1/messages/${code.json().challenge_id}/explain`
  const answer = await opened.call('GET', path)
  assert.deepEqual([answer.statusCode, answer.json().situation, answer.json().data.lane], [200, 'queued', 'otp'])
  const other = await opened.api.caller({ tenant_id: 'other' })
  assert.equal((await other('GET', path)).statusCode, 404)
  assert.equal((await opened.call('GET', '/v1/messages/x/explain')).statusCode, 404)
})

test('explains while the queue cannot be read', async () => {
  const depth = async () => {
    throw new Unavailable('no queue')
  }
  await using opened = await open([], { queue: { depth } })
  const { situation, data } = await opened.explain()
  assert.deepEqual([situation, data.queue], ['queued', null])
})
