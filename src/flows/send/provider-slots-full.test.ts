/** Messages whose provider has no free slot do not delay those of other providers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { until } from '../../../test/support/until.ts'
import type { ProviderName, RouteId } from '../../domain/ids.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import { ProviderSlots } from '../../domain/routing/provider-slots.ts'
import { Rechecks } from '../../domain/routing/rechecks.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { inProcessBreakers } from '../../engines/shared/in-process-breakers.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import type { Taken } from '../../ports/queue.ts'
import { Runner } from '../../workers/runner.ts'
import {
  ACCEPTS,
  type Answer,
  BLAMES_ITSELF,
  CONTENT,
  DEFERS,
  fakeProvider,
  fixed,
  OUTCOME_UNKNOWN,
  openGateway,
  REJECTS,
  START,
  slowProvider,
} from '../gateway.fixture.ts'
import { dispatch } from './dispatch.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const ONE = 'one' as ProviderName
const BACK = millis(250)

/** A gateway whose only slot is in use by a pending call. */
async function openFull(expiresAt?: ReturnType<typeof later>) {
  const slow = slowProvider()
  const gateway = openGateway(world, { providers: [slow.provider], deps: { slots: new ProviderSlots({ size: 1 }) } })
  await gateway.submit()
  const first = gateway.work()
  await slow.called
  const content = expiresAt === undefined ? CONTENT : { ...CONTENT, expiresAt }
  const id = await gateway.submit({ content })
  return { ...gateway, id, first, answer: slow.answer, provider: slow.provider }
}

test('postpones a message without a free slot, without an event or an attempt', async () => {
  const { work, id, kindsOf, stateOf, provider, first, answer } = await openFull()
  assert.deepEqual(await work(), { kind: 'later', at: later(START, BACK) })
  assert.deepEqual(await kindsOf(id), ['MessageCreated'])
  assert.deepEqual([(await stateOf(id)).attempt, provider.calls.length], [0, 1])
  answer(ACCEPTS)
  assert.deepEqual(await first, { kind: 'gone' })
})

test('postpones a message when the provider has no capacity', async () => {
  let hasRoom = false
  const provider = { ...fakeProvider([ACCEPTS]), hasRoom: () => hasRoom }
  const { submit, work, kindsOf, pass } = openGateway(world, {
    providers: [provider],
    deps: { slots: new ProviderSlots({ size: 9 }) },
  })
  const id = await submit()
  assert.deepEqual(await work(), { kind: 'later', at: later(START, BACK) })
  assert.deepEqual([await kindsOf(id), provider.calls.length], [['MessageCreated'], 0])
  hasRoom = true
  pass(BACK)
  assert.deepEqual(await work(), { kind: 'gone' })
  assert.equal(provider.calls.length, 1)
})

test('postpones a message at most to its deadline, where it expires', async () => {
  const expiresAt = later(START, millis(100))
  const { work, id, pass, kindsOf } = await openFull(expiresAt)
  assert.deepEqual(await work(), { kind: 'later', at: expiresAt })
  pass(millis(100))
  await work()
  assert.deepEqual(await kindsOf(id), ['MessageCreated', 'MessageExpired'])
})

test('a trial call without a free slot leaves the trial to the next call', async () => {
  const breakers = inProcessBreakers()
  const slow = slowProvider()
  const deps = { slots: new ProviderSlots({ size: 1 }), breakers }
  const gateway = openGateway(world, { providers: [slow.provider], deps })
  await gateway.submit()
  const first = gateway.work()
  await slow.called
  for (let failure = 0; failure < 5; failure += 1) breakers.report(ONE, { kind: 'free' }, 'failed', START)
  gateway.pass(seconds(30))
  await gateway.submit()
  assert.equal((await gateway.work())?.kind, 'later')
  assert.deepEqual(breakers.ask(ONE, gateway.clock()), { kind: 'trial', at: gateway.clock() })
  slow.answer(ACCEPTS)
  await first
})

test('spreads the rechecks of parked messages', async () => {
  const breakers = inProcessBreakers()
  for (let failure = 0; failure < 5; failure += 1) breakers.report(ONE, { kind: 'free' }, 'failed', START)
  const gateway = openGateway(world, { deps: { breakers, rechecks: new Rechecks() } })
  const untils: number[] = []
  for (let nth = 0; nth < 60; nth += 1) {
    await gateway.submit()
    const disposition = await gateway.work()
    if (disposition?.kind === 'parked') untils.push(disposition.until - START)
  }
  assert.deepEqual([...new Set(untils)], [60_000, 61_000, 62_000, 63_000])
})

