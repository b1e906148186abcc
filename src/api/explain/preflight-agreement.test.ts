/** A preflight and the send that follows it answer alike, whatever the message and whatever is in its way. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { type Call, openFixture, SMS } from '../server.fixture.ts'
import type { ApiDeps } from '../server.ts'
import type { PreflightReport } from './preflight-schemas.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const MAIL = { to: 'ana@example.com', subject: 'Your parcel', html: '<p>On its way.</p>' }
const CODE = { to: SMS.to, app_name: 'Acme' }

type Send = Readonly<{ path: '/v1/sms/send' | '/v1/email/send' | '/v1/otp/generate'; body: object }>
const sms = (body: object = {}): Send => ({ path: '/v1/sms/send', body: { ...SMS, ...body } })
const mail = (body: object = {}): Send => ({ path: '/v1/email/send', body: { ...MAIL, ...body } })
const code = (body: object = {}): Send => ({ path: '/v1/otp/generate', body: { ...CODE, ...body } })

const KIND = {
  '/v1/sms/send': {},
  '/v1/email/send': { channel: 'email' },
  '/v1/otp/generate': { kind: 'otp' },
} as const

type World = Readonly<{ admin: Call; operator: Call; call: Call }>
type Case = Readonly<{
  name: string
  send: Send
  /** What the send answers: its error code, or what it does. */
  expected: string
  before?: (world: World) => Promise<unknown>
  claims?: Readonly<Record<string, unknown>>
  deps?: Partial<ApiDeps>
  tenant?: object
}>

const limit = (scope: string, key: string) => (world: World) =>
  world.admin('PUT', `/v1/limits/${scope}/${encodeURIComponent(key)}`, { limit: 1, window_seconds: 60 })

const sent =
  (send: Send, ...more: readonly ((world: World) => Promise<unknown>)[]) =>
  async (world: World): Promise<void> => {
    for (const one of more) await one(world)
    assert.equal((await world.call('POST', send.path, send.body)).statusCode, 202)
  }

const KEYED = { idempotency_key: 'order-1138' }
const USED_UP = { usedUp: () => ({ quota: 'waitingMessages', limit: 5, used: 5 }) as const }

