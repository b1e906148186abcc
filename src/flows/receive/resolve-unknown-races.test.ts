/** Resolutions, receipts, lookups and workers race for a message with an unknown outcome, under every interleaving of their calls to the log. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { AccountId, MessageId } from '../../domain/ids.ts'
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
  /** The provider's response to the attempts after the unknown one. */
  next: SendOutcome
  lookup: 'delivered' | 'absent' | 'undetermined'
  /** Each resolves under its own account. */
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

/** Runs one race. Returns the timeline, the provider calls and whether each resolution succeeded. */
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
    latest: scheduler.scheduleFunction(async (id: MessageId) => log.latest(id)),
    load: scheduler.scheduleFunction(async (id: MessageId) => log.load(id)),
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
  const [resolutions] = await scheduler.waitFor(Promise.all([people, ...others]))
  return { gateway, id, resolutions, calls: providers.flatMap(({ calls }) => calls) }
}

const nameOf = (n: number): AccountId => `desk-${n}` as AccountId

function unlessRefused(error: unknown): false {
  assert.ok(error instanceof Refusal && error.code === 'CONFLICT')
  return false
}

type Result = Awaited<ReturnType<typeof run>>

const always = (check: (result: Result, race: Race) => Promise<void>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), race, async (scheduler, race) => check(await run(scheduler, race), race)),
    { numRuns: 200 },
  )

const resolvedBy = ({ fact }: MessageEvent): AccountId | undefined =>
  'resolvedBy' in fact ? fact.resolvedBy : undefined

test('the timeline names exactly the accounts whose resolution succeeded', async () => {
  await always(async ({ gateway, id, resolutions }) => {
    const succeeded = resolutions.flatMap((isResolved, n) => (isResolved ? [nameOf(n)] : []))
    const named = (await gateway.eventsOf(id)).flatMap((event) => resolvedBy(event) ?? [])
    assert.deepEqual(named.toSorted(), succeeded)
  })
})

test('only an unknown outcome is resolved, and no attempt twice', async () => {
  await always(async ({ gateway, id }) => {
    const events = await gateway.eventsOf(id)
    const resolved = events.filter((event) => resolvedBy(event) !== undefined)
    for (const event of resolved) assert.equal(events[events.indexOf(event) - 1]?.state.phase, 'unknown')
    const attempts = resolved.map(({ state }) => state.attempt)
    assert.equal(new Set(attempts).size, attempts.length)
  })
})

/** Facts that end an attempt. */
const OUTCOMES = new Set<FactKind>(['RetryScheduled', 'HandoffFailed', 'DeadLettered', 'HandoffUnknown'])

test('the timeline is the fold of its facts, never regresses, and has every report', async () => {
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

test("every attempt has a cause: a resolution, the route's policy, or a provider that does not have the message", async () => {
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
      else assert.equal(code, next === DEFERS ? DEFERS.code : 'no cause')
    }
  })
})

const isCause = (kind: string): boolean => kind === 'RetryScheduled' || kind === 'ResendRequested'

test('a requested resend is attempted, unless the provider turns out to have the message', async () => {
  await always(async ({ gateway, id }) => {
    for (let left = 20; left > 0 && (await gateway.work()) !== undefined; left -= 1);
    const events = await gateway.eventsOf(id)
    const requested = events.filter((event) => resolvedBy(event) !== undefined && isCause(event.fact.kind))
    for (const request of requested) {
      const after = events.slice(events.indexOf(request) + 1).map(({ fact }) => fact.kind)
      assert.ok(after.includes('HandoffAttempted') || after.includes('HandoffAccepted'), after.join(', '))
    }
  })
})
