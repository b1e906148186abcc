/** The API of the matrix: who may call it, and tenants that have one thing of every kind. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Role, User, UserId } from '../../domain/access/user.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Inbox, ReceivedMail } from '../../ports/simulator-inbox.ts'
import { type Call, openFixture, SMS, type World } from '../server.fixture.ts'
import type { Kind } from './matrix.fixture.ts'

export type Api = Awaited<ReturnType<typeof openMatrix>>

/** Whoever calls, and the tenant that bodies and paths name. */
export type Caller = Readonly<{ call: Call; tenant: string }>

export const openMatrix = (world: World) => openFixture(world, { inbox })

/** Every tenant has received one email, by the attempt `<tenant>-mail`. */
const inbox: Inbox = {
  list: async ({ tenantId }) => [
    { ...RECEIVED, channel: 'email', body: `Hello ${tenantId}`, attemptId: `${tenantId}-mail` },
  ],
  mail: async ({ tenantId, attemptId }) => (attemptId === `${tenantId}-mail` ? mailOf(tenantId) : undefined),
}

const NOBODY = '00000000-0000-7000-8000-000000000000'
const RECEIVED = { to: 'ana@example.com', messageId: NOBODY, receivedAt: 0 }

const mailOf = (tenantId: TenantId): ReceivedMail => ({
  ...RECEIVED,
  from: { address: 'shop@example.com' as EmailAddress },
  letter: {
    subject: `For ${tenantId}`,
    html: '<p>Hello</p>',
    attachments: [{ filename: 'a.txt', contentType: 'text/plain', content: 'aGk=' }],
  },
  raw: Buffer.from(`Hello ${tenantId}`),
})

/** A call without credentials. */
export const anonymousOf =
  ({ app }: Api): Call =>
  (method, url, payload, headers) =>
    app.inject({ method, url, ...(payload !== undefined && { payload }), headers: { ...headers } })

const PASSWORD = 'four words are easy'

/** Makes calls with the session of a new user. `csrf: false`: without the header that other sites cannot send. */
export async function sessionOf(
  api: Api,
  tenant: string,
  role: Role,
  { csrf = true }: Readonly<{ csrf?: boolean }> = {},
): Promise<Caller> {
  const user = userOf(api, tenant, role)
  await api.deps.users.add(user)
  const anonymous = anonymousOf(api)
  const answer = await anonymous('POST', '/v1/session', { email: user.email, password: PASSWORD })
  assert.equal(answer.statusCode, 200, answer.body)
  const [cookie = ''] = String(answer.headers['set-cookie']).split(';')
  const own = { cookie, ...(csrf && { 'x-csrf-token': answer.json().csrf_token }) }
  const call: Call = (method, url, payload, headers) => anonymous(method, url, payload, { ...headers, ...own })
  return { tenant, call }
}

const userOf = ({ clock }: Api, tenant: string, role: Role): User => ({
  id: randomUUID() as string as UserId,
  tenantId: tenant as TenantId,
  email: `${role}@${tenant}.example` as EmailAddress,
  role,
  state: 'active',
  signIn: { kind: 'password', password: `new ${PASSWORD}` },
  version: 1,
  createdAt: clock(),
  updatedAt: clock(),
})

/** Makes calls with a new API key of the tenant. */
export async function keyOf(
  api: Api,
  tenant: string,
  { scopes, mode = 'live' }: Readonly<{ scopes: readonly string[]; mode?: 'live' | 'test' }>,
): Promise<Caller> {
  const admin = await api.caller({ tenant_id: tenant, scope: 'admin' })
  const created = await admin('POST', '/v1/api-keys', { name: 'Matrix', scopes, mode })
  assert.equal(created.statusCode, 201, created.body)
  return { tenant, call: api.callerWith(created.json().key) }
}

/** Keys of things that never existed. */
export const NEVER: Keys = {
  sms: NOBODY,
  email: NOBODY,
  endpoint: 'never',
  route: 'never',
  limit: 'never',
  recipient: NOBODY,
  suppression: 'never@example.com',
  template: 'never',
  domain: 'never.example',
  apiKey: '000000000000',
  user: NOBODY,
  erasure: NOBODY,
  mail: 'never',
}

export type Keys = Readonly<Record<Kind, string>>

/** One thing of every kind; all that have a name are named after the tenant. The SMS is a dead letter. */
export async function fillTenant(api: Api, tenant: string): Promise<Keys> {
  const call = await api.caller({ tenant_id: tenant, scope: 'admin' })
  const post = async (url: string, body: object, read: string): Promise<string> => {
    const answer = await call('POST', url, body)
    assert.ok(answer.statusCode < 300, `${url}: ${answer.body}`)
    return String(
      read.split('/').reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], answer.json()),
    )
  }
  const [ana, ben] = [`ana@${tenant}.example`, `ben@${tenant}.example`]
  const mail = { to: ana, subject: `For ${tenant}`, html: '<p>Hello</p>', idempotency_key: 'email' }
  const sms = await post('/v1/sms/send', { ...SMS, tags: [tenant], idempotency_key: 'sms' }, 'id')
  await api.happen(
    sms,
    { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' },
    { kind: 'DeadLettered', code: 'TIMEOUT', detail: 'no answer' },
  )
  await call('PUT', `/v1/limits/account/${tenant}`, { limit: 1000, window_seconds: 60 })
  await call('PUT', `/v1/suppressions/${ben}`, { reason: 'manual' })
  const keys = {
    sms,
    email: await post('/v1/email/send', mail, 'id'),
    endpoint: await post('/v1/endpoints', { url: `https://${tenant}.example/hooks` }, 'id'),
    route: await post('/v1/routes', { id: `${tenant}-route`, channel: 'sms', providers: ['fake'] }, 'id'),
    limit: tenant,
    recipient: await post('/v1/recipients', { external_id: `${tenant}-user`, phone: SMS.to }, 'id'),
    suppression: ben,
    template: await post('/v1/templates', { name: `${tenant}-hello`, channel: 'sms', text: 'Hello' }, 'name'),
    domain: await post('/v1/domains', { domain: `${tenant}.example` }, 'domain'),
    apiKey: await post('/v1/api-keys', { name: `Shop of ${tenant}`, scopes: ['sms:send'] }, 'id'),
    user: await post('/v1/users', { email: `cleo@${tenant}.example`, role: 'viewer' }, 'user/id'),
    erasure: await post('/v1/erasures', { to: '+15005550100' }, 'id'),
    mail: `${tenant}-mail`,
  }
  await api.project()
  return keys
}