const CASES: readonly Case[] = [
  { name: 'a valid SMS', send: sms(), expected: 'accepted' },
  { name: 'a valid email', send: mail(), expected: 'accepted' },
  { name: 'a code', send: code(), expected: 'accepted' },
  { name: 'a code by email', send: code({ to: MAIL.to, channel: 'email' }), expected: 'accepted' },
  { name: 'a flash SMS in parts', send: sms({ type: 'flash_sms', message: '—'.repeat(200) }), expected: 'accepted' },
  { name: 'a wrong number', send: sms({ to: '555' }), expected: 'VALIDATION_ERROR' },
  { name: 'several wrong fields', send: sms({ to: 5, message: '', tags: 'x' }), expected: 'VALIDATION_ERROR' },
  { name: 'an unknown field', send: mail({ colour: 'red' }), expected: 'VALIDATION_ERROR' },
  { name: 'a wrong code request', send: code({ ttl_seconds: 5, to: 'x' }), expected: 'VALIDATION_ERROR' },
  {
    name: 'too many parts',
    send: sms({ message: '—'.repeat(1600) }),
    expected: 'VALIDATION_ERROR',
    deps: { maxParts: 2 },
  },
  {
    name: 'an unknown template',
    send: sms({ message: undefined, template: { name: 'x' } }),
    expected: 'VALIDATION_ERROR',
  },
  {
    name: 'an unknown recipient',
    send: sms({ to: undefined, recipient_external_id: 'x' }),
    expected: 'VALIDATION_ERROR',
  },
  { name: 'a deadline in the past', send: sms({ expires_at: '2029-01-01T00:00:00Z' }), expected: 'VALIDATION_ERROR' },
  { name: 'a scope that is missing', send: mail(), expected: 'FORBIDDEN', claims: { scope: 'sms:send' } },
  { name: 'no scope for codes', send: code(), expected: 'FORBIDDEN', claims: { scope: 'sms:send' } },
  {
    name: 'a sender that is not listed',
    send: sms({ sender_id: 'Else' }),
    expected: 'SENDER_NOT_ALLOWED',
    tenant: { senders: ['Acme'] },
  },
  {
    name: 'a sender that is listed',
    send: sms({ sender_id: 'Acme' }),
    expected: 'accepted',
    tenant: { senders: ['Acme'] },
  },
  { name: 'no provider that is configured', send: sms(), expected: 'NO_ROUTE_FOUND', deps: { providers: new Map() } },
  { name: 'no provider for a code', send: code(), expected: 'NO_ROUTE_FOUND', deps: { providers: new Map() } },
  {
    name: 'no simulator in test mode',
    send: sms(),
    expected: 'TEST_MODE_UNAVAILABLE',
    claims: { test: true },
    deps: { providers: new Map() },
  },
  { name: 'test mode', send: sms(), expected: 'accepted', claims: { test: true } },
  {
    name: 'a suspended tenant',
    send: sms(),
    expected: 'TENANT_SUSPENDED',
    tenant: { state: 'suspended' },
    claims: { scope: 'operator' },
  },
  { name: 'a quota that is used up', send: sms(), expected: 'QUOTA_EXCEEDED', deps: { sendQuotas: USED_UP } },
  {
    name: 'a quota that is used up, for email',
    send: mail(),
    expected: 'QUOTA_EXCEEDED',
    deps: { sendQuotas: USED_UP },
  },
  {
    name: 'a suppressed address',
    send: mail(),
    expected: 'RECIPIENT_SUPPRESSED',
    before: ({ call }) => call('PUT', `/v1/suppressions/${MAIL.to}`, {}),
  },
  {
    name: 'a suppressed copy',
    send: mail({ cc: ['bo@example.com'] }),
    expected: 'RECIPIENT_SUPPRESSED',
    before: ({ call }) => call('PUT', '/v1/suppressions/bo@example.com', {}),
  },
  { name: 'room in a limit', send: sms(), expected: 'accepted', before: limit('account', 'main') },
  {
    name: 'a limit that is reached',
    send: sms(),
    expected: 'RATE_LIMITED',
    before: sent(sms(KEYED), limit('recipient', SMS.to)),
  },
  {
    name: 'a limit of the tenant that is reached, for a code',
    send: code(),
    expected: 'RATE_LIMITED',
    before: sent(sms(KEYED), limit('tenant', 'acme')),
  },
  {
    name: 'too many codes',
    send: code(),
    expected: 'RATE_LIMITED',
    before: sent(code({ idempotency_key: 'a' })),
    deps: { otp: { limit: 1, window: 60_000 as never } },
  },
  { name: 'a call that repeats an earlier one', send: sms(KEYED), expected: 'replayed', before: sent(sms(KEYED)) },
  {
    name: 'a call that repeats an earlier one, though the limit is reached',
    send: sms(KEYED),
    expected: 'replayed',
    before: sent(sms(KEYED), limit('tenant', 'acme')),
  },
  {
    name: 'a key with another payload',
    send: sms({ ...KEYED, message: 'Other' }),
    expected: 'IDEMPOTENCY_MISMATCH',
    before: sent(sms(KEYED)),
  },
  { name: 'a code that repeats an earlier call', send: code(KEYED), expected: 'replayed', before: sent(code(KEYED)) },
  { name: 'a key of another kind of message', send: code(KEYED), expected: 'accepted', before: sent(sms(KEYED)) },
]

for (const { name, send, expected, before, claims = {}, deps = {}, tenant } of CASES) {
  test(`${name}: the preflight says what the send answers (${expected})`, async () => {
    await using api = await openFixture(world, deps)
    const operator = await api.caller({ scope: 'operator' })
    const admin = await api.caller({ scope: 'admin' })
    const call = await api.caller(claims)
    await before?.({ admin, operator, call })
    if (tenant !== undefined)
      assert.equal((await operator('POST', '/v1/tenants', { id: 'acme', ...tenant })).statusCode, 201)
    const body = 'idempotency_key' in send.body ? send.body : { ...send.body, idempotency_key: randomUUID() }

    const tip = await api.deps.log.tip()
    const looked = await call('POST', '/v1/preflight', { ...body, ...KIND[send.path] })
    const again = await call('POST', '/v1/preflight', { ...body, ...KIND[send.path] })
    assert.deepEqual([await api.deps.log.tip(), again.json()], [tip, looked.json()])

    const answered = await call('POST', send.path, body)
    assert.deepEqual(saidBy(looked), answeredBy(answered))
    assert.equal(answeredBy(answered).verdict, expected)
  })
}

/** The verdict of a preflight, in the words of an answer. */
function saidBy(answer: LightMyRequestResponse) {
  assert.equal(answer.statusCode, 200, answer.body)
  const { valid, problems, idempotency, would_send: said }: PreflightReport = answer.json()
  assert.equal(valid, said.accepted)
  if (said.refusal === null) return { verdict: idempotency?.status === 'replay' ? 'replayed' : 'accepted', status: 202 }
  const { error_code, status, detail, retry_after } = said.refusal
  assert.ok(problems.some(({ code }) => code === error_code))
  return { verdict: error_code, status, detail, retry_after }
}

function answeredBy({ statusCode: status, headers, json }: LightMyRequestResponse) {
  if (status === 202) return { verdict: headers['idempotent-replayed'] === 'true' ? 'replayed' : 'accepted', status }
  const { error_code: verdict, detail, retry_after } = json()
  return { verdict, status, detail, retry_after }
}
