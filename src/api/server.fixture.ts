/** The API for tests: a settable clock, tokens for any caller, captured log lines, and a fake provider. */
import assert from 'node:assert/strict'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { SignJWT } from 'jose'
import pino, { type Logger } from 'pino'
import { Registry } from 'prom-client'
import type { ApiKeyId } from '../domain/access/api-key.ts'
import { quotasBy } from '../domain/access/quotas.ts'
import type { TenantPolicy } from '../domain/access/tenant.ts'
import { type MessageId, parseProviderName, type RouteId } from '../domain/ids.ts'
import type { Fact } from '../domain/message/events.ts'
import { CHANNELS } from '../domain/message/message.ts'
import type { CodeHash } from '../domain/otp/challenge.ts'
import type { Route } from '../domain/routing/routing.ts'
import { NO_BODY } from '../domain/webhooks/kept-text.ts'
import { project } from '../flows/admin/project.ts'
import type { Blind } from '../flows/admin/search.ts'
import { record, toSeen } from '../flows/record.ts'
import type { Clock } from '../lib/clock.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Instant, instant, later, type Millis, millis, seconds } from '../lib/time.ts'
import type { CodeHasher } from '../ports/code-hasher.ts'
import type { DnsLookup } from '../ports/dns-lookup.ts'
import type { DomainSecrets } from '../ports/domain-secrets.ts'
import type { Engines } from '../ports/engines.ts'
import type { Position } from '../ports/event-log.ts'
import type { HtmlInspector } from '../ports/html-inspector.ts'
import type { IndexWriter } from '../ports/message-index.ts'
import type { Provider, Receipt } from '../ports/provider.ts'
import type { Renderer } from '../ports/renderer.ts'
import type { Ids } from '../ports/world.ts'
import { openKeyVerifier } from './access/api-key-auth.ts'
import { UNAUDITED } from './access/audit.ts'
import { openAuthenticator } from './access/authenticator.ts'
import { tenantCheck } from './access/check-tenant.ts'
import { openTokenVerifier } from './access/jwt.ts'
import { signInParts } from './access/sign-in.fixture.ts'
import type { Authenticator } from './http/auth.ts'
import { type ApiDeps, openApi } from './server.ts'

export const SECRET = new TextEncoder().encode('a secret of at least thirty-two bytes')
const START = instant(Date.parse('2030-01-31T12:00:00Z'))
const SIGNATURE = 'true'

type Engine = Pick<
  ApiDeps,
  | 'log'
  | 'feed'
  | 'queue'
  | 'index'
  | 'limiter'
  | 'rules'
  | 'challenges'
  | 'recipients'
  | 'templates'
  | 'routes'
  | 'tenants'
  | 'domains'
  | 'endpoints'
  | 'webhookDeliveries'
  | 'webhookAttempts'
  | 'suppressions'
  | 'erasures'
  | 'apiKeys'
  | 'auditLog'
  | 'users'
  | 'sessions'
  | 'breakers'
> &
  Pick<Engines, 'indexWriter' | 'retention' | 'usage' | 'usageRecords' | 'limitedSends'>

export type World = Readonly<{
  openEngine: (options: { clock: Clock; blind: Blind; file: readonly Route[] }) => Engine
  ids: Ids
}>

