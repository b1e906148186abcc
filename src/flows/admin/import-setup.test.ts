import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { DirectoryEntry, RecipientId } from '../../domain/directory/recipient.ts'
import type { Template } from '../../domain/directory/template.ts'
import { EACH, type LimitScope } from '../../domain/limits/limits.ts'
import { instant, later, seconds } from '../../lib/time.ts'
import type { Limit } from '../../ports/limit-rules.ts'
import { someRoute } from '../../ports/routes.contract.ts'
import { NOON, phone, stopped, tenant } from '../../ports/samples.contract.ts'
import { someSuppression } from '../../ports/suppressions.contract.ts'
import { addEndpoint } from '../../ports/webhook-delivery-samples.contract.ts'
import { type ImportSetupDeps, importSetup, type Setup } from './import-setup.ts'

const [NORTH, SOUTH] = [tenant('north'), tenant('south')]
const NONE = { all: 0, added: 0, left: 0 }

function open(isSameKey = true): ImportSetupDeps {
  const listing = { tenants: async () => [NORTH, SOUTH] }
  const [source, target] = [openMemoryEngine({ clock: stopped }), openMemoryEngine({ clock: stopped })]
  return { source: { ...source, listing }, target, isSameKey, clock: stopped }
}

const someLimit = (scope: LimitScope, key: string, tenantId = NORTH): Omit<Limit, 'version'> => ({
  tenantId,
  scope,
  key,
  setBy: 'tenant',
  shown: `shown ${key}`,
  rule: { limit: 3, window: seconds(60), algorithm: 'sliding' },
  updatedAt: NOON,
})

const someEntry = (name: string, wanted: Partial<DirectoryEntry> = {}): DirectoryEntry => ({
  id: `id of ${name}` as RecipientId,
  tenantId: NORTH,
  externalId: name,
  phone: phone('+5511987654321'),
  createdAt: NOON,
  updatedAt: later(NOON, seconds(1)),
  ...wanted,
})

const someTemplate = (text: string, wanted: Partial<Template> = {}): Omit<Template, 'version'> => ({
  tenantId: NORTH,
  name: 'welcome',
  locale: 'en',
  channel: 'sms',
  texts: { text },
  createdAt: instant(NOON + text.length),
  ...wanted,
})

async function fill({ rules, recipients, suppressions, templates, routes, endpoints }: Setup): Promise<void> {
  await rules.set(someLimit('account', 'shop'))
  await rules.set(someLimit('recipient', EACH))
  await rules.set(someLimit('recipient', 'a hash', SOUTH))
  for (const name of ['ana', 'rui']) await recipients.add(someEntry(name))
  await recipients.add(someEntry('eva', { tenantId: SOUTH }))
  for (const tenantId of [NORTH, SOUTH]) await suppressions.add(someSuppression({ tenantId, note: 'by phone' }))
  for (const text of ['Hi', 'Hello']) await templates.add(someTemplate(text))
  await templates.add(someTemplate('Oi', { locale: 'pt', tenantId: SOUTH }))
  await routes.add(someRoute({ tenantId: NORTH }))
  await addEndpoint(endpoints, { tenantId: SOUTH })
}

const textsOf = async ({ templates }: Setup): Promise<readonly string[]> =>
  (await templates.versions({ ...someTemplate(''), limit: 10 })).map(({ version, excerpt }) => `${version} ${excerpt}`)

