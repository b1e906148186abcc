/**
 * A gateway that looks the same in every run: the real API and console on engines in memory, with a clock that stands
 * still, ids from a seed, and messages in every state.
 */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { type Call, openFixture } from '../../../src/api/server.fixture.ts'
import type { MessageId, ProviderName, RouteId } from '../../../src/domain/ids.ts'
import type { Fact } from '../../../src/domain/message/events.ts'
import { openIds } from '../../../src/engines/crypto/ids.ts'
import type { Random } from '../../../src/engines/crypto/random.ts'
import { inProcessRenderer } from '../../../src/engines/liquid/renderer.fixture.ts'
import { type Instant, later, millis, seconds } from '../../../src/lib/time.ts'
import type { Position } from '../../../src/ports/event-log.ts'
import { openMemoryEngine } from '../../memory/memory.ts'
import { STILL_INBOX } from './still-inbox.ts'

const SCOPE = 'admin operator content:read'
/** In seconds. */
const A_DAY = 86_400
const PROVIDER = 'fake' as ProviderName

export type StillGateway = AsyncDisposable &
  Readonly<{
    url: string
    token: string
    now: Instant
    /** Ids of messages, by what happened to them. */
    messages: Readonly<Record<Story, string>>
    /** The token of an invitation that nobody has accepted yet. */
    invitation: string
  }>

