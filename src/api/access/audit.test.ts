import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { memoryAuditLog } from '../../../test/memory/audit-log.ts'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { stopped } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openFastify } from '../http/fastify.ts'
import { renderOpenApi } from '../http/openapi.ts'
import { openFixture, SMS } from '../server.fixture.ts'
import { audited, auditWith, checkAudited, sometimesAudited, UNAUDITED } from './audit.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

type Operation = Readonly<{ operationId: string; 'x-audit'?: string[]; 'x-audit-sometimes'?: string[] }>
type Document = Readonly<{ paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }>
const document: Document = JSON.parse(await renderOpenApi())
const operations = Object.values(document.paths).flatMap((methods) =>
  Object.entries(methods).map(([method, operation]) => ({ method, ...operation })),
)
const isDeclared = (operation: Operation): boolean =>
  operation['x-audit'] !== undefined || operation['x-audit-sometimes'] !== undefined

/** The operations other than GET that change nothing of the set-up. */
const NO_SETUP: readonly string[] = [
  // They send messages, which have timelines of their own.
  'sendSms',
  'sendEmail',
  'sendBatch',
  'sendToUser',
  'generateOtp',
  'validateOtp',
  'cancelOtpChallenge',
  'resendOtp',
  // They change nothing.
  'preflight',
  'previewTemplate',
  'resolveRoute',
  'verifyErasureReceipt',
  'getInvitation',
  // They come from providers, which sign them.
  'receiveProviderCallback',
  'receiveSmsCallback',
]

/** What is recorded although it is a GET. */
const RECORDED_READS = [
  'exportAuditLog',
  'exportMessages',
  'finishOidcSignIn',
  'getEndpointSecret',
  'getMessageContent',
]

test('every operation declares what it records in the audit log, or is known to change no set-up', () => {
  const changing = operations.filter(({ method }) => method !== 'get')
  const undeclared = changing.filter((operation) => !isDeclared(operation)).map(({ operationId }) => operationId)
  assert.deepEqual(undeclared.toSorted(), NO_SETUP.toSorted())
  const reads = operations.filter((operation) => operation.method === 'get' && isDeclared(operation))
  assert.deepEqual(reads.map(({ operationId }) => operationId).toSorted(), RECORDED_READS)
})

test('a change that cannot be recorded is answered with 503, and logged with its action and target', async () => {
  const auditLog = { append: () => Promise.reject(new Unavailable('the disk is full')), list: async () => [] }
  await using api = await openFixture(world, { auditLog })
  const call = await api.caller({ scope: 'admin' })
  const answer = await call('POST', '/v1/recipients', { external_id: 'user-42' })
  const { error_code: code, detail } = answer.json()
  assert.deepEqual([answer.statusCode, code, answer.headers['retry-after']], [503, 'AUDIT_UNAVAILABLE', undefined])
  assert.match(detail, /took effect.*could not be recorded/)
  const [recipient] = (await call('GET', '/v1/recipients')).json().items
  assert.equal(recipient.external_id, 'user-42')
  const line = api.lines.find(({ msg }) => msg === 'audit: entry not stored')
  assert.deepEqual(
    [line?.['level'], line?.['action'], line?.['target'], line?.['tenant_id']],
    [50, 'recipient.created', { kind: 'recipient', id: recipient.id }, 'acme'],
  )
})

test('content is not shown unless the access can be recorded', async () => {
  const auditLog = { append: () => Promise.reject(new Unavailable('the disk is full')), list: async () => [] }
  await using api = await openFixture(world, { auditLog })
  const id = (await (await api.caller())('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' })).json().request_id
  const reader = await api.caller({ scope: 'content:read' })
  const answer = await reader('GET', `/v1/messages/${id}/content`)
  assert.deepEqual([answer.statusCode, answer.json().error_code], [503, 'UNAVAILABLE'])
  assert.match(answer.json().detail, /could not be recorded in the audit log, so nothing is shown/)
  assert.ok(!answer.body.includes(SMS.message))
})

