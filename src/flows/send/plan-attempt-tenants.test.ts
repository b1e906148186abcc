/** What operators decide about a tenant: suspension, the providers it may use, and where test mode leads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { Tenant } from '../../domain/access/tenant.ts'
import { tenantIn } from '../../domain/access/test-mode.ts'
import { toUserAddress } from '../../domain/directory/user-address.ts'
import type { ProviderName, TenantId } from '../../domain/ids.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, seconds } from '../../lib/time.ts'
import type { Provider } from '../../ports/provider.ts'
import {
  ACCEPTS,
  BLAMES_ITSELF,
  CONTENT,
  DEFERS,
  fakeProvider,
  type GatewayOptions,
  OUTCOME_UNKNOWN,
  openGateway,
  START,
  TENANT,
  TRACE,
} from '../gateway.fixture.ts'
import { resend } from './resend.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const NAMES = ['one', 'two', 'three'] as readonly string[] as readonly [ProviderName, ProviderName, ProviderName]
const [ONE, TWO, THREE] = NAMES
const LIVE: Provider['capabilities'] = { channels: ['sms'], reports: 'callback' }
const SIMULATED: Provider['capabilities'] = { ...LIVE, simulated: true }
const TEST_TENANT = tenantIn('test', TENANT)

/** A gateway whose operator describes the one tenant, and may change its mind. */
function open(described: Partial<Tenant>, options: GatewayOptions = {}) {
  let tenant: Tenant = { id: TENANT, state: 'active', ...described }
  const tenants = { of: () => tenant, isLoaded: () => true }
  const gateway = openGateway(world, { ...options, deps: { tenants, ...options.deps } })
  const endOf = async (wanted: Parameters<typeof gateway.submit>[0] = {}) => {
    const id = await gateway.submit(wanted)
    await gateway.work()
    const state = await gateway.stateOf(id)
    return { ...state, status: toStatus(state) }
  }
  const describe = (changes: Partial<Tenant>): void => {
    tenant = { ...tenant, ...changes }
  }
  return { ...gateway, endOf, describe }
}

test('a message of a suspended tenant becomes a dead letter, and is sent once it is active and replayed', async () => {
  const provider = fakeProvider([ACCEPTS])
  const gateway = open({ state: 'suspended' }, { providers: [provider] })
  const { id, status, errorCode, dead, attempt } = await gateway.endOf()
  assert.deepEqual([status, errorCode, dead, attempt], ['failed', 'TENANT_SUSPENDED', true, 0])
  assert.deepEqual(await gateway.kindsOf(id), ['MessageCreated', 'DeadLettered'])
  gateway.describe({ state: 'active' })
  await resend(gateway.deps, { tenantId: TENANT, id, by: 'replay', traceId: TRACE })
  await gateway.work()
  assert.equal(toStatus(await gateway.stateOf(id)), 'sent')
  assert.equal(provider.calls.length, 1)
})

test('suspending a tenant stops a message between two attempts', async () => {
  const provider = fakeProvider([DEFERS])
  const gateway = open({}, { providers: [provider] })
  const id = await gateway.submit()
  await gateway.work()
  gateway.describe({ state: 'suspended' })
  gateway.pass(seconds(60))
  await gateway.work()
  assert.deepEqual([(await gateway.stateOf(id)).errorCode, provider.calls.length], ['TENANT_SUSPENDED', 1])
})

test('messages wait until this process has loaded the tenants', async () => {
  let isLoaded = false
  const tenants = { of: () => undefined, isLoaded: () => isLoaded }
  const gateway = openGateway(world, { deps: { tenants } })
  const id = await gateway.submit()
  assert.deepEqual(await gateway.work(), { kind: 'later', at: later(START, seconds(1)) })
  isLoaded = true
  gateway.pass(seconds(1))
  await gateway.work()
  assert.equal(toStatus(await gateway.stateOf(id)), 'sent')
})

