/** The tests of what keeps the set-up of a tenant within bounds, also while many add to it at once. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { RecipientId } from '../domain/directory/recipient.ts'
import type { AccountId, EndpointId, RouteId, TenantId } from '../domain/ids.ts'
import { someLimit } from './limit-rules.contract.ts'
import { someEntry } from './recipients.contract.ts'
import { someRoute } from './routes.contract.ts'
import { tenant } from './samples.contract.ts'
import { someTemplate } from './templates.contract.ts'
import type { OpenUsage, UsageEngine } from './usage.contract.ts'
import type { SetupUsage } from './usage.ts'
import { someEndpoint } from './webhook-delivery-samples.contract.ts'

const MOST = 5
const WANTED = 4 * MOST

/** Adds the `nth` item of a tenant; false when there is no room. */
type Add = (engine: UsageEngine, tenantId: TenantId, nth: number, most: number) => Promise<boolean>

const named = (nth: number): string => `n${nth}`

const ADDS: Readonly<Record<keyof SetupUsage, Add>> = {
  limits: async ({ rules }, tenantId, nth, most) =>
    (await rules.set(someLimit({ tenantId, key: named(nth) }), most)) !== undefined,
  templates: async ({ templates }, tenantId, nth, most) => {
    const bounds = { names: most, locales: 10, versions: 10 }
    return (await templates.add(someTemplate({ tenantId, name: named(nth) }), bounds)) !== undefined
  },
  routes: async ({ routes }, tenantId, nth, most) =>
    (await routes.add(someRoute({ tenantId, id: named(nth) as RouteId }), most)) !== undefined,
  endpoints: async ({ endpoints }, tenantId, nth, most) => {
    const accountId = `account${nth % 2}` as AccountId
    const endpoint = someEndpoint({ tenantId, accountId, id: named(nth) as EndpointId })
    return (await endpoints.add(endpoint, { account: 100, tenant: most })) !== undefined
  },
  recipients: async ({ recipients }, tenantId, _nth, most) =>
    (await recipients.add(someEntry({ tenantId, id: randomUUID() as RecipientId }), most)) === 'added',
}

const REMOVES: Readonly<Record<keyof SetupUsage, (engine: UsageEngine, tenantId: TenantId) => Promise<boolean>>> = {
  limits: async ({ rules }, tenantId) => {
    const [first] = (await rules.list({ tenantId, limit: 1 })).limits
    return first !== undefined && rules.remove(first)
  },
  templates: async ({ templates }, tenantId) => {
    const [first] = (await templates.list({ tenantId, limit: 1 })).templates
    return first !== undefined && templates.remove(tenantId, first.name)
  },
  routes: async ({ routes }, tenantId) => {
    const [first] = routes.of(tenantId) ?? []
    return first !== undefined && routes.remove(tenantId, first.id)
  },
  endpoints: async ({ endpoints }, tenantId) => {
    const first = (await endpoints.list()).find((endpoint) => endpoint.tenantId === tenantId)
    return first !== undefined && endpoints.remove(first)
  },
  recipients: async ({ recipients }, tenantId) => {
    const [first] = (await recipients.search({ tenantId, limit: 1 })).recipients
    return first !== undefined && recipients.remove(tenantId, first.id)
  },
}

const NONE: SetupUsage = { limits: 0, templates: 0, routes: 0, endpoints: 0, recipients: 0 }

