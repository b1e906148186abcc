import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import type { Inbox } from '../../ports/simulator-inbox.ts'
import { EVENT_SCHEMAS, SINK_SCHEMAS, toSchemaFile } from '../messages/event-schemas.ts'
import { CODE, openFixture, SMS } from '../server.fixture.ts'
import { ALERT_SCHEMAS, BREAKER_EVENT_SCHEMA } from '../webhooks/alert-schemas.ts'
import { renderErrorsPage } from './errors-page.ts'
import { renderOpenApi } from './openapi.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const STALE = 'stale: run npm run docs'
const readDoc = (name: string): Promise<string> => readFile(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')

type Operation = {
  operationId: string
  tags: string[]
  summary: string
  description: string
  security?: unknown[]
  responses: Record<string, Response | { $ref: string }>
}
type Response = { description: string; content: Record<string, { schema: object }> }
type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; responses: Record<string, Response> }
}
const document: Document = JSON.parse(await renderOpenApi())
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

describe('the generated pages are up to date', () => {
  test('docs/openapi.json', async () => assert.deepEqual(JSON.parse(await readDoc('openapi.json')), document, STALE))
  test('docs/errors.md', async () => assert.equal(await readDoc('errors.md'), renderErrorsPage(), STALE))
  for (const [name, schema] of Object.entries({
    ...EVENT_SCHEMAS,
    ...SINK_SCHEMAS,
    ...ALERT_SCHEMAS,
    ...BREAKER_EVENT_SCHEMA,
  })) {
    const made = JSON.parse(JSON.stringify(toSchemaFile(name, schema)))
    test(`docs/events/${name}.schema.json`, async () =>
      assert.deepEqual(JSON.parse(await readDoc(`events/${name}.schema.json`)), made, STALE))
  }
})

test('the server serves the same document', async () => {
  await using api = await openFixture(world, { inbox: { list: async () => [], mail: async () => undefined } })
  assert.deepEqual((await api.app.inject('/openapi.json')).json(), document)
})

test('every operation has a unique operationId, a tag, a summary and a description', () => {
  for (const { path, method, operation } of operations) {
    assert.ok(operation.tags?.length === 1 && operation.summary && operation.description, `${method} ${path}`)
  }
  assert.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length)
})

test('only health, metrics, provider callbacks and signing in need no token', () => {
  const open = operations.filter(({ operation }) => operation.security !== undefined).map(({ path }) => path)
  assert.deepEqual(open.toSorted(), [
    '/health/live',
    '/health/ready',
    '/metrics',
    '/v1/callbacks/{provider}',
    '/v1/callbacks/{provider}',
    '/v1/session',
    '/v1/session',
    '/v1/session',
    '/v1/session/accept-invitation',
    '/v1/session/invitation',
    '/v1/session/oidc',
    '/v1/session/oidc/callback',
    '/v1/sms/webhook',
  ])
})