test('a lookup takes a slot too, and is postponed without one', async () => {
  const asking = Promise.withResolvers<void>()
  const provider = fakeProvider([OUTCOME_UNKNOWN, OUTCOME_UNKNOWN], {
    lookup: async () => {
      await asking.promise
      return { kind: 'undetermined' }
    },
  })
  const slots = new ProviderSlots({ size: 1 })
  const gateway = openGateway(world, { providers: [provider], deps: { slots } })
  for (const _ of [1, 2]) {
    await gateway.submit()
    await gateway.work()
  }
  gateway.pass(seconds(30))
  const first = gateway.work()
  await until('the first lookup', () => [...slots.calls()].some(([, calls]) => calls === 1))
  assert.deepEqual(await gateway.work(), { kind: 'later', at: later(gateway.clock(), BACK) })
  asking.resolve()
  await first
  assert.deepEqual([...slots.calls()], [[ONE, 0]])
})

test('slots are released however a call ends, and never exceed the limit', async () => {
  const bug: Answer = () => {
    throw new Error('bug')
  }
  const answers = fc.constantFrom<Answer>(ACCEPTS, REJECTS, BLAMES_ITSELF, DEFERS, OUTCOME_UNKNOWN, bug)
  const property = fc.asyncProperty(
    fc.array(answers, { minLength: 1, maxLength: 20 }),
    fc.integer({ min: 1, max: 4 }),
    async (said, size) => {
      let [underWay, most] = [0, 0]
      const slowly = said.map(
        (answer): Answer =>
          async (attempt, signal) => {
            underWay += 1
            most = Math.max(most, underWay)
            await new Promise(setImmediate)
            underWay -= 1
            return typeof answer === 'function' ? answer(attempt, signal) : answer
          },
      )
      const slots = new ProviderSlots({ size })
      const gateway = openGateway(world, { providers: [fakeProvider(slowly)], deps: { slots } })
      for (const _ of said) await gateway.submit()
      await Promise.allSettled(said.map(() => gateway.work()))
      assert.equal(most, Math.min(size, said.length))
      assert.deepEqual([...slots.calls()], [[ONE, 0]])
    },
  )
  await fc.assert(property, { numRuns: 100 })
})

/** Two routes by prefix to one provider each; the first provider responds only after `release`. */
function openTwo() {
  const hung = Promise.withResolvers<SendOutcome>()
  const endless = (answer: Answer): readonly Answer[] => new Array(200).fill(answer)
  const hanging = fakeProvider(
    endless(() => hung.promise),
    { name: 'hanging' },
  )
  const working = fakeProvider(endless(ACCEPTS), { name: 'working' })
  const toRoute = (prefix: string, { name }: typeof hanging) => ({
    id: name as string as RouteId,
    channel: 'sms' as const,
    prefix,
    providers: [name] as const,
    unknown: { wait: seconds(30), policy: 'hold' as const },
  })
  const gateway = openGateway(world, {
    providers: [hanging, working],
    deps: { slots: new ProviderSlots({ size: 4 }), routes: fixed([toRoute('+1', hanging), toRoute('+2', working)]) },
  })
  const submit = (to: string) => gateway.submit({ content: { ...CONTENT, to: to as PhoneNumber } })
  return { ...gateway, submit, hanging, working, release: hung.resolve }
}

test('while one provider hangs all messages of another are sent, and its own when it recovers', async () => {
  const { deps, queue, clock, pass, submit, hanging, working, release } = openTwo()
  for (let nth = 0; nth < 40; nth += 1) {
    await submit('+15005550100')
    await submit('+25005550100')
  }
  const onFault = (error: unknown): void => assert.fail(String(error))
  const handle = (taken: Taken) => dispatch(deps, taken)
  const deadLetter = async (): Promise<void> => assert.fail('unexpected dead letter')
  await using runner = new Runner({ queue, clock, handle, onFault, deadLetter }, 8)
  assert.ok(runner)
  await until('all calls of the working provider', () => working.calls.length === 40)
  assert.equal(hanging.calls.length, 4)
  release(ACCEPTS)
  await until('all calls of the hanging provider', () => {
    pass(millis(50))
    return hanging.calls.length === 40
  })
})