export async function openStillGateway(consoleFolder?: string): Promise<StillGateway> {
  await using opened = new AsyncDisposableStack()
  const api = opened.use(
    await openFixture(
      { openEngine: openMemoryEngine, ids: openIds(seeded()) },
      { inbox: STILL_INBOX, renderer: inProcessRenderer(), ...(consoleFolder === undefined ? {} : { consoleFolder }) },
    ),
  )
  const claims = { scope: SCOPE, exp: api.clock() / 1000 + A_DAY }
  const call = await api.caller(claims)
  const scene = await createScene(call, api)
  const url = await api.app.listen({ port: 0, host: '127.0.0.1' })
  const [token, now, kept] = [await api.token(claims), api.clock(), opened.move()]
  return { url, token, now, ...scene, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

/** Of up to 32 bytes. */
function seeded(): Random {
  let drawn = 0
  const bytes = (length: number): Uint8Array => {
    drawn += 1
    return hash('sha256', `seed ${drawn}`, 'buffer').subarray(0, length)
  }
  return { bytes, hex: (length) => Buffer.from(bytes(length)).toString('hex') }
}

type Api = Awaited<ReturnType<typeof openFixture>>

const attempted: Fact = { kind: 'HandoffAttempted', provider: PROVIDER, routeId: 'usual-sms' as RouteId, owner: 'w1' }
const accepted: Fact = { kind: 'HandoffAccepted', providerMessageId: 'SM5f2e', by: 'answer' }
const delivered: Fact = { kind: 'ProviderDelivered', reportId: 'r1' }
const busy = (now: Instant): Fact => ({
  kind: 'RetryScheduled',
  dueAt: (now + 4_000) as Instant,
  code: 'SERVICE_UNAVAILABLE',
  detail: 'The carrier is busy',
})

type Happening = (now: Instant) => Fact

/** What happens to each message, a second apart. */
const STORIES = {
  delivered: [() => attempted, () => accepted, () => delivered],
  retried: [() => attempted, busy, () => attempted, () => accepted, () => delivered],
  blocked: [
    () => attempted,
    () => ({ kind: 'HandoffFailed', code: 'NUMBER_BLOCKED', detail: 'The carrier blocks this number' }),
  ],
  dead: [() => attempted, () => ({ kind: 'DeadLettered', code: 'SERVICE_UNAVAILABLE', detail: 'The carrier is busy' })],
  unknown: [
    () => attempted,
    (now) => ({
      kind: 'HandoffUnknown',
      code: 'TIMEOUT',
      detail: 'No answer within 10 s',
      reconcileAt: (now + 3_600_000) as Instant,
    }),
  ],
  waiting: [() => attempted, busy],
  expired: [() => ({ kind: 'MessageExpired' })],
  sent: [() => attempted, () => accepted],
  queued: [],
} as const satisfies Readonly<Record<string, readonly Happening[]>>
type Story = keyof typeof STORIES | 'mail' | 'code'

const TAGS = [['order'], ['order', 'vip'], ['billing'], ['reminder'], []] as const

async function createScene(call: Call, api: Api): Promise<Pick<StillGateway, 'messages' | 'invitation'>> {
  await createSettings(call)
  const invited = await call('POST', '/v1/users', { email: 'kim@shop.example', role: 'support' })
  const messages: Partial<Record<Story, string>> = {}
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await call('POST', path, body)
    assert.equal(answer.statusCode, 202, answer.body)
    return answer.json().request_id
  }
  for (let hour = 0; hour < 3; hour += 1) {
    for (const [index, [story, happenings]] of Object.entries(STORIES).entries()) {
      const id = await post('/v1/sms/send', {
        to: `+1500555${String(1000 + 111 * index + hour)}`,
        message: 'Your parcel is on its way. It arrives today before 6 pm.',
        idempotency_key: `${hour} ${story}`,
        tags: TAGS[(hour + index) % TAGS.length],
        metadata: { order: `A-10${index}` },
      })
      await tell(api, id, happenings)
      messages[story as Story] = id
      api.pass(seconds(240))
    }
  }
  messages.mail = await post('/v1/email/send', {
    to: 'ana@mail.example',
    subject: 'Your receipt for order A-1042',
    html: '<h1>Thank you</h1><p>Your parcel arrives <b>today</b>.</p>',
    idempotency_key: 'mail',
    tags: ['billing'],
  })
  await tell(api, messages.mail, STORIES.delivered)
  const code = await call('POST', '/v1/otp/generate', { to: '+15005550123', idempotency_key: 'code' })
  messages.code = code.json().request_id as string
  await tell(api, messages.code, STORIES.sent)
  await deliverWebhooks(api, messages)
  api.pass(seconds(30))
  await api.project()
  const invitation = new URL(invited.json().invitation.url).hash.split('=')[1] ?? ''
  return { messages: messages as Record<Story, string>, invitation }
}

async function tell(api: Api, id: string, happenings: readonly Happening[]): Promise<void> {
  for (const happening of happenings) {
    api.pass(millis(740))
    await api.happen(id, happening(api.clock()))
  }
}

/** Of three messages: one webhook arrived, one waits for its next attempt, and one was given up. */
async function deliverWebhooks(api: Api, { retried, blocked, dead }: Partial<Record<Story, string>>): Promise<void> {
  const { webhookDeliveries, log, clock } = api.deps
  for (const id of [retried, blocked, dead]) {
    const latest = await log.latest(id as MessageId)
    assert.ok(latest !== undefined)
    const { tenantId, accountId } = latest.event.state
    const changed = { messageId: id as MessageId, tenantId, accountId, position: await log.tip(), hasCallback: false }
    await webhookDeliveries.enqueue([{ ...changed, at: clock() }])
  }
  const at = clock()
  const taken = await webhookDeliveries.take(at, later(at, seconds(60)), 3, 3)
  const results = [
    { kind: 'delivered', through: (taken[0]?.delivery.wantedThrough ?? 0) as Position, status: 204, at },
    { kind: 'failed', status: 503, error: 'HTTP 503', at, again: later(at, seconds(90)) },
    { kind: 'failed', error: 'connection refused', at },
  ] as const
  for (const [nth, result] of results.entries()) {
    const delivery = taken[nth]?.delivery
    assert.ok(delivery !== undefined)
    await webhookDeliveries.complete(delivery, result)
  }
}

async function createSettings(call: Call): Promise<void> {
  const text = 'Hello {{ name }}, your parcel {{ number }} is on its way.'
  const settings = [
    ['POST', '/v1/templates', { name: 'shipped', channel: 'sms', text }],
    ['POST', '/v1/templates', { name: 'welcome', channel: 'email', text, subject: 'Welcome', html: `<p>${text}</p>` }],
    ['POST', '/v1/recipients', { name: 'Ana Souza', phone: '+15005550123', email: 'ana@mail.example', locale: 'pt' }],
    ['POST', '/v1/suppressions', { items: [{ address: 'gone@mail.example', note: 'by phone' }] }],
    ['POST', '/v1/endpoints', { id: 'orders', url: 'https://shop.example/hooks' }],
    ['PUT', '/v1/limits/account/*', { limit: 1_000, window_seconds: 60, algorithm: 'sliding' }],
    ['POST', '/v1/routes', { id: 'brazil', channel: 'sms', prefix: '+55', providers: ['fake'] }],
    ['POST', '/v1/api-keys', { name: 'Order service', scopes: ['sms:send', 'messages:read'] }],
    ['POST', '/v1/api-keys', { name: 'CI', scopes: ['sms:send'], mode: 'test', networks: ['203.0.113.0/24'] }],
    ['POST', '/v1/users', { email: 'alexandra.konstantinopoulou@subsidiary.shop.example', role: 'admin' }],
    ['POST', '/v1/tenants', { id: 'globex', name: 'Globex', senders: ['Globex', '*.globex.example'] }],
  ] as const
  for (const [method, path, body] of settings) {
    const answer = await call(method, path, body)
    assert.ok(answer.statusCode < 300, `${path} ${answer.body}`)
  }
}