test('imports the setup of every tenant, with all template versions in order', async () => {
  const deps = open()
  const { source, target } = deps
  await fill(source)
  assert.deepEqual(await importSetup(deps), {
    limits: { all: 3, added: 3, left: 0 },
    recipients: { all: 3, added: 3, left: 0 },
    suppressions: { all: 2, added: 2, left: 0 },
    templates: { all: 2, added: 2, left: 0 },
    routes: { all: 1, added: 1, left: 0 },
    endpoints: { all: 1, added: 1, left: 0 },
  })
  for (const tenantId of [NORTH, SOUTH]) {
    const page = { tenantId, limit: 100 }
    assert.deepEqual(await target.rules.list(page), await source.rules.list(page))
    assert.deepEqual(await target.recipients.search(page), await source.recipients.search(page))
    const now = { ...page, at: NOON }
    assert.deepEqual(await target.suppressions.list(now), await source.suppressions.list(now))
    assert.deepEqual(await target.templates.list(page), await source.templates.list(page))
    assert.deepEqual(target.routes.of(tenantId), source.routes.of(tenantId))
  }
  assert.deepEqual(await target.endpoints.list(), await source.endpoints.list())
  assert.deepEqual(await textsOf(target), ['2 Hello', '1 Hi'])
})

test('imports over several pages', async () => {
  const deps = open()
  const names = Array.from({ length: 333 }, (_, nth) => `number ${nth}`)
  for (const name of names) await deps.source.recipients.add(someEntry(name))
  for (const name of names) await deps.source.rules.set(someLimit('user', name))
  const { limits, recipients } = await importSetup(deps)
  assert.deepEqual([limits.added, recipients.added], [333, 333])
  for (const externalId of names) assert.ok(await deps.target.recipients.find(NORTH, { externalId }))
})

test('a second import adds nothing and keeps changes made in the target', async () => {
  const deps = open()
  const { source, target } = deps
  await fill(source)
  await importSetup(deps)
  const changed = {
    ...someLimit('account', 'shop'),
    rule: { limit: 9, window: seconds(9), algorithm: 'fixed' } as const,
  }
  await target.rules.set(changed)
  await target.recipients.change(someEntry('ana', { externalId: 'anna' }))
  await target.templates.add(someTemplate('Good morning'))

  const again = await importSetup(deps)
  assert.deepEqual(Object.values(again), [
    { all: 3, added: 0, left: 0 },
    { all: 3, added: 0, left: 0 },
    { all: 2, added: 0, left: 0 },
    { all: 2, added: 0, left: 0 },
    { all: 1, added: 0, left: 0 },
    { all: 1, added: 0, left: 0 },
  ])
  assert.equal((await target.rules.find(changed))?.rule.limit, 9)
  assert.equal((await target.recipients.find(NORTH, someEntry('ana')))?.externalId, 'anna')
  assert.deepEqual(await textsOf(target), ['3 Good morning', '2 Hello', '1 Hi'])
})

test('resumes an import that stopped between two template versions', async () => {
  const deps = open()
  await fill(deps.source)
  await deps.target.templates.add(someTemplate('Hi'))
  assert.deepEqual((await importSetup(deps)).templates, { all: 2, added: 2, left: 0 })
  assert.deepEqual(await textsOf(deps.target), ['2 Hello', '1 Hi'])
})

test('with another master key skips limits on single recipients, and imports all others', async () => {
  const deps = open(false)
  await fill(deps.source)
  assert.deepEqual((await importSetup(deps)).limits, { all: 3, added: 2, left: 1 })
  assert.ok(await deps.target.rules.find(someLimit('recipient', EACH)))
  assert.equal(await deps.target.rules.find(someLimit('recipient', 'a hash', SOUTH)), undefined)
})

test('skips a recipient whose external id is taken, and a template with a different history', async () => {
  const deps = open()
  const { source, target } = deps
  await fill(source)
  const another = someEntry('another', { externalId: 'ana' })
  await target.recipients.add(another)
  await target.templates.add(someTemplate('Good day'))
  const { recipients, templates } = await importSetup(deps)
  assert.deepEqual(
    [recipients, templates],
    [
      { all: 3, added: 2, left: 1 },
      { all: 2, added: 1, left: 1 },
    ],
  )
  assert.deepEqual(await target.recipients.find(NORTH, { externalId: 'ana' }), another)
  assert.deepEqual(await textsOf(target), ['1 Good day'])
})