test('every response matches its documented schema', async () => {
  const messageId = '00000000-0000-4000-8000-000000000000'
  const inbox: Inbox = {
    list: async () => [{ channel: 'sms', to: SMS.to, body: 'Hi', attemptId: 'a', messageId, receivedAt: 0 }],
    mail: async () => undefined,
  }
  await using api = await openFixture(world, { inbox })
  const call = await api.caller({ scope: 'operator' })
  const sent = await call('POST', '/v1/sms/send', { ...SMS, tags: ['t'], idempotency_key: 'k' })
  const id = sent.json().request_id
  const code = await call('POST', '/v1/otp/generate', { to: SMS.to, idempotency_key: 'k' })
  await api.happen(
    id,
    { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' },
    { kind: 'DeadLettered', code: 'TIMEOUT', detail: 'no answer' },
  )
  const unknown = (await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'd' })).json().request_id
  await api.happen(
    unknown,
    { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' },
    { kind: 'HandoffUnknown', code: 'TIMEOUT', detail: 'no answer', reconcileAt: api.clock() },
  )
  await api.project()
  await enqueueDelivery(api, unknown)
  const item = { ...SMS, idempotency_key: 'b' }
  const mail = { to: 'ana@example.com', subject: 'Hi', html: '<p>Hi</p>' }
  const mailed = (await call('POST', '/v1/email/send', { ...mail, idempotency_key: 'mail' })).json().request_id
  const key = (await call('POST', '/v1/api-keys', { name: 'Shop', scopes: ['otp'], networks: ['::1'] })).json()
  for (const [operationId, method, url, payload] of [
    ['sendSms', 'POST', '/v1/sms/send', { ...SMS, tags: ['t'], idempotency_key: 'k' }],
    ['sendSms', 'POST', '/v1/sms/send', {}],
    ['sendSms', 'POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' }],
    ['getSms', 'GET', `/v1/sms/${id}`, undefined],
    ['getSms', 'GET', '/v1/sms/nonsense', undefined],
    ['sendEmail', 'POST', '/v1/email/send', { ...mail, idempotency_key: 'mail' }],
    ['sendEmail', 'POST', '/v1/email/send', { ...mail, html: '' }],
    ['getEmail', 'GET', `/v1/email/${mailed}`, undefined],
    ['getEmail', 'GET', `/v1/email/${id}`, undefined],
    ['sendBatch', 'POST', '/v1/messages/batch', { items: [item, {}] }],
    ['listMessages', 'GET', '/v1/messages?limit=1', undefined],
    ['getMessage', 'GET', `/v1/messages/${id}`, undefined],
    ['getMessage', 'GET', `/v1/messages/${mailed}`, undefined],
    ['getMessageContent', 'GET', `/v1/messages/${id}/content`, undefined],
    ['getMessageContent', 'GET', `/v1/messages/${mailed}/content`, undefined],
    ['getMessageContent', 'GET', `/v1/messages/${code.json().request_id}/content`, undefined],
    ['getMessageContent', 'GET', '/v1/messages/nonsense/content', undefined],
    ['listDeadLetters', 'GET', '/v1/dead-letters', undefined],
    ['replayDeadLetters', 'POST', '/v1/dead-letters/replay', {}],
    ['replayDeadLetter', 'POST', `/v1/dead-letters/${id}/replay`, undefined],
    ['resendMessage', 'POST', `/v1/messages/${id}/resend`, undefined],
    ['resolveMessage', 'POST', `/v1/messages/${id}/resolve`, { as: 'sent' }],
    ['resolveMessage', 'POST', `/v1/messages/${unknown}/resolve`, { as: 'sent' }],
    ['resolveMessage', 'POST', `/v1/messages/${id}/resolve`, {}],
    ['eraseMessage', 'POST', `/v1/messages/${id}/erase`, undefined],
    ['getMessage', 'GET', `/v1/messages/${id}`, undefined],
    ['createErasure', 'POST', '/v1/erasures', { to: SMS.to }],
    ['listErasures', 'GET', '/v1/erasures', undefined],
    ['getErasure', 'GET', '/v1/erasures/none', undefined],
    ['getErasurePublicKey', 'GET', '/v1/erasures/public-key', undefined],
    ['verifyErasureReceipt', 'POST', '/v1/erasures/verify', {}],
    ['addRecipient', 'POST', '/v1/recipients', { external_id: 'user-42', name: 'Ana' }],
    ['addRecipient', 'POST', '/v1/recipients', { external_id: 'user-42' }],
    ['listRecipients', 'GET', '/v1/recipients', undefined],
    ['getRecipient', 'GET', '/v1/recipients/nobody', undefined],
    ['putSuppression', 'PUT', '/v1/suppressions/ana@example.com', { note: 'by phone' }],
    ['putSuppression', 'PUT', '/v1/suppressions/nobody', {}],
    ['sendEmail', 'POST', '/v1/email/send', { ...mail, idempotency_key: 'suppressed' }],
    ['importSuppressions', 'POST', '/v1/suppressions', { items: [{ address: 'eva@example.com' }] }],
    ['importSuppressions', 'POST', '/v1/suppressions', { items: [] }],
    ['listSuppressions', 'GET', '/v1/suppressions', undefined],
    ['getSuppression', 'GET', '/v1/suppressions/ana@example.com', undefined],
    ['getSuppression', 'GET', '/v1/suppressions/nobody', undefined],
    ['addTemplate', 'POST', '/v1/templates', { name: 'hi', channel: 'sms', text: 'Hi' }],
    ['listTemplates', 'GET', '/v1/templates', undefined],
    ['getTemplate', 'GET', '/v1/templates/hi', undefined],
    ['listTemplateVersions', 'GET', '/v1/templates/hi/versions', undefined],
    ['changeTemplate', 'PATCH', '/v1/templates/hi', { text: 'Hello' }],
    ['previewTemplate', 'POST', '/v1/templates/preview', { name: 'hi' }],
    ['addRoute', 'POST', '/v1/routes', { id: 'all', channel: 'sms', providers: ['fake'] }],
    ['addRoute', 'POST', '/v1/routes', { id: 'all', channel: 'sms', providers: [] }],
    ['listRoutes', 'GET', '/v1/routes', undefined],
    ['getRoute', 'GET', '/v1/routes/all', undefined],
    ['changeRoute', 'PATCH', '/v1/routes/all', { providers: [{ name: 'fake', weight: 1 }] }],
    ['resolveRoute', 'POST', '/v1/routes/resolve', { to: SMS.to }],
    ['getRoute', 'GET', '/v1/routes/none', undefined],
    ['addEndpoint', 'POST', '/v1/endpoints', { id: 'orders', url: 'https://acme.example' }],
    ['addEndpoint', 'POST', '/v1/endpoints', { id: 'orders', url: 'https://acme.example' }],
    ['addEndpoint', 'POST', '/v1/endpoints', {}],
    ['listEndpoints', 'GET', '/v1/endpoints', undefined],
    ['getEndpoint', 'GET', '/v1/endpoints/orders', undefined],
    ['getEndpoint', 'GET', '/v1/endpoints/none', undefined],
    ['changeEndpoint', 'PATCH', '/v1/endpoints/orders', { enabled: false }],
    ['getEndpointSecret', 'GET', '/v1/endpoints/callback/secret', undefined],
    ['rotateEndpointSecret', 'POST', '/v1/endpoints/orders/rotate', {}],
    ['listWebhookDeliveries', 'GET', '/v1/endpoints/orders/deliveries', undefined],
    ['listMessageWebhookDeliveries', 'GET', `/v1/messages/${unknown}/webhook-deliveries`, undefined],
    ['testEndpoint', 'POST', '/v1/endpoints/orders/test', {}],
    ['testEndpoint', 'POST', '/v1/endpoints/orders/test', { event: 'dead_letters.high' }],
    ['listWebhookAttempts', 'GET', '/v1/endpoints/orders/attempts', undefined],
    ['getWebhookAttempt', 'GET', '/v1/endpoints/orders/attempts/none', undefined],
    ['replayWebhookDeliveries', 'POST', '/v1/endpoints/orders/replay', { message_id: unknown }],
    ['listAuditEntries', 'GET', '/v1/audit', undefined],
    ['listAuditEntries', 'GET', '/v1/audit?cursor=none', undefined],
    ['getStats', 'GET', '/v1/stats', undefined],
    ['getErrorStats', 'GET', '/v1/stats/errors', undefined],
    ['getErrorStats', 'GET', '/v1/stats/errors?from=noon', undefined],
    ['getQueue', 'GET', '/v1/queue', undefined],
    ['listProviders', 'GET', '/v1/providers', undefined],
    ['addTenant', 'POST', '/v1/tenants', { id: 'acme', providers: ['fake'], quotas: { routes: 3 } }],
    ['addTenant', 'POST', '/v1/tenants', { id: 'acme' }],
    ['addTenant', 'POST', '/v1/tenants', { id: 'other', providers: ['none'] }],
    ['listTenants', 'GET', '/v1/tenants', undefined],
    ['getTenant', 'GET', '/v1/tenants/acme', undefined],
    ['getTenant', 'GET', '/v1/tenants/nobody', undefined],
    ['changeTenant', 'PATCH', '/v1/tenants/acme', { name: 'Acme', quotas: null }],
    ['changeTenant', 'PATCH', '/v1/tenants/acme', {}],
    ['changeTenant', 'PATCH', '/v1/tenants/nobody', { name: 'Nobody' }],
    ['createApiKey', 'POST', '/v1/api-keys', { name: 'Shop', scopes: ['otp'], expires_in_days: 1 }],
    ['createApiKey', 'POST', '/v1/api-keys', {}],
    ['listApiKeys', 'GET', '/v1/api-keys', undefined],
    ['getApiKey', 'GET', `/v1/api-keys/${key.id}`, undefined],
    ['getApiKey', 'GET', '/v1/api-keys/nonsense', undefined],
    ['rotateApiKey', 'POST', `/v1/api-keys/${key.id}/rotate`, {}],
    ['rotateApiKey', 'POST', '/v1/api-keys/nonsense/rotate', {}],
    ['revokeApiKey', 'DELETE', '/v1/api-keys/nonsense', undefined],
    ['setProviderBreaker', 'POST', '/v1/providers/fake/breaker', { action: 'trip', seconds: 60 }],
    ['setProviderBreaker', 'POST', '/v1/providers/fake/breaker', { action: 'reset' }],
    ['setProviderBreaker', 'POST', '/v1/providers/fake/breaker', {}],
    ['setProviderBreaker', 'POST', '/v1/providers/none/breaker', { action: 'trip' }],
    ['listSimulatorInbox', 'GET', '/v1/simulator/inbox', undefined],
    ['generateOtp', 'POST', '/v1/otp/generate', { to: SMS.to, idempotency_key: 'k' }],
    ['generateOtp', 'POST', '/v1/otp/generate', { to: SMS.to, idempotency_key: 'k', max_attempts: 1 }],
    ['generateOtp', 'POST', '/v1/otp/generate', {}],
    ['validateOtp', 'POST', '/v1/otp/validate', { challenge_id: messageId, code: CODE }],
    ['validateOtp', 'POST', '/v1/otp/validate', { challenge_id: messageId, code: '' }],
    ['validateOtp', 'POST', '/v1/otp/validate', { challenge_id: code.json().challenge_id, code: '000000' }],
    ['getOtpChallenge', 'GET', `/v1/otp/${code.json().challenge_id}`, undefined],
    ['getOtpChallenge', 'GET', '/v1/otp/nonsense', undefined],
    ['resendOtp', 'POST', `/v1/otp/${code.json().challenge_id}/resend`, undefined],
    ['cancelOtpChallenge', 'POST', `/v1/otp/${code.json().challenge_id}/cancel`, undefined],
    ['cancelOtpChallenge', 'POST', `/v1/otp/${messageId}/cancel`, undefined],
    ['getLiveness', 'GET', '/health/live', undefined],
    ['getReadiness', 'GET', '/health/ready', undefined],
    ['receiveProviderCallback', 'POST', '/v1/callbacks/fake', '[]'],
    ['receiveProviderCallbackByGet', 'GET', '/v1/callbacks/fake', undefined],
  ] as const) {
    const answer = await call(method, url, payload)
    const type = String(answer.headers['content-type']).replace(/;.*/, '')
    const operation = operations.find((one) => one.operation.operationId === operationId)?.operation
    const schema = responseOf(operation, answer.statusCode)?.content[type]?.schema
    assert.ok(schema, `${operationId} does not document ${answer.statusCode} ${type}`)
    const problems = Compile(closed(schema)).Errors(answer.json())
    assert.deepEqual(problems, [], `${operationId} ${answer.statusCode}: ${answer.body}`)
  }
})

