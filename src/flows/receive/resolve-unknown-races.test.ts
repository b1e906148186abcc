/** A person, a receipt, a look-up and workers at one message with an unknown outcome, in every order of their calls to the log. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { AccountId } from '../../domain/ids.ts'
import type { FactKind, MessageEvent } from '../../domain/message/events.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { fold } from '../../domain/message/state.ts'
import { handoffRank, isHandoffOver, providerRank, toStatus } from '../../domain/message/states.ts'
import type { UnknownPolicy } from '../../domain/routing/unknown.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import type { LookupResult, Provider, Receipt } from '../../ports/provider.ts'
import { Refusal } from '../errors.ts'
import {
  ACCEPTS,
  asOther,
  DEFERS,
  fakeProvider,
  OUTCOME_UNKNOWN,
  openGateway,
  receiptOf,
  TENANT,
  TRACE,
} from '../gateway.fixture.ts'
import { applyReceipt } from './apply-receipt.ts'
import { RESOLUTIONS, type Resolution, resolveUnknown } from './resolve-unknown.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

type Race = Readonly<{
  policy: UnknownPolicy
  maxAttempts: number
  /** What the provider says to the attempts after the one with an unknown outcome. */
  next: SendOutcome
  lookup: 'delivered' | 'absent' | 'undetermined'
  /** Each in the name of an account of its own. */
  people: readonly Resolution[]
  receipts: readonly Receipt['state'][]
  workers: number
}>

const race: fc.Arbitrary<Race> = fc.record({
  policy: fc.constantFrom('hold', 'hold', 'resend', 'failover'),
  maxAttempts: fc.constantFrom(1, 2, 5),
  next: fc.constantFrom<SendOutcome>(ACCEPTS, OUTCOME_UNKNOWN, DEFERS),
  lookup: fc.constantFrom('delivered', 'absent', 'undetermined', 'undetermined'),
  people: fc.array(fc.constantFrom(...RESOLUTIONS), { minLength: 1, maxLength: 3 }),
  receipts: fc.uniqueArray(fc.constantFrom('accepted', 'delivered', 'bounced'), { maxLength: 2 }),
  workers: fc.integer({ min: 0, max: 3 }),
})

/** What became of one race: its timeline, the attempts that were sent, and what each person was told. */
async function run(scheduler: fc.Scheduler, race: Race) {
  const lookup: NonNullable<Provider['lookup']> = async (ref): Promise<LookupResult> =>
    race.lookup === 'delivered'
      ? { kind: 'found', receipt: { ref, providerMessageId: 'SM1', state: 'delivered', reportId: 'looked up' } }
      : { kind: race.lookup }
  const answers = [OUTCOME_UNKNOWN, ...Array<SendOutcome>(20).fill(race.next)]
  const providers = ['one', 'two'].map((name) =>
    fakeProvider(name === 'one' ? answers : answers.slice(1), { name, lookup: scheduler.scheduleFunction(lookup) }),
  )
  const retry = { delays: [seconds(1)], maxAttempts: race.maxAttempts, jitter: 0 }
  const route = { retry, unknown: { wait: seconds(30), policy: race.policy } }
  const gateway = openGateway(world, { providers, route })
  const id = await gateway.submit()
  await gateway.work()
  const before = await gateway.stateOf(id)
  assert.equal(before.phase, 'unknown')
  gateway.pass(seconds(30))

  const { log } = gateway
  const slow = {
    ...log,
    append: scheduler.scheduleFunction(log.append),
    latest: scheduler.scheduleFunction(log.latest),
    load: scheduler.scheduleFunction(log.load),
  }
  const deps = { ...gateway.deps, log: slow }
  const decide = (as: Resolution, n: number) =>
    resolveUnknown(deps, { tenantId: TENANT, accountId: nameOf(n), id, as, traceId: TRACE }).then(
      () => true,
      unlessRefused,
    )
  const people = Promise.all(race.people.map(decide))
  const others = [
    ...race.receipts.map((state) => applyReceipt(deps, receiptOf(before, state))),
    ...Array.from({ length: race.workers }, () => asOther(deps, id, false)),
  ]
  const [heard] = await scheduler.waitFor(Promise.all([people, ...others]))
  return { gateway, id, heard, calls: providers.flatMap(({ calls }) => calls) }
}

const nameOf = (n: number): AccountId => `desk-${n}` as AccountId

function unlessRefused(error: unknown): false {
  assert.ok(error instanceof Refusal && error.code === 'CONFLICT')
  return false
}

