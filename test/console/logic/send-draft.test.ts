/**
 * The API call of a draft, and how it would be routed. They are imported dynamically, because the server's compiler does
 * not know browser types.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'

type Draft = Readonly<Record<string, unknown>>
type Flaw = Readonly<{ path: string; message: string }>
type DraftFile = Readonly<{ newDraft: (prefill: object) => Draft }>
type BodyFile = Readonly<{
  toCall: (draft: Draft, attachments: readonly object[]) => Readonly<{ path: string; body: object }>
  flawsOf: (draft: Draft) => readonly Flaw[]
}>
type Decision = Readonly<{ route: object | null; provider: string | null; candidates: object[]; excluded: object[] }>
type RoutingFile = Readonly<{
  toRouting: (decision: Decision, simulators: ReadonlySet<string>) => Readonly<Record<string, unknown>>
  toMasked: (to: string) => string
}>

const load = async (name: string): Promise<unknown> =>
  import(new URL(`../../../console/src/pages/send/${name}.ts`, import.meta.url).href)

const { newDraft } = (await load('draft')) as DraftFile
const { toCall, flawsOf } = (await load('body')) as BodyFile
const { toRouting, toMasked } = (await load('routing')) as RoutingFile

const draftOf = (changes: object, prefill: object = {}): Draft => ({ ...newDraft(prefill), newKey: 'new', ...changes })

test('an SMS has only what was filled in', () => {
  const { path, body } = toCall(draftOf({ phone: '+1 (500) 555-0100', message: 'Hi' }), [])
  assert.equal(path, '/v1/sms/send')
  assert.deepEqual(body, { to: '+15005550100', message: 'Hi', idempotency_key: 'new' })
  const options = {
    sender: 'Acme',
    isFlash: true,
    tags: 'a, b,, a',
    metadata: 'order = A-1\n\nurl=x=y',
    expiresAt: '2030-01-31T12:00:00.000Z',
    callbackUrl: 'https://acme.example/hook',
    key: 'own',
  }
  assert.deepEqual(toCall(draftOf({ phone: '+1', message: 'Hi', ...options }), []).body, {
    to: '+1',
    message: 'Hi',
    sender_id: 'Acme',
    type: 'flash_sms',
    tags: ['a', 'b'],
    metadata: { order: 'A-1', url: 'x=y' },
    expires_at: '2030-01-31T12:00:00.000Z',
    callback_url: 'https://acme.example/hook',
    idempotency_key: 'own',
  })
})

test('a template replaces the text of its channel, with the data of its fields', () => {
  const source = 'Hi {{ name }} {% for item in items %}{{ item }}{% endfor %}'
  const template = { channel: 'sms', name: 'shipped', locale: 'pt', source }
  const sms = draftOf({ phone: '+1', message: 'unused', template, values: { name: 'Ana', items: '["a"]' } })
  assert.deepEqual(toCall(sms, []).body, {
    to: '+1',
    template: { name: 'shipped', locale: 'pt', data: { name: 'Ana', items: ['a'] } },
    idempotency_key: 'new',
  })
  assert.deepEqual(flawsOf(sms), [])
  const flaws = flawsOf({ ...sms, values: { items: '[' }, metadata: 'nonsense' })
  assert.deepEqual(
    flaws.map(({ path }) => path),
    ['/template/data/items', '/metadata'],
  )
  const email = toCall(draftOf({ kind: 'email', address: 'a@b.example', subject: 'S', html: 'H', template }), [])
  assert.deepEqual(email.body, { to: 'a@b.example', subject: 'S', html: 'H', idempotency_key: 'new' })
})

test('a one-time code has none of the options of messages', () => {
  const { path, body } = toCall(draftOf({ kind: 'otp', phone: '+1', tags: 'a', metadata: 'bad' }), [])
  assert.deepEqual([path, body], ['/v1/otp/generate', { to: '+1', channel: 'sms', idempotency_key: 'new' }])
  assert.deepEqual(flawsOf(draftOf({ kind: 'otp', metadata: 'bad' })), [])
})

test('a link fills in the recipient and chooses the kind', () => {
  for (const [prefill, kind, phone, address] of [
    [{ to: ' 15005550100' }, 'sms', '+15005550100', ''],
    [{ to: 'ada@sim.pombo.test' }, 'email', '', 'ada@sim.pombo.test'],
    [{ to: 'ada@sim.pombo.test', kind: 'otp' }, 'otp', '', 'ada@sim.pombo.test'],
    [{ kind: 'fax' }, 'sms', '', ''],
  ] as const) {
    const draft = newDraft(prefill)
    assert.deepEqual([draft['kind'], draft['phone'], draft['address']], [kind, phone, address])
  }
})

const decisionOf = (provider: string | null, ...names: string[]): Decision => ({
  route: { id: 'sms' },
  provider,
  candidates: names.map((one) => ({ provider: one, chosen: one === provider, reason: 'why' })),
  excluded: [{ id: 'other', reason: 'prefix does not match' }],
})

test('is simulated only if every provider it may use is a simulator', () => {
  const simulators = new Set(['simulator'])
  for (const [decision, kind, isSimulated] of [
    [decisionOf('simulator', 'simulator'), 'routed', true],
    [decisionOf('simulator', 'simulator', 'twilio'), 'routed', false],
    [decisionOf('twilio', 'twilio', 'simulator'), 'routed', false],
    [decisionOf(null, 'twilio'), 'waiting', false],
  ] as const) {
    const routing = toRouting(decision, simulators)
    assert.deepEqual([routing['kind'], routing['isSimulated']], [kind, isSimulated])
  }
  const none = toRouting({ ...decisionOf(null), route: null }, simulators)
  assert.deepEqual(none, { kind: 'none', reasons: [{ route: 'other', reason: 'prefix does not match' }] })
})

test('masks what is between the calling code and the last four digits, and most of the name in an address', () => {
  for (const [to, masked] of [
    ['+15005550100', '+1 ••• 0100'],
    ['+5511987654321', '+55 ••• 4321'],
    ['+351912345678', '+351 ••• 5678'],
    ['+1555', '+1 •••'],
    ['ana@example.com', 'an•••@example.com'],
    ['a@example.com', '•••@example.com'],
  ] as const) {
    assert.equal(toMasked(to), masked)
  }
})
