/** The provider of an attempt, waits while no provider may be called, and the checks before the attempt. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { memoryRecipients } from '../../../test/memory/recipients.ts'
import type { RecipientId } from '../../domain/directory/recipient.ts'
import { toUserAddress } from '../../domain/directory/user-address.ts'
import type { MessageId, ProviderName } from '../../domain/ids.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import {
  ACCEPTS,
  asOther,
  BLAMES_ITSELF,
  CONTENT,
  DEFERS,
  fakeProvider,
  type Gateway,
  type GatewayOptions,
  jobFor,
  OUTCOME_UNKNOWN,
  openGateway,
  overtaken,
  REJECTS,
  START,
  slowProvider,
  TENANT,
} from '../gateway.fixture.ts'
import { dispatch } from './dispatch.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const ONE = 'one' as ProviderName
const FIVE = Array(5).fill(DEFERS)
const DUE = later(START, seconds(30))

const breakerOf = ({ breakers }: Gateway, name = ONE) => breakers.states().get(name)

/** A gateway whose first provider has failed five messages. */
async function openBroken(options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = openGateway(world, { providers: [fakeProvider([...FIVE, ACCEPTS])], ...options })
  for (let n = 0; n < 5; n += 1) {
    await gateway.submit()
    await gateway.work()
  }
  assert.equal(breakerOf(gateway)?.kind, 'open')
  return gateway
}

const newestOf = async (gateway: Gateway): Promise<MessageId> => {
  const id = await gateway.submit()
  await dispatch(gateway.deps, jobFor(id))
  return id
}

test('S1-P12 while the breaker of a provider is open its messages go to the next provider of the route', async () => {
  const [one, two] = [fakeProvider([...FIVE]), fakeProvider([ACCEPTS], { name: 'two' })]
  const gateway = await openBroken({ providers: [one, two] })
  const id = await newestOf(gateway)
  assert.deepEqual([toStatus(await gateway.stateOf(id)), (await gateway.stateOf(id)).provider], ['sent', 'two'])
  assert.equal(one.calls.length, 5)
})

test('unknown outcomes open the breaker too, rejections do not', async () => {
  for (const [answer, kind] of [
    [OUTCOME_UNKNOWN, 'open'],
    [REJECTS, 'closed'],
    [BLAMES_ITSELF, 'closed'],
  ] as const) {
    const gateway = openGateway(world, { providers: [fakeProvider(Array(5).fill(answer))] })
    for (let n = 0; n < 5; n += 1) await newestOf(gateway)
    assert.equal(breakerOf(gateway)?.kind, kind)
  }
})

test('parks the job for all providers when every breaker is open, and leaves the message unchanged', async () => {
  const two = fakeProvider(FIVE, { name: 'two' })
  const gateway = await openBroken({ providers: [fakeProvider([...FIVE]), two] })
  gateway.pass(seconds(1))
  for (let n = 0; n < 5; n += 1) await newestOf(gateway)
  assert.equal(breakerOf(gateway, two.name)?.kind, 'open')
  const id = await gateway.submit()
  const before = await gateway.stateOf(id)
  const until = later(gateway.clock(), seconds(60))
  assert.deepEqual(await dispatch(gateway.deps, jobFor(id)), { kind: 'parked', gate: [ONE, two.name], until })
  assert.deepEqual(await gateway.stateOf(id), before)
  assert.deepEqual(await gateway.kindsOf(id), ['MessageCreated'])
})

