import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { cookieOf, EMAIL, openSignInWorld, PASSWORD } from '../../../test/support/sign-in-world.ts'
import type { AuditId } from '../../domain/access/audit.ts'
import type { Fact } from '../../domain/message/events.ts'
import type { IdentityProvider } from '../../ports/identity-provider.ts'
import { box } from '../../ports/users.contract.ts'
import { renderOpenApi } from '../http/openapi.ts'
import { SMS } from '../server.fixture.ts'

type Operation = Readonly<{ operationId: string; 'x-audit'?: string[]; 'x-audit-sometimes'?: string[] }>
type Document = Readonly<{ paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }>
const document: Document = JSON.parse(await renderOpenApi())
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, ...operation })),
)
const declared = operations.flatMap((operation) =>
  [...(operation['x-audit'] ?? []), ...(operation['x-audit-sometimes'] ?? [])].map((action) => ({
    action,
    operationId: operation.operationId,
  })),
)

test('docs/audit-log.md lists every action, and no other', async () => {
  const page = await readFile(new URL('../../../docs/audit-log.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  const listed = rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, action]) => action),
  )
  assert.deepEqual(listed.toSorted(), [...new Set(declared.map(({ action }) => action))].toSorted())
})

type Call = Readonly<{
  /** The parameters in the path. */
  path?: Readonly<Record<string, string>>
  query?: string
  body?: object
  headers?: Readonly<Record<string, string>>
}>

/** An identity provider that names whom the test says. */
function openProvider() {
  const claims = { sub: 'sub|1', email: 'zoe@example.com', name: 'Zoe', pombo_role: 'support', pombo_tenant: 'acme' }
  const provider: IdentityProvider = {
    begin: async () => ({ url: 'https://idp.example', checks: { state: 's', nonce: 'n', verifier: 'v' } }),
    finish: async () => ({ kind: 'claims', claims: { ...claims } }),
  }
  return { claims, identity: { provider, rules: { roleClaim: 'pombo_role', tenantClaim: 'pombo_tenant' } } }
}

async function open() {
  const { claims, identity } = openProvider()
  const world = await openSignInWorld({ identity }, { role: 'admin' })
  const { api } = world
  const operator = { authorization: `Bearer ${await api.token({ scope: 'operator', sub: 'root' })}` }
  const recorded: string[] = []
  let last: AuditId | undefined

  /** Calls the operation, which must record these actions, the newest first. */
  async function does(operationId: string, actions: readonly string[], call: Call = {}) {
    const operation = operations.find((one) => one.operationId === operationId)
    assert.ok(operation !== undefined, operationId)
    const { path = {}, query = '', body, headers = operator } = call
    const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''))
    const method = operation.method.toUpperCase() as 'POST'
    const answer = await world.call(method, filled + query, body, headers)
    const fresh = (await api.deps.auditLog.list({ limit: 10 })).filter(({ id }) => last === undefined || id > last)
    assert.deepEqual(
      fresh.map(({ action }) => action),
      actions,
      `${operationId}: ${answer.statusCode} ${answer.body}`,
    )
    last = fresh[0]?.id ?? last
    recorded.push(...actions.map((action) => `${operationId} ${action}`))
    return answer
  }
  return { ...world, claims, operator, recorded, does }
}
type World = Awaited<ReturnType<typeof open>>

test('every operation records the actions that it declares', async () => {
  await using world = await open()
  for (const act of [
    directory,
    templates,
    routing,
    webhooks,
    messages,
    erasing,
    tenants,
    keys,
    users,
    sessions,
    oidc,
  ]) {
    await act(world)
  }
  await world.does('exportAuditLog', ['audit_log.exported'])
  const day = { query: '?day=2030-01-31&with_content=true' }
  await world.does('exportMessages', ['message.content_exported'], day)
  const wanted = declared.map(({ operationId, action }) => `${operationId} ${action}`)
  assert.deepEqual([...new Set(world.recorded)].toSorted(), wanted.toSorted())
})

async function directory({ does }: World): Promise<void> {
  const path = { id: (await does('addRecipient', ['recipient.created'], { body: { name: 'Ana' } })).json().id }
  await does('changeRecipient', ['recipient.changed'], { path, body: { name: 'Eva' } })
  await does('removeRecipient', ['recipient.removed'], { path })
  const address = 'ana@example.com'
  await does('importSuppressions', ['suppression.imported'], { body: { items: [{ address }] } })
  await does('putSuppression', ['suppression.set'], { path: { address }, body: {} })
  await does('removeSuppression', ['suppression.removed'], { path: { address } })
}

async function templates({ does }: World): Promise<void> {
  const body = { name: 'hi', channel: 'sms', text: 'Hi' }
  await does('addTemplate', ['template.created'], { body })
  await does('addTemplate', ['template.changed'], { body })
  await does('changeTemplate', ['template.changed'], { path: { name: 'hi' }, body: { text: 'Ho' } })
  await does('removeTemplate', ['template.removed'], { path: { name: 'hi' } })
}

async function routing({ does }: World): Promise<void> {
  const path = { id: 'brazil' }
  await does('addRoute', ['route.created'], { body: { ...path, channel: 'sms', providers: ['fake'] } })
  await does('changeRoute', ['route.changed'], { path, body: { prefix: '+55' } })
  await does('removeRoute', ['route.removed'], { path })
  const limit = { scope: 'account', key: 'shop' }
  await does('setLimit', ['limit.set'], { path: limit, body: { limit: 5, window_seconds: 60 } })
  await does('removeLimit', ['limit.removed'], { path: limit })
  await does('configureUser', ['limit.set'], { body: { userId: 1, rateLimit: 5, timeWindow: 1 } })
  const provider = { name: 'fake' }
  await does('setProviderBreaker', ['breaker.tripped'], { path: provider, body: { action: 'trip' } })
  await does('setProviderBreaker', ['breaker.reset'], { path: provider, body: { action: 'reset' } })
}