test('a call that is refused records nothing', async () => {
  await using api = await openFixture(world)
  const [admin, reader] = [await api.caller({ scope: 'admin' }), await api.caller({ scope: 'messages:read' })]
  for (const [call, method, path, body] of [
    [reader, 'POST', '/v1/recipients', { external_id: 'user-42' }],
    [admin, 'POST', '/v1/recipients', { external_id: '' }],
    [admin, 'DELETE', '/v1/templates/none', undefined],
    [admin, 'DELETE', '/v1/routes/none', undefined],
    [admin, 'GET', '/v1/messages/01945b3a-8c00-7a30-9d57-0b6f0a3c2e11/content', undefined],
  ] as const) {
    assert.ok((await call(method, path, body)).statusCode >= 400)
  }
  assert.deepEqual((await admin('GET', '/v1/audit')).json().items, [])
})

test('entries contain no texts, addresses, names or secrets', async () => {
  await using api = await openFixture(world)
  const admin = await api.caller({ scope: 'operator' })
  const said = 'Hi Anastasia, your code is secret'
  const person = { name: 'Anastasia', phone: '+5511987654321', email: 'anastasia@example.com' }
  const id = (await admin('POST', '/v1/recipients', { external_id: 'user-42', ...person })).json().id
  await admin('PATCH', `/v1/recipients/${id}`, { phone: '+5511987654399' })
  await admin('DELETE', `/v1/recipients/${id}`)
  await admin('PUT', `/v1/suppressions/${person.email}`, { note: 'Anastasia called' })
  await admin('DELETE', `/v1/suppressions/${person.email}`)
  await admin('PUT', `/v1/limits/recipient/${encodeURIComponent(person.phone)}`, { limit: 1, window_seconds: 60 })
  await admin('POST', '/v1/templates', { name: 'hi', channel: 'email', subject: said, text: said, html: said })
  await admin('PATCH', '/v1/templates/hi', { text: `${said}!` })
  const url = 'https://acme.example/hooks?token=abracadabra'
  const { secret } = (await admin('POST', '/v1/endpoints', { id: 'orders', url })).json()
  await admin('GET', '/v1/endpoints/orders/secret')
  await admin('POST', '/v1/endpoints/orders/rotate', {})
  await admin('POST', '/v1/erasures', { to: person.phone })
  const sent = (await admin('POST', '/v1/sms/send', { to: person.phone, message: said, idempotency_key: 'k' })).json()
  await admin('GET', `/v1/messages/${sent.request_id}/content`)

  const { items, next_cursor: next } = (await admin('GET', '/v1/audit?limit=200')).json()
  const text = JSON.stringify(items)
  assert.deepEqual([items.length, next], [13, null])
  for (const private_ of ['nastasia', '98765', secret, 'abracadabra', said])
    assert.ok(!text.includes(private_), private_)
  assert.ok(text.includes('+*******4321') && text.includes('a***@example.com'))
  const changed = items.find(({ action }: { action: string }) => action === 'template.changed')
  assert.notEqual(changed.before.text.sha256, changed.after.text.sha256)
  assert.equal(changed.after.text.length, said.length + 1)
})

test('a route that records nothing, or something that it does not declare, is reported', async () => {
  const lines: Record<string, unknown>[] = []
  const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })
  const ids = openIds()
  const app = openFastify({ ids, logger })
  checkAudited(app, logger)
  const audit = auditWith({ auditLog: memoryAuditLog(), ids, clock: stopped, logger })
  const actor = { kind: 'anonymous' } as const
  app.post('/forgetful', { schema: audited('thing.made') }, async () => 'done')
  app.post('/failing', { schema: audited('thing.made') }, (_request, reply) => reply.code(409).send())
  app.post('/false', { schema: audited('thing.made') }, (request) =>
    audit(request, { action: 'thing.removed', target: { kind: 'thing', id: '1' }, actor, tenantId: null }),
  )
  app.post('/sometimes', { schema: sometimesAudited('thing.made') }, async () => 'done')
  app.post('/careful', { schema: audited('thing.made') }, async (request) => {
    await audit(request, { action: 'thing.made', target: { kind: 'thing', id: '1' }, actor, tenantId: null })
    return 'done'
  })
  const statusOf = async (url: string) => (await app.inject({ method: 'POST', url })).statusCode
  assert.deepEqual(await Promise.all(['/failing', '/sometimes', '/careful'].map(statusOf)), [409, 200, 200])
  assert.deepEqual(lines, [])
  assert.equal(await statusOf('/false'), 500)
  assert.equal(await statusOf('/forgetful'), 200)
  const reported = lines.filter(({ msg }) => msg === UNAUDITED).map(({ route }) => route)
  assert.deepEqual(reported, ['/forgetful'])
})