test('skips a disconnected provider; without another one the message is parked and uses no attempt', async () => {
  const held = { wanted: 2, up: 0 }
  const one = { ...fakeProvider([ACCEPTS]), connections: () => held }
  const uncounted = openGateway(world, { providers: [one, fakeProvider([ACCEPTS], { name: 'two' })] })
  assert.equal((await uncounted.stateOf(await newestOf(uncounted))).provider, 'two')

  const alone = openGateway(world, { providers: [one] })
  const id = await alone.submit()
  assert.deepEqual(await dispatch(alone.deps, jobFor(id)), {
    kind: 'parked',
    gate: [ONE],
    until: later(START, seconds(60)),
  })
  assert.deepEqual([await alone.kindsOf(id), breakerOf(alone), one.calls.length], [['MessageCreated'], undefined, 0])
  held.up = 1
  await dispatch(alone.deps, jobFor(id))
  assert.equal(toStatus(await alone.stateOf(id)), 'sent')
})

test('a parked message expires at its deadline', async () => {
  const gateway = await openBroken()
  const expiresAt = later(START, seconds(12))
  const id = await gateway.submit({ content: { ...CONTENT, expiresAt } })
  assert.deepEqual(await dispatch(gateway.deps, jobFor(id)), { kind: 'parked', gate: [ONE], until: expiresAt })
  gateway.pass(seconds(12))
  await dispatch(gateway.deps, jobFor(id))
  assert.deepEqual(await gateway.kindsOf(id), ['MessageCreated', 'MessageExpired'])
})

test('S1-P12 after thirty seconds one message is the trial call, and the others follow when it succeeds', async () => {
  const { provider, called, answer } = slowProvider()
  const gateway = await openBroken()
  const deps = { ...gateway.deps, providers: new Map([[ONE, provider]]) }
  const [first, second] = [await gateway.submit(), await gateway.submit()]
  gateway.pass(seconds(30))
  const trying = dispatch(deps, jobFor(first))
  await called
  assert.equal((await dispatch(deps, jobFor(second))).kind, 'parked')
  answer(ACCEPTS)
  await trying
  assert.equal(breakerOf(gateway)?.kind, 'closed')
  await dispatch(gateway.deps, jobFor(second))
  assert.equal(toStatus(await gateway.stateOf(second)), 'sent')
})

test('a failed trial call counts as an attempt and opens the breaker again', async () => {
  const gateway = await openBroken({ providers: [fakeProvider([...FIVE, DEFERS])] })
  const id = await gateway.submit()
  gateway.pass(seconds(30))
  await dispatch(gateway.deps, jobFor(id))
  assert.deepEqual((await gateway.kindsOf(id)).slice(1), ['HandoffAttempted', 'RetryScheduled'])
  assert.deepEqual(await gateway.breakers.ask(ONE, gateway.clock()), { kind: 'held', until: later(DUE, seconds(30)) })
})

test('returns the trial permit when the call is not made: after a lost claim, a failed claim or a late claim', async () => {
  const lost = await openBroken()
  const id = await lost.submit()
  lost.pass(seconds(30))
  const rival = overtaken(lost.log, () => asOther({ ...lost.deps, breakers: openMemoryEngine(lost).breakers }, id))
  assert.equal((await dispatch({ ...lost.deps, log: rival }, jobFor(id))).kind, 'later')
  assert.equal((await lost.breakers.ask(ONE, lost.clock())).kind, 'trial')

  const failing = await openBroken()
  const unsent = await failing.submit()
  failing.pass(seconds(30))
  const log = { ...failing.log, append: () => Promise.reject(new Error('log unavailable')) }
  await assert.rejects(async () => dispatch({ ...failing.deps, log }, jobFor(unsent)), /log unavailable/)
  assert.equal((await failing.breakers.ask(ONE, failing.clock())).kind, 'trial')

  const late = await openBroken()
  const slow = await late.submit()
  late.pass(seconds(30))
  const worker = { ...late.deps.worker, lease: seconds(1) }
  await dispatch({ ...late.deps, worker }, jobFor(slow))
  assert.equal((await late.stateOf(slow)).errorCode, 'CLAIM_LATE')
  assert.equal((await late.breakers.ask(ONE, late.clock())).kind, 'trial')
})