export async function openFixture(
  { openEngine, ids }: World,
  overrides: Partial<ApiDeps> = {},
  tenantPolicy: TenantPolicy = 'any',
) {
  let now: Instant = START
  const clock: Clock = () => now
  const blind: Blind = (tenantId, recipient) => `${tenantId} ${recipient}`
  const engine = openEngine({ clock, blind, file: ROUTES })
  const { log, indexWriter } = engine
  const lines: Record<string, unknown>[] = []
  const { signIn = signInParts({ ...engine, clock }) } = overrides
  const auth = await openAuth({ ...engine, apiKeySecrets, clock, signIn, ...overrides }, tenantPolicy)
  const deps: ApiDeps = {
    ...engine,
    ...CODES,
    ...FAKES,
    defaultLocale: 'en',
    quotasOf: quotasBy((tenantId) => engine.tenants.of(tenantId)),
    clock,
    ids,
    blind,
    auth,
    signIn,
    maxParts: 24,
    attemptLease: seconds(20),
    retentionPolicy: { rules: [] },
    providers: new Map([[provider.name, provider]]),
    publicUrl: 'https://pombo.example',
    health: async () => ({ log: { ok: true, needed: true } }),
    metrics: new Registry(),
    logger: keepLines(lines),
    ...overrides,
  }
  const app = await openApi(deps)

  return {
    app,
    deps,
    lines,
    clock,
    pass: (by: Millis) => {
      now = later(now, by)
    },
    /** Makes calls with a token, by default with every scope but admin. */
    caller: async (claims: Readonly<Record<string, unknown>> = {}): Promise<Call> =>
      callerWith(app, await sign({ ...FULL, ...claims }, now)),
    /** Makes calls with an API key, from this address. */
    callerWith: (key: string, remoteAddress?: string): Call => callerWith(app, key, remoteAddress),
    /** Records facts of a message, in this order. */
    happen: async (id: string, ...facts: readonly Fact[]) => {
      for (const fact of facts) {
        const latest = await log.latest(id as MessageId)
        if (latest === undefined) throw new Error('no such message')
        await record(deps, toSeen(latest), fact)
      }
    },
    token: (claims: Readonly<Record<string, unknown>> = {}) => sign({ ...FULL, ...claims }, now),
    project: () => catchUp(deps, indexWriter),
    async [Symbol.asyncDispose]() {
      await app.close()
      const unaudited = lines.filter(({ msg }) => msg === UNAUDITED)
      assert.deepEqual(unaudited, [])
    },
  }
}

type AuthDeps = Pick<ApiDeps, 'apiKeys' | 'apiKeySecrets' | 'tenants' | 'clock' | 'signIn'>

async function openAuth(deps: AuthDeps, tenantPolicy: TenantPolicy): Promise<Authenticator> {
  const { tenants, clock, apiKeySecrets: secrets, signIn } = deps
  return openAuthenticator({
    verifySession: signIn.reader.verify,
    verifyToken: await openTokenVerifier({ secret: SECRET, clock }),
    verifyKey: openKeyVerifier({ ...deps, secrets, onUse: () => undefined }),
    ...tenantCheck(tenants, tenantPolicy),
  })
}

function callerWith(app: Pick<FastifyInstance, 'inject'>, bearer: string, remoteAddress?: string): Call {
  const authorization = `Bearer ${bearer}`
  return (method, url, payload, headers = {}) =>
    app.inject(omitUndefined({ method, url, headers: { authorization, ...headers }, payload, remoteAddress }))
}

export type Call = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  url: string,
  payload?: object | string,
  headers?: Readonly<Record<string, string>>,
) => Promise<LightMyRequestResponse>

export const SMS = { to: '+5511987654321', message: 'Your parcel is on its way.' }

export const FULL = {
  tenant_id: 'acme',
  account_id: 'main',
  scope: 'sms:send email:send otp messages:read messages:write',
}

export const sign = (claims: Readonly<Record<string, unknown>>, now: Instant, secret = SECRET): Promise<string> =>
  new SignJWT({ exp: now / 1000 + 3600, ...claims }).setProtectedHeader({ alg: 'HS256' }).sign(secret)

function keepLines(lines: Record<string, unknown>[]): Logger {
  return pino({ level: 'debug', base: null }, { write: (line: string) => lines.push(JSON.parse(line)) })
}

/** Brings the index up to the log, where it does not follow by itself. */
async function catchUp({ log, index }: Pick<Engine, 'log' | 'index'>, indexWriter?: IndexWriter): Promise<void> {
  const tip = await log.tip()
  if (indexWriter === undefined || (await index.position()) >= tip) return
  const done = new AbortController()
  const onProgress = (through: Position): void => (through >= tip ? done.abort() : undefined)
  await project({ log, index: { ...index, ...indexWriter }, onProgress, rest: async () => {} }, done.signal)
}

export const CODE = '402718'

/** Always the same code, and a fast fake hash. */
const plainHasher: CodeHasher = {
  hash: async ({ id }, code) => reversed(id, code),
  reserve: () => ({ [Symbol.dispose]: () => undefined }),
  matches: async ({ id }, code, hash) => reversed(id, code) === hash,
}
const reversed = (id: MessageId, code: string): CodeHash => `${id} ${[...code].reverse().join('')}` as CodeHash

