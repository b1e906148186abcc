/** A route resolution must predict how the message is actually sent. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId, ProviderName, RouteId } from '../../domain/ids.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import type { SenderId } from '../../domain/message/sender-id.ts'
import type { Addressed, Route } from '../../domain/routing/routing.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { later, seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { ACCEPTS, CONTENT, DEFERS, fakeProvider, fixed, openGateway, START, TENANT } from '../gateway.fixture.ts'
import { type Resolved, resolveRoute } from './resolve-route.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const [ONE, TWO, GONE] = ['one' as ProviderName, 'two' as ProviderName, 'gone' as ProviderName]
const MESSAGE: Addressed = { tenantId: TENANT, channel: 'sms', kind: 'sms', to: CONTENT.to }

const route = (id: string, wanted: Partial<Route> = {}): Route => ({
  id: id as RouteId,
  channel: 'sms',
  providers: [ONE, TWO],
  unknown: { wait: seconds(5), policy: 'hold' },
  ...wanted,
})

const open = (
  routes: readonly Route[],
  answers: readonly (typeof ACCEPTS | typeof DEFERS)[] = Array(9).fill(ACCEPTS),
) =>
  openGateway(world, {
    providers: [fakeProvider(answers), fakeProvider(Array(9).fill(ACCEPTS), { name: TWO })],
    deps: { routes: fixed(routes) },
  })

const outline = ({ route, candidates, excluded }: Resolved) => ({
  route: route?.id,
  candidates: candidates.map(({ provider, verdict }) => `${provider} ${verdict.kind}`),
  excluded: excluded.map(({ route, why }) => `${route.id} ${why}`),
})

test('resolves the best route and its first provider, with a reason for every other candidate', () => {
  const { deps } = open([route('all'), route('brazil', { prefix: '+55', providers: [GONE, TWO, ONE] })])
  assert.deepEqual(outline(resolveRoute(deps, MESSAGE)), {
    route: 'brazil',
    candidates: ['gone not_set_up', 'two chosen', 'one later'],
    excluded: ['all shorter_prefix'],
  })
})

test('resolves nothing when no route matches', () => {
  const { deps } = open([route('germany', { prefix: '+49' })])
  const expected = { route: undefined, candidates: [], excluded: ['germany prefix'] }
  assert.deepEqual(outline(resolveRoute(deps, MESSAGE)), expected)
})

test('skips a disconnected provider and reports it', () => {
  const { deps } = open([route('all')])
  const one = { ...fakeProvider([]), connections: () => ({ wanted: 1, up: 0 }) }
  const providers = new Map([...deps.providers, [ONE, one]])
  const { candidates } = outline(resolveRoute({ ...deps, providers }, MESSAGE))
  assert.deepEqual(candidates, ['one cut_off', 'two chosen'])
})

test('skips a provider with an open breaker until its trial is due, without using up the trial', async () => {
  const gateway = open([route('all')], Array(5).fill(DEFERS))
  for (let n = 0; n < 5; n += 1) {
    await gateway.submit()
    await gateway.work()
  }
  const { candidates } = resolveRoute(gateway.deps, MESSAGE)
  assert.deepEqual(candidates, [
    { provider: ONE, verdict: { kind: 'held', until: later(START, seconds(30)) } },
    { provider: TWO, verdict: { kind: 'chosen' } },
  ])
  gateway.pass(seconds(30))
  for (let n = 0; n < 2; n += 1) {
    assert.equal(resolveRoute(gateway.deps, MESSAGE).candidates[0]?.verdict.kind, 'chosen')
  }
  assert.equal((await gateway.breakers.ask(ONE, gateway.clock())).kind, 'trial')
})

test('chooses no provider when all breakers are open', async () => {
  const gateway = open([route('all', { providers: [ONE] })], Array(5).fill(DEFERS))
  for (let n = 0; n < 5; n += 1) {
    await gateway.submit()
    await gateway.work()
  }
  assert.deepEqual(outline(resolveRoute(gateway.deps, MESSAGE)).candidates, ['one held'])
})

test('reports the share of each weighted provider; without a message id the highest weight comes first', () => {
  const { deps } = open([route('all', { weights: [1, 3] })])
  assert.deepEqual(resolveRoute(deps, MESSAGE).candidates, [
    { provider: TWO, share: 0.75, verdict: { kind: 'chosen' } },
    { provider: ONE, share: 0.25, verdict: { kind: 'later' } },
  ])
})

test('throws while routes are not loaded', () => {
  const { deps } = open([])
  assert.throws(() => resolveRoute({ ...deps, routes: { of: () => undefined } }, MESSAGE), Unavailable)
})

test('a message is sent through the resolved route and provider, for any routes', async () => {
  const someRoutes = fc.array(
    fc.record({
      prefix: fc.option(fc.constantFrom('+5', '+55', '+5511', '+49'), { nil: undefined }),
      sender: fc.option(fc.constantFrom('Acme', 'Other'), { nil: undefined }),
      providers: fc.constantFrom([ONE], [TWO, ONE], [ONE, TWO], [GONE, TWO]),
      weights: fc.option(fc.constant([1, 2]), { nil: undefined }),
    }),
    { maxLength: 5 },
  )
  const property = fc.asyncProperty(someRoutes, fc.boolean(), async (wanted, isNamed) => {
    const routes = wanted.map(({ prefix, sender, providers, weights }, nth) =>
      route(
        `r${nth}`,
        omitUndefined({
          providers: providers as unknown as Route['providers'],
          prefix,
          sender,
          weights: weights?.slice(0, providers.length),
        }),
      ),
    )
    const gateway = open(routes)
    const from = isNamed ? { from: 'Acme' as SenderId } : {}
    const id: MessageId = await gateway.submit({
      content: { ...CONTENT, to: '+5511987654321' as PhoneNumber, ...from },
    })
    const resolved = resolveRoute(gateway.deps, { ...MESSAGE, ...from }, id)
    await gateway.work()
    const { routeId, provider } = await gateway.stateOf(id)
    const chosen = resolved.candidates.find(({ verdict }) => verdict.kind === 'chosen')
    assert.deepEqual([routeId, provider], [resolved.route?.id, chosen?.provider])
    assert.equal(resolved.excluded.length, routes.length - (resolved.route === undefined ? 0 : 1))
  })
  await fc.assert(property, { numRuns: 200 })
})