function responseOf(operation: Operation | undefined, status: number): Response | undefined {
  const response = operation?.responses[status]
  if (response === undefined || !('$ref' in response)) return response
  return document.components.responses[response.$ref.split('/').at(-1) ?? '']
}

/** Lets there be a webhook delivery of a message: as if it had a callback. */
async function enqueueDelivery({ deps, clock }: Awaited<ReturnType<typeof openFixture>>, id: string): Promise<void> {
  const latest = (await deps.log.read(id as never)).at(-1)
  if (latest === undefined) throw new Error('no such message')
  const { position, event } = latest
  const { tenantId, accountId, id: messageId } = event.state
  await deps.webhookDeliveries.enqueue([{ messageId, tenantId, accountId, position, hasCallback: true, at: clock() }])
}

/** With its references followed, and no field left untold. */
function closed(schema: object): object {
  const { $ref, ...own } = schema as { $ref?: string }
  if ($ref !== undefined) return closed(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {})
  const inner = Object.fromEntries(
    Object.entries(own).map(([key, value]) => [key, key === 'examples' ? value : closedValue(value)]),
  )
  return 'properties' in inner ? { additionalProperties: false, ...inner } : inner
}

const closedValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closedValue)
  return typeof value === 'object' && value !== null ? closed(value) : value
}