test('a message that expires while its provider is chosen is not attempted', async () => {
  const gateway = openGateway(world)
  const id = await gateway.submit({ content: { ...CONTENT, expiresAt: later(START, seconds(5)) } })
  const { breakers } = gateway
  const slow = {
    ...breakers,
    ask: async (...asked: Parameters<typeof breakers.ask>) => {
      gateway.pass(seconds(5))
      return breakers.ask(...asked)
    },
  }
  await dispatch({ ...gateway.deps, breakers: slow }, jobFor(id))
  await gateway.work()
  assert.deepEqual(await gateway.kindsOf(id), ['MessageCreated', 'MessageExpired'])
})

test('S1-P12 a provider is never called while its breaker is open, except for one trial call, whatever it answers', async () => {
  const answers = fc.array(fc.constantFrom(ACCEPTS, REJECTS, DEFERS, DEFERS, DEFERS, OUTCOME_UNKNOWN), {
    minLength: 60,
    maxLength: 60,
    size: 'max',
  })
  const waits = fc.array(fc.nat({ max: 12_000 }), { minLength: 60, maxLength: 60, size: 'max' })
  const property = fc.asyncProperty(answers, waits, async (outcomes, pauses) => {
    const provider = fakeProvider(outcomes)
    const gateway = openGateway(world, { providers: [provider] })
    let [failures, openUntil] = [0, 0]
    for (const pause of pauses) {
      const [before, now] = [provider.calls.length, gateway.clock()]
      await newestOf(gateway)
      const outcome = provider.calls.length > before ? outcomes[before] : undefined
      assert.equal(outcome === undefined, now < openUntil)
      if (outcome !== undefined) {
        failures = outcome === DEFERS || outcome === OUTCOME_UNKNOWN ? failures + 1 : 0
        openUntil = failures >= 5 ? now + 30_000 : 0
      }
      gateway.pass(millis(pause))
    }
  })
  await fc.assert(property, { numRuns: 100 })
})

test('fails a message whose recipient was removed from the directory, without a provider call', async () => {
  const recipientId = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as RecipientId
  const recipients = memoryRecipients()
  await recipients.add({ id: recipientId, tenantId: TENANT, createdAt: START, updatedAt: START })
  const provider = fakeProvider([ACCEPTS])
  const gateway = openGateway(world, { providers: [provider], deps: { recipients } })
  const listed = await gateway.submit({ content: { ...CONTENT, recipientId } })
  await gateway.work()
  assert.equal(toStatus(await gateway.stateOf(listed)), 'sent')
  await recipients.remove(TENANT, recipientId)
  const removed = await gateway.submit({ content: { ...CONTENT, recipientId } })
  assert.deepEqual(await gateway.work(), { kind: 'gone' })
  assert.deepEqual(await gateway.kindsOf(removed), ['MessageCreated', 'ValidationFailed'])
  const { errorCode, attempt } = await gateway.stateOf(removed)
  assert.deepEqual([errorCode, attempt, provider.calls.length], ['RECIPIENT_NOT_FOUND', 0, 1])
})

test('a message to a user address goes to a provider that supports users, bypassing routes, and otherwise fails', async () => {
  const content = { ...CONTENT, to: toUserAddress(101) }
  const capabilities = { channels: ['sms'], reports: 'callback', users: true } as const
  const [one, two] = [fakeProvider([]), fakeProvider([DEFERS, ACCEPTS], { name: 'two', capabilities })]
  const gateway = openGateway(world, { providers: [one, two] })
  const id = await gateway.submit({ content })
  await gateway.work()
  gateway.pass(seconds(2))
  await gateway.work()
  const { routeId, provider } = await gateway.stateOf(id)
  assert.deepEqual([toStatus(await gateway.stateOf(id)), routeId, provider], ['sent', 'users', 'two'])

  const withoutUsers = openGateway(world)
  const unreached = await withoutUsers.submit({ content })
  await withoutUsers.work()
  assert.equal((await withoutUsers.stateOf(unreached)).errorCode, 'NO_ROUTE_FOUND')
})