test('imports nothing from an empty source', async () => {
  const lists = { recipients: NONE, suppressions: NONE, templates: NONE }
  const nothing = { ...lists, limits: NONE, routes: NONE, endpoints: NONE }
  assert.deepEqual(await importSetup(open()), nothing)
})

for (const [name, there, isKept] of [
  [
    'a bounce is replaced by a longer suppression',
    { reason: 'hard_bounce', expiresAt: later(NOON, seconds(9)) },
    false,
  ],
  ['a suppression of equal length is kept', { reason: 'complaint' }, true],
  ['a manual suppression is kept, even a shorter one', { reason: 'manual', expiresAt: later(NOON, seconds(1)) }, true],
] as const) {
  test(`for an address suppressed in the target: ${name}`, async () => {
    const deps = open()
    const [moved, existing] = [someSuppression({ reason: 'unsubscribe' }), someSuppression(there)]
    await deps.source.suppressions.add(moved)
    await deps.target.suppressions.add(existing)
    const { suppressions } = await importSetup(deps)
    assert.deepEqual(suppressions, { all: 1, added: isKept ? 0 : 1, left: 0 })
    assert.deepEqual(await deps.target.suppressions.find(NORTH, [existing.address], NOON), [isKept ? existing : moved])
  })
}

test('skips an expired suppression', async () => {
  const deps = open()
  await deps.source.suppressions.add(someSuppression({ expiresAt: NOON }))
  assert.deepEqual((await importSetup(deps)).suppressions, NONE)
})

test('keeps a route that exists in the target, and skips one that differs', async () => {
  const deps = open()
  await deps.source.routes.add(someRoute({ tenantId: NORTH }))
  await deps.source.routes.add(someRoute({ tenantId: SOUTH, prefix: '+55' }))
  const there = await deps.target.routes.add(someRoute({ tenantId: SOUTH, prefix: '+49' }))
  assert.deepEqual((await importSetup(deps)).routes, { all: 2, added: 1, left: 1 })
  assert.deepEqual((await importSetup(deps)).routes, { all: 2, added: 0, left: 1 })
  assert.deepEqual(deps.target.routes.of(SOUTH), [there])
})

test('an endpoint keeps its version and creation time; one that exists in the target is kept', async () => {
  const deps = open()
  const { source, target } = deps
  const created = await addEndpoint(source.endpoints, { secretVersion: 3 })
  const changed = await source.endpoints.change({ ...created, description: 'changed', disabled: 'by_hand' })
  assert.deepEqual((await importSetup(deps)).endpoints, { all: 1, added: 1, left: 0 })
  assert.deepEqual(await target.endpoints.find(created), changed)
  assert.equal(changed?.version, created.version + 1)

  const there = await target.endpoints.change({ ...changed, url: 'https://new.example' })
  assert.deepEqual((await importSetup(deps)).endpoints, { all: 1, added: 0, left: 0 })
  assert.deepEqual(await target.endpoints.find(created), there)
})

test('with another master key skips endpoints, because their secrets would change', async () => {
  const deps = open(false)
  await addEndpoint(deps.source.endpoints)
  assert.deepEqual((await importSetup(deps)).endpoints, { all: 1, added: 0, left: 1 })
  assert.deepEqual(await deps.target.endpoints.list(), [])
})

test('a limit that an operator set stays one, beside that of the tenant', async () => {
  const deps = open()
  const own = someLimit('account', 'shop')
  for (const setBy of ['tenant', 'operator'] as const) await deps.source.rules.set({ ...own, setBy })
  assert.deepEqual((await importSetup(deps)).limits, { all: 2, added: 2, left: 0 })
  const { limits } = await deps.target.rules.list({ tenantId: NORTH, limit: 9 })
  assert.deepEqual(
    limits.map(({ setBy }) => setBy),
    ['operator', 'tenant'],
  )
})