test('a message takes only providers that its tenant may use, in the order of the route', async () => {
  const providers = [
    fakeProvider([], { name: ONE }),
    fakeProvider([BLAMES_ITSELF], { name: TWO }),
    fakeProvider([], { name: THREE }),
  ]
  const gateway = open({ providers: [TWO] }, { providers })
  // There is no provider left that could take over.
  assert.deepEqual(
    [(await gateway.endOf()).errorCode, providers.map(({ calls }) => calls.length)],
    ['NO_FUNDS', [0, 1, 0]],
  )
})

test('fails over only to providers that the tenant may use, also after an unknown outcome', async () => {
  const unknown = { wait: seconds(30), policy: 'failover' } as const
  const providers = [
    fakeProvider([OUTCOME_UNKNOWN], { name: ONE }),
    fakeProvider([], { name: TWO }),
    fakeProvider([ACCEPTS], { name: THREE }),
  ]
  const gateway = open({ providers: [ONE, THREE] }, { providers, route: { unknown } })
  const id = await gateway.submit()
  for (const wait of [0, 30, 1]) {
    gateway.pass(seconds(wait))
    await gateway.work()
  }
  assert.deepEqual([(await gateway.stateOf(id)).provider, toStatus(await gateway.stateOf(id))], [THREE, 'sent'])
})

test('where no other provider may be used, an unknown outcome does not fail over', async () => {
  const route = {
    unknown: { wait: seconds(30), policy: 'failover' },
    retry: { delays: [seconds(1)], maxAttempts: 1, jitter: 0 },
  } as const
  const providers = [fakeProvider([OUTCOME_UNKNOWN], { name: ONE }), fakeProvider([], { name: TWO })]
  const gateway = open({ providers: [ONE] }, { providers, route })
  const id = await gateway.submit()
  for (const wait of [0, 30]) {
    gateway.pass(seconds(wait))
    await gateway.work()
  }
  const { errorCode, dead, attempt } = await gateway.stateOf(id)
  assert.deepEqual([errorCode, dead, attempt], ['OUTCOME_UNKNOWN', true, 1])
})

test('without a provider that the tenant may use a message fails for good, and says so', async () => {
  const provider = fakeProvider([])
  const { errorCode, errorDetail, dead } = await open({ providers: [TWO] }, { providers: [provider] }).endOf()
  assert.deepEqual([errorCode, dead], ['NO_ROUTE_FOUND', false])
  assert.match(errorDetail ?? '', /no provider that the tenant may use/)
})

test('a message takes no provider that is reserved for others, whoever has a list', async () => {
  const others = ['other' as TenantId]
  for (const described of [{}, { providers: [ONE, TWO] }]) {
    const providers = [
      fakeProvider([], { name: ONE, tenants: others }),
      fakeProvider([ACCEPTS], { name: TWO, tenants: [...others, TENANT] }),
    ]
    assert.equal((await open(described, { providers }).endOf()).provider, TWO)
  }
  const alone = open({}, { providers: [fakeProvider([], { name: ONE, tenants: others })] })
  assert.equal((await alone.endOf()).errorCode, 'NO_ROUTE_FOUND')
  const listedElsewhere = open(
    { providers: [TWO] },
    { providers: [fakeProvider([], { name: ONE, tenants: [TENANT] })] },
  )
  assert.equal((await listedElsewhere.endOf()).errorCode, 'NO_ROUTE_FOUND')
})

test('a message takes no reserved provider to a user without an address, nor in test mode', async () => {
  const capabilities = { ...SIMULATED, users: true } as const
  const providers = [
    fakeProvider([], { name: ONE, capabilities, tenants: ['other' as TenantId] }),
    fakeProvider([ACCEPTS, ACCEPTS], { name: TWO, capabilities }),
  ]
  const gateway = open({}, { providers })
  for (const tenantId of [TENANT, TEST_TENANT]) {
    const { provider } = await gateway.endOf({ tenantId, content: { ...CONTENT, to: toUserAddress(101) } })
    assert.equal(provider, TWO)
  }
})

