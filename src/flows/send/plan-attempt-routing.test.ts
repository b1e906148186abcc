/** The routes of a message, the order of their providers, and the wait while routes are not loaded. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId, ProviderName, TenantId } from '../../domain/ids.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, seconds } from '../../lib/time.ts'
import {
  ACCEPTS,
  asOther,
  BLAMES_ITSELF,
  DEFERS,
  fakeProvider,
  type Gateway,
  jobFor,
  OUTCOME_UNKNOWN,
  openGateway,
  START,
  slowProvider,
  TENANT,
} from '../gateway.fixture.ts'
import { dispatch } from './dispatch.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const ONE = 'one' as ProviderName

const newestOf = async (gateway: Gateway): Promise<MessageId> => {
  const id = await gateway.submit()
  await dispatch(gateway.deps, jobFor(id))
  return id
}

const IN_A_SECOND = { kind: 'later', at: later(START, seconds(1)) }

test('a route with weights draws the first provider by message id, and retries stay with it', async () => {
  const [one, two] = [fakeProvider(Array(60).fill(ACCEPTS)), fakeProvider([], { name: 'two' })]
  const gateway = openGateway(world, { providers: [one, two], route: { weights: [1, 0] } })
  for (let n = 0; n < 30; n += 1) await newestOf(gateway)
  assert.deepEqual([one.calls.length, two.calls.length], [30, 0])

  const halves = [fakeProvider(Array(60).fill(ACCEPTS)), fakeProvider(Array(60).fill(ACCEPTS), { name: 'two' })]
  const even = openGateway(world, { providers: halves, route: { weights: [1, 1] } })
  for (let n = 0; n < 60; n += 1) await newestOf(even)
  assert.ok(halves.every(({ calls }) => calls.length > 0))

  const flaky = [fakeProvider(Array(9).fill(DEFERS)), fakeProvider(Array(9).fill(DEFERS), { name: 'two' })]
  const { submit, work, pass, stateOf } = openGateway(world, { providers: flaky, route: { weights: [1, 1] } })
  const id = await submit()
  const taken = new Set<unknown>()
  for (let n = 0; n < 3; n += 1) {
    await work()
    taken.add((await stateOf(id)).provider)
    pass(seconds(60))
  }
  assert.equal(taken.size, 1)
})

test('failover follows the weights, and includes a provider of weight 0', async () => {
  const names = ['one', 'two', 'three'] as const
  const providers = names.map((name) => fakeProvider([name === 'one' ? ACCEPTS : BLAMES_ITSELF], { name }))
  const gateway = openGateway(world, { providers, route: { weights: [0, 5, 1] } })
  const id = await gateway.submit()
  for (let n = 0; n < 3; n += 1) await gateway.work()
  const state = await gateway.stateOf(id)
  assert.deepEqual([toStatus(state), state.provider], ['sent', 'one'])
  assert.deepEqual(state.excluded?.toSorted(), ['three', 'two'])
})

test('skips a provider of the route that is not configured', async () => {
  const gone = 'gone' as ProviderName
  const gateway = openGateway(world, { providers: [fakeProvider([ACCEPTS])], route: { providers: [gone, ONE] } })
  assert.equal((await gateway.stateOf(await newestOf(gateway))).provider, 'one')
  const last = openGateway(world, { providers: [fakeProvider([BLAMES_ITSELF])], route: { providers: [ONE, gone] } })
  const { errorCode, handoffState } = await last.stateOf(await newestOf(last))
  assert.deepEqual([handoffState, errorCode], ['failed', BLAMES_ITSELF.code])
})

test('routes a message by the routes of its own tenant', async () => {
  const gateway = openGateway(world)
  const asked: TenantId[] = []
  const routes = {
    of: (tenantId: TenantId) => {
      asked.push(tenantId)
      return gateway.deps.routes.of(tenantId)
    },
  }
  await dispatch({ ...gateway.deps, routes }, jobFor(await gateway.submit()))
  assert.deepEqual(asked, [TENANT])
})

test('while routes are not loaded every message waits without using an attempt', async () => {
  const unknown = { of: () => undefined }
  const fresh = openGateway(world)
  const id = await fresh.submit()
  assert.deepEqual(await dispatch({ ...fresh.deps, routes: unknown }, jobFor(id)), IN_A_SECOND)
  assert.deepEqual(await fresh.kindsOf(id), ['MessageCreated'])
  await dispatch(fresh.deps, jobFor(id))
  assert.equal(toStatus(await fresh.stateOf(id)), 'sent')

  const route = { unknown: { wait: seconds(0), policy: 'resend' } } as const
  const lost = openGateway(world, { providers: [fakeProvider([OUTCOME_UNKNOWN])], route })
  const lostId = await newestOf(lost)
  assert.deepEqual(await dispatch({ ...lost.deps, routes: unknown }, jobFor(lostId)), IN_A_SECOND)
  assert.equal((await lost.stateOf(lostId)).phase, 'unknown')

  const { provider, called } = slowProvider()
  const abandoned = openGateway(world, { providers: [provider] })
  const open = await abandoned.submit()
  void dispatch(abandoned.deps, jobFor(open))
  await called
  assert.deepEqual(await asOther({ ...abandoned.deps, routes: unknown }, open), IN_A_SECOND)
  assert.equal((await abandoned.stateOf(open)).phase, 'open')
})