export function setupBoundsContract(open: OpenUsage): void {
  for (const kind of Object.keys(ADDS) as (keyof SetupUsage)[]) {
    test(`${kind} of a tenant stay within their bound, however many are added at once`, async () => {
      await using engine = await open()
      const [tenantId, other] = [tenant(randomUUID()), tenant(randomUUID())]
      const adding = Array.from({ length: WANTED }, (_, nth) => ADDS[kind](engine, tenantId, nth, MOST))
      assert.equal((await Promise.all(adding)).filter(Boolean).length, MOST)
      assert.deepEqual(await engine.usage.setup(tenantId), { ...NONE, [kind]: MOST })

      assert.equal(await ADDS[kind](engine, other, 0, MOST), true)
      assert.equal(await ADDS[kind](engine, tenantId, WANTED, MOST), false)
      assert.equal(await REMOVES[kind](engine, tenantId), true)
      assert.deepEqual(await engine.usage.setup(tenantId), { ...NONE, [kind]: MOST - 1 })
      assert.equal(await ADDS[kind](engine, tenantId, WANTED, MOST), true)
      assert.equal(await ADDS[kind](engine, tenantId, WANTED + 1, MOST), false)
      assert.equal(await ADDS[kind](engine, tenantId, WANTED + 1, MOST + 1), true)
    })
  }

  test('a limit can be replaced, a template changed, and a recipient too, when no other can be added', async () => {
    await using engine = await open()
    const tenantId = tenant(randomUUID())
    for (const kind of Object.keys(ADDS) as (keyof SetupUsage)[]) assert.ok(await ADDS[kind](engine, tenantId, 0, 1))
    assert.ok(await ADDS.limits(engine, tenantId, 0, 1))
    assert.ok(await ADDS.templates(engine, tenantId, 0, 1))
    const [entry] = (await engine.recipients.search({ tenantId, limit: 1 })).recipients
    assert.ok(entry !== undefined)
    assert.equal(await engine.recipients.change({ ...entry, name: 'Somebody else' }), 'changed')
    assert.deepEqual(await engine.usage.setup(tenantId), {
      limits: 1,
      templates: 1,
      routes: 1,
      endpoints: 1,
      recipients: 1,
    })
  })

  test('limits of single users are not bounded, and do not count; their default does', async () => {
    await using engine = await open()
    const tenantId = tenant(randomUUID())
    for (let user = 0; user < 3; user += 1) {
      assert.ok(await engine.rules.set(someLimit({ tenantId, scope: 'user', key: String(user) }), 1))
    }
    assert.deepEqual(await engine.usage.setup(tenantId), NONE)
    assert.ok(await engine.rules.set(someLimit({ tenantId, scope: 'user', key: '*' }), 1))
    assert.equal(await ADDS.limits(engine, tenantId, 0, 1), false)
  })

  test('what operators set for a tenant does not count', async () => {
    await using engine = await open()
    const tenantId = tenant(randomUUID())
    await engine.rules.set(someLimit({ tenantId, setBy: 'operator' }))
    assert.deepEqual(await engine.usage.setup(tenantId), NONE)
    assert.ok(await ADDS.limits(engine, tenantId, 0, 1))
  })

  test('the locales of a template and its versions are bounded too', async () => {
    await using engine = await open()
    const tenantId = tenant(randomUUID())
    const bounds = { names: 9, locales: 2, versions: 3 }
    const add = async (locale: string, name = 'welcome') =>
      (await engine.templates.add(someTemplate({ tenantId, name, locale }), bounds))?.version
    assert.deepEqual([await add('en'), await add('en'), await add('pt'), await add('de')], [1, 2, 1, undefined])
    assert.deepEqual([await add('en'), await add('en'), await add('pt')], [3, undefined, 2])
    assert.deepEqual([await add('de', 'other'), (await engine.usage.setup(tenantId)).templates], [1, 2])
    assert.equal(await engine.templates.remove(tenantId, 'welcome', 'pt'), true)
    assert.equal(await add('de'), 1)
  })

  test('an account has a bound of its own for endpoints', async () => {
    await using engine = await open()
    const tenantId = tenant(randomUUID())
    const add = async (account: string, id: string) => {
      const endpoint = someEndpoint({ tenantId, accountId: account as AccountId, id: id as EndpointId })
      return (await engine.endpoints.add(endpoint, { account: 1, tenant: 9 })) !== undefined
    }
    assert.deepEqual([await add('one', 'a'), await add('one', 'b'), await add('two', 'b')], [true, false, true])
  })

  test('a recipient with a taken external id is taken, also when there is no room', async () => {
    await using engine = await open()
    const tenantId = tenant(randomUUID())
    const entry = () => someEntry({ tenantId, id: randomUUID() as RecipientId, externalId: '101' })
    assert.equal(await engine.recipients.add(entry(), 1), 'added')
    assert.equal(await engine.recipients.add(entry(), 1), 'taken')
    assert.equal(await engine.recipients.add(entry(), 2), 'taken')
    const { externalId: _, ...unnamed } = entry()
    assert.equal(await engine.recipients.add(unnamed, 1), 'full')
  })
}