type Told = Awaited<ReturnType<typeof run>>

const always = (look: (told: Told, race: Race) => Promise<void>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), race, async (scheduler, race) => look(await run(scheduler, race), race)),
    { numRuns: 200 },
  )

const resolvedBy = ({ fact }: MessageEvent): AccountId | undefined =>
  'resolvedBy' in fact ? fact.resolvedBy : undefined

test('whoever was told that it is settled is in the timeline, and nobody else', async () => {
  await always(async ({ gateway, id, heard }) => {
    const told = heard.flatMap((isSettled, n) => (isSettled ? [nameOf(n)] : []))
    const named = (await gateway.eventsOf(id)).flatMap((event) => resolvedBy(event) ?? [])
    assert.deepEqual(named.toSorted(), told)
  })
})

test('a person settles only what is with an unknown outcome then, and no attempt is settled twice', async () => {
  await always(async ({ gateway, id }) => {
    const events = await gateway.eventsOf(id)
    const settled = events.filter((event) => resolvedBy(event) !== undefined)
    for (const event of settled) assert.equal(events[events.indexOf(event) - 1]?.state.phase, 'unknown')
    const attempts = settled.map(({ state }) => state.attempt)
    assert.equal(new Set(attempts).size, attempts.length)
  })
})

/** Nothing more is to be said of an attempt once one of these is. */
const OUTCOMES = new Set<FactKind>(['RetryScheduled', 'HandoffFailed', 'DeadLettered', 'HandoffUnknown'])

test('the timeline is honest: it is the fold of its facts, goes only forward, and keeps every report', async () => {
  await always(async ({ gateway, id }, { receipts }) => {
    const events = await gateway.eventsOf(id)
    for (const [n, { fact, state, previousStatus, ...moment }] of events.entries()) {
      const before = events[n - 1]?.state
      if (before === undefined) continue
      assert.deepEqual(state, fold(before, fact, moment))
      assert.equal(previousStatus, toStatus(before))
      if (OUTCOMES.has(fact.kind)) assert.ok(before.phase === 'open' || before.phase === 'unknown', fact.kind)
      if (state.cycle > before.cycle) continue
      assert.ok(handoffRank(state.handoffState) >= handoffRank(before.handoffState))
      assert.ok(providerRank(state.providerState) >= providerRank(before.providerState))
    }
    const reported = new Set(events.map(({ fact }) => 'reportId' in fact && fact.reportId))
    for (const state of receipts) assert.ok(reported.has(`${state} 1`), state)
  })
})

test('nothing is sent that was not asked for: by a person, by the route, or because the provider does not have it', async () => {
  await always(async ({ gateway, id, calls }, { policy, lookup, people, next }) => {
    const events = await gateway.eventsOf(id)
    const claims = events.filter(({ fact }) => fact.kind === 'HandoffAttempted')
    assert.deepEqual(new Set(calls.map(({ ref }) => ref.attempt)), new Set(claims.map(({ attempt }) => attempt)))
    assert.equal(calls.length, claims.length)
    for (const claim of claims.slice(1)) {
      const cause = events[events.indexOf(claim) - 1]
      assert.ok(cause && !isHandoffOver(cause.state.handoffState))
      const { fact } = events.slice(0, events.indexOf(claim)).findLast(({ fact }) => isCause(fact.kind)) ?? cause
      const code = 'code' in fact ? fact.code : fact.kind
      if (code === 'RESOLVED_RESEND' || code === 'ResendRequested') assert.ok(people.includes('resend'))
      else if (code === 'OUTCOME_UNKNOWN') assert.notEqual(policy, 'hold')
      else if (code === 'NOT_RECEIVED') assert.equal(lookup, 'absent')
      else assert.equal(code, next === DEFERS ? DEFERS.code : 'nothing asked for it')
    }
  })
})

const isCause = (kind: string): boolean => kind === 'RetryScheduled' || kind === 'ResendRequested'

test('what a person wants sent again is attempted, unless the provider turns out to have it', async () => {
  await always(async ({ gateway, id }) => {
    for (let left = 20; left > 0 && (await gateway.work()) !== undefined; left -= 1);
    const events = await gateway.eventsOf(id)
    const wished = events.filter((event) => resolvedBy(event) !== undefined && isCause(event.fact.kind))
    for (const wish of wished) {
      const after = events.slice(events.indexOf(wish) + 1).map(({ fact }) => fact.kind)
      assert.ok(after.includes('HandoffAttempted') || after.includes('HandoffAccepted'), after.join(', '))
    }
  })
})