async function webhooks({ does }: World): Promise<void> {
  const path = { id: 'orders' }
  await does('addEndpoint', ['endpoint.created'], { body: { ...path, url: 'https://acme.example' } })
  await does('changeEndpoint', ['endpoint.changed'], { path, body: { enabled: false } })
  await does('getEndpointSecret', ['endpoint.secret_read'], { path })
  await does('rotateEndpointSecret', ['endpoint.secret_rotated'], { path, body: {} })
  await does('replayWebhookDeliveries', ['endpoint.deliveries_replayed'], {
    path,
    body: { since: '2030-01-31T00:00:00Z' },
  })
  await does('testEndpoint', ['endpoint.tested'], { path, body: {} })
  await does('removeEndpoint', ['endpoint.removed'], { path })
}

const ATTEMPTED: Fact = { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' }
const DEAD: Fact = { kind: 'DeadLettered', code: 'TIMEOUT', detail: 'no answer' }

async function messages({ api, call, does, operator }: World): Promise<void> {
  const send = async (key: string, last: Fact): Promise<string> => {
    const { request_id: id } = (await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: key }, operator)).json()
    await api.happen(id, ATTEMPTED, last)
    return id
  }
  const dead = await send('dead', DEAD)
  const overridden = { path: { id: dead }, query: '?override_limits=true' }
  await does('getMessageContent', ['message.content_read'], { path: { id: dead } })
  await does('resendMessage', ['message.limits_overridden'], overridden)
  await api.happen(dead, ATTEMPTED, DEAD)
  await does('replayDeadLetter', [], { path: { id: dead } })
  await api.happen(dead, ATTEMPTED, DEAD)
  await does('replayDeadLetter', ['message.limits_overridden'], overridden)
  await api.happen(dead, ATTEMPTED, DEAD)
  await api.project()
  const { query } = overridden
  await does('replayDeadLetters', ['message.limits_overridden'], { query, body: {} })
  const unknown: Fact = { kind: 'HandoffUnknown', code: 'TIMEOUT', detail: 'no answer', reconcileAt: api.clock() }
  await does('resolveMessage', ['message.resolved'], {
    path: { id: await send('unknown', unknown) },
    body: { as: 'sent' },
  })
}

async function erasing({ call, does, operator }: World): Promise<void> {
  const { request_id: id } = (await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'e' }, operator)).json()
  await does('eraseMessage', ['message.erased'], { path: { id } })
  await does('createErasure', ['erasure.started'], { body: { to: SMS.to } })
}

async function tenants({ does }: World): Promise<void> {
  await does('addTenant', ['tenant.created'], { body: { id: 'globex' } })
  await does('changeTenant', ['tenant.changed'], { path: { id: 'globex' }, body: { name: 'Globex' } })
  const path = { domain: 'acme.example' }
  await does('addDomain', ['domain.created'], { body: path })
  await does('verifyDomain', ['domain.checked'], { path })
  await does('removeDomain', ['domain.removed'], { path })
}

async function keys({ does }: World): Promise<void> {
  const body = { name: 'Shop', scopes: ['sms:send'] }
  const { id } = (await does('createApiKey', ['api_key.created'], { body })).json()
  await does('rotateApiKey', ['api_key.rotated'], { path: { id }, body: {} })
  await does('revokeApiKey', ['api_key.revoked'], { path: { id } })
}

async function users({ does }: World): Promise<void> {
  const made = await does('createUser', ['user.created'], { body: { email: 'bob@example.com', role: 'viewer' } })
  const path = { id: made.json().user.id }
  await does('changeUser', ['user.changed'], { path, body: { role: 'support' } })
  const invited = await does('inviteUser', ['user.invited'], { path })
  const [, token] = invited.json().invitation.url.split('#invitation=')
  await does('acceptInvitation', ['user.invitation_accepted'], { body: { token, password: PASSWORD }, headers: {} })
  await does('removeUser', ['user.removed'], { path })
}

async function sessions({ does }: World): Promise<void> {
  const wrong = { email: EMAIL, password: 'wrong words' }
  await does('signIn', ['user.sign_in_failed'], { body: wrong, headers: {} })
  await does('signIn', [], { body: { ...wrong, email: box('nobody@example.com') }, headers: {} })
  const signedIn = await does('signIn', ['user.signed_in'], { body: { email: EMAIL, password: PASSWORD }, headers: {} })
  const headers = { cookie: cookieOf(signedIn), 'x-csrf-token': String(signedIn.json().csrf_token) }
  const changed = await does('changePassword', ['user.password_changed'], {
    body: { current_password: PASSWORD, new_password: `${PASSWORD} too` },
    headers,
  })
  const renewed = { cookie: cookieOf(changed), 'x-csrf-token': String(changed.json().csrf_token) }
  await does('signOut', ['user.signed_out'], { headers: renewed })
}

async function oidc({ call, claims, does }: World): Promise<void> {
  const finish = async (...actions: readonly string[]) => {
    const headers = { cookie: cookieOf(await call('GET', '/v1/session/oidc')) }
    await does('finishOidcSignIn', actions, { query: '?code=c&state=s', headers })
  }
  await finish('user.signed_in', 'user.created')
  await finish('user.signed_in')
  claims.pombo_role = 'viewer'
  await finish('user.signed_in', 'user.changed')
}