const CODES: Pick<ApiDeps, 'hasher' | 'drawCode' | 'otp'> = {
  hasher: plainHasher,
  drawCode: () => CODE,
  otp: { limit: 5, window: seconds(600) },
}

/** Secrets that name their endpoint. */
const webhookSigner: ApiDeps['webhookSigner'] = {
  secretOf: ({ tenantId, accountId, id }, version) => `whsec_${[tenantId, accountId, id, version].join(' ')}`,
  sign: (_endpoint, id, at) => ({
    'webhook-id': id,
    'webhook-timestamp': String(at / 1000),
    'webhook-signature': 'v1,a',
  }),
}

/** Every endpoint answers with 204. */
const webhookTransport: ApiDeps['webhookTransport'] = {
  post: async () => ({ kind: 'answered', status: 204, retryAfter: millis(0), headers: {}, body: NO_BODY }),
}

/** The sealed text is the attempt itself. */
const attemptSealer: ApiDeps['attemptSealer'] = {
  seal: (attempt) => {
    const { id, tenantId, accountId, endpointId, subjectId } = attempt
    return omitUndefined({ id, tenantId, accountId, endpointId, subjectId, sealed: JSON.stringify(attempt) })
  },
  open: ({ sealed }) => JSON.parse(sealed),
}

/** Ids that show the tenant and the position. */
const eventCursors: ApiDeps['eventCursors'] = {
  toId: (tenantId, position) => `${tenantId}-${position}`,
  toPosition: (tenantId, id) =>
    id.startsWith(`${tenantId}-`) ? (Number(id.slice(tenantId.length + 1)) as Position) : undefined,
}

/** The signature is the receipt itself. */
const receiptSigner: ApiDeps['receiptSigner'] = {
  publicKey: 'a key',
  sign: (receipt) => ({
    receipt,
    signature: { algorithm: 'Ed25519', public_key: 'a key', value: JSON.stringify(receipt) },
  }),
  verify: ({ receipt, signature }) => signature.value === JSON.stringify(receipt),
}

/** Every key has another id, and the secret follows from it. */
let drawn = 0
const apiKeySecrets: ApiDeps['apiKeySecrets'] = {
  draw: () => {
    drawn += 1
    const id = String(drawn).padStart(12, 'k')
    return { id: id as ApiKeyId, secret: `s${id}`.repeat(4).slice(0, 40) }
  },
  hash: (secret) => [...secret].reverse().join(''),
}

/** The same secrets for all domains; the sealed key is the key itself. */
const domainSecrets: DomainSecrets = {
  create: async () => ({ token: 'a-token', dkim: { selector: 'pombo1', publicKey: 'a-key', sealedKey: 'sealed' } }),
  open: ({ dkim }) => dkim.sealedKey,
}

const emptyDns: DnsLookup = { txt: async () => ({ kind: 'absent' }) }

const passingInspector: HtmlInspector = { inspect: async () => [] }

const verbatimRenderer: Renderer = {
  render: async ({ texts }) => ({ kind: 'ok', texts }),
  check: async () => ({ kind: 'ok' }),
}

/** Every number is a mobile number somewhere. */
const numberPlans: ApiDeps['numberPlans'] = {
  describe: async () => ({ type: 'mobile', isPossible: true, isValid: true }),
}

const FAKES = {
  webhookSigner,
  webhookTransport,
  attemptSealer,
  eventCursors,
  receiptSigner,
  apiKeySecrets,
  domainSecrets,
  dns: emptyDns,
  renderer: verbatimRenderer,
  inspector: passingInspector,
  numberPlans,
} satisfies Partial<ApiDeps>

const name = parseProviderName('fake')
if (name === undefined) throw new Error('not a name')

/** Its callbacks are receipts in JSON, signed by the header `x-signature`. It also carries test mode. */
const provider: Provider = {
  name,
  capabilities: { channels: ['sms', 'email'], reports: 'callback', simulated: true, users: true },
  send: async () => ({ kind: 'accepted', providerMessageId: 'p1' }),
  readCallback: async ({ headers, body }) =>
    headers.get('x-signature') === SIGNATURE ? (JSON.parse(Buffer.from(body).toString()) as Receipt[]) : 'forged',
}

/** Every message has a route. */
export const ROUTES: readonly Route[] = CHANNELS.map((channel) => ({
  id: `usual-${channel}` as RouteId,
  channel,
  providers: [provider.name],
}))