test('an attempt with an unknown outcome fails over to no provider that is reserved for others', async () => {
  const unknown = { wait: seconds(30), policy: 'failover' } as const
  const providers = [
    fakeProvider([OUTCOME_UNKNOWN], { name: ONE }),
    fakeProvider([], { name: TWO, tenants: ['other' as TenantId] }),
    fakeProvider([ACCEPTS], { name: THREE }),
  ]
  const gateway = open({}, { providers, route: { unknown } })
  const id = await gateway.submit()
  for (const wait of [0, 30, 1]) {
    gateway.pass(seconds(wait))
    await gateway.work()
  }
  assert.equal((await gateway.stateOf(id)).provider, THREE)
})

test('a message to a user without an address takes no provider that the tenant may not use', async () => {
  const capabilities = { ...LIVE, users: true } as const
  const providers = NAMES.map((name) => fakeProvider(name === TWO ? [ACCEPTS] : [], { name, capabilities }))
  const content = { ...CONTENT, to: toUserAddress(101) }
  assert.equal((await open({ providers: [TWO] }, { providers }).endOf({ content })).provider, TWO)
  const none = open({ providers: ['four' as ProviderName] }, { providers })
  assert.equal((await none.endOf({ content })).errorCode, 'NO_ROUTE_FOUND')
})

test('a test message goes to the first simulator of its channel, whatever routes and providers say', async () => {
  const mail = { ...SIMULATED, channels: ['email'] } as const
  const providers = [
    fakeProvider([], { name: ONE, capabilities: LIVE }),
    fakeProvider([], { name: 'mail', capabilities: mail }),
    fakeProvider([ACCEPTS, ACCEPTS], { name: TWO, capabilities: SIMULATED }),
    fakeProvider([], { name: THREE, capabilities: SIMULATED }),
  ]
  const gateway = open({ providers: [ONE] }, { providers })
  for (const content of [CONTENT, { ...CONTENT, to: toUserAddress(101) }]) {
    const { status, provider, routeId } = await gateway.endOf({ tenantId: TEST_TENANT, content })
    assert.deepEqual([status, provider, routeId], ['sent', TWO, 'test'])
  }
})

test('a test message fails for good without a simulator of its channel', async () => {
  const mail = { ...SIMULATED, channels: ['email'] } as const
  const providers = [fakeProvider([]), fakeProvider([], { name: 'mail', capabilities: mail })]
  const { errorCode, errorDetail, dead } = await open({}, { providers }).endOf({ tenantId: TEST_TENANT })
  assert.deepEqual([errorCode, dead], ['TEST_MODE_UNAVAILABLE', false])
  assert.match(errorDetail ?? '', /only go to a simulator, and none is configured for sms/)
})

test('a test message whose outcome is unknown is sent again only by the simulator', async () => {
  const providers = [
    fakeProvider([], { name: ONE }),
    fakeProvider([OUTCOME_UNKNOWN, ACCEPTS], { name: TWO, capabilities: SIMULATED }),
  ]
  const gateway = open({}, { providers })
  const id = await gateway.submit({ tenantId: TEST_TENANT, lane: 'otp' })
  for (const wait of [0, 5, 1]) {
    gateway.pass(seconds(wait))
    await gateway.work()
  }
  assert.equal(toStatus(await gateway.stateOf(id)), 'sent')
  assert.deepEqual(
    providers.map(({ calls }) => calls.length),
    [0, 2],
  )
})

test('calls in test mode neither open a circuit breaker nor wait for one', async () => {
  const provider = fakeProvider([...new Array(9).fill(OUTCOME_UNKNOWN), ACCEPTS], {
    name: ONE,
    capabilities: SIMULATED,
  })
  const gateway = open({}, { providers: [provider] })
  for (let nth = 0; nth < 9; nth += 1) await gateway.endOf({ tenantId: TEST_TENANT })
  assert.equal(gateway.deps.breakers.states().get(ONE)?.kind ?? 'closed', 'closed')
  await gateway.deps.breakers.force(ONE, 'open', gateway.clock())
  const { status } = await gateway.endOf({ tenantId: TEST_TENANT })
  assert.equal(status, 'sent')
})
