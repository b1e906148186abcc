/** Properties of whole message lifecycles, under any provider outcomes and any interleaving of reports, workers and resolutions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import type { MessageId } from '../domain/ids.ts'
import type { MessageEvent } from '../domain/message/events.ts'
import { fold, isUnresolved, type MessageState } from '../domain/message/state.ts'
import { handoffRank, providerRank, toStatus } from '../domain/message/states.ts'
import type { UnknownPolicy } from '../domain/routing/unknown.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { millis, seconds } from '../lib/time.ts'
import type { Attempt, Provider, Receipt } from '../ports/provider.ts'
import { erase } from './admin/erase.ts'
import { Refusal } from './errors.ts'
import {
  ACCEPTS,
  BLAMES_ITSELF,
  DEFERS,
  fakeProvider,
  type Gateway,
  OUTCOME_UNKNOWN,
  openGateway,
  REJECTS,
  SUBMISSION,
  TENANT,
  TRACE,
} from './gateway.fixture.ts'
import { applyReceipt } from './receive/apply-receipt.ts'
import { RESOLUTIONS, type Resolution, resolveUnknown } from './receive/resolve-unknown.ts'
import { dispatch } from './send/dispatch.ts'
import { resend } from './send/resend.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

type Report = Readonly<{ kind: 'report'; of: number; state: Receipt['state']; reportId: string }>
type Step =
  | Report
  | Readonly<{ kind: 'work' | 'rival' | 'resend' | 'erase' }>
  | Readonly<{ kind: 'resolve'; as: Resolution }>
  | Readonly<{ kind: 'pass'; by: number }>
type Scenario = Readonly<{
  outcomes: readonly (typeof OUTCOMES)[number][]
  /** Whether the first report arrives before the provider's response. */
  early: boolean
  lookups: readonly ('delivered' | 'absent' | 'undetermined')[]
  policy: UnknownPolicy
  /** The steps of one round run concurrently. */
  rounds: readonly (readonly Step[])[]
}>

const OUTCOMES = [ACCEPTS, REJECTS, BLAMES_ITSELF, DEFERS, OUTCOME_UNKNOWN] as const

const report: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('report' as const),
  of: fc.nat({ max: 9 }),
  state: fc.constantFrom('accepted', 'delivered', 'dropped', 'bounced', 'complaint'),
  reportId: fc.constantFrom('a', 'b'),
})
const pass: fc.Arbitrary<Step> = fc.record({ kind: fc.constant('pass' as const), by: fc.nat({ max: 40_000 }) })
const resolution: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('resolve' as const),
  as: fc.constantFrom(...RESOLUTIONS),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ kind: 'work' } as const) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'rival' } as const, { kind: 'resend' } as const) },
  { weight: 2, arbitrary: resolution },
  { weight: 4, arbitrary: report },
  { weight: 3, arbitrary: pass },
)
const scenario: fc.Arbitrary<Scenario> = fc.record({
  outcomes: fc.array(fc.constantFrom(...OUTCOMES), { minLength: 1, maxLength: 8 }),
  early: fc.boolean(),
  lookups: fc.array(fc.constantFrom('delivered', 'absent', 'undetermined'), { maxLength: 4 }),
  policy: fc.constantFrom('hold', 'resend', 'failover'),
  rounds: fc
    .tuple(
      fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 4, maxLength: 16 }),
      fc.option(fc.nat({ max: 15 }), { nil: undefined, freq: 4 }),
    )
    .map(([rounds, erasedIn]) =>
      rounds.map((steps, n) => (n === erasedIn ? [...steps, { kind: 'erase' } as const] : steps)),
    ),
})

/** The events of a message and the provider calls made for it. */
type Run = Readonly<{ events: readonly MessageEvent[]; calls: readonly Attempt[] }>

async function run({ outcomes, early, lookups, policy, rounds }: Scenario): Promise<Run> {
  const left = [...lookups]
  const lookup: NonNullable<Provider['lookup']> = async (ref) => {
    const result = left.shift() ?? 'undetermined'
    if (result !== 'delivered') return { kind: result }
    return { kind: 'found', receipt: { ref, providerMessageId: 'SM1', state: result, reportId: 'looked up' } }
  }
  const calls: Attempt[] = []
  const answer = async (attempt: Attempt) => {
    calls.push(attempt)
    if (early)
      await applyReceipt(gateway.deps, toReceipt(attempt, { kind: 'report', of: 0, state: 'accepted', reportId: 'a' }))
    return outcomes[(calls.length - 1) % outcomes.length] ?? ACCEPTS
  }
  const providers = ['one', 'two'].map((name) => fakeProvider(Array(40).fill(answer), { name, lookup }))
  const gateway = openGateway(world, { providers, route: { unknown: { wait: seconds(30), policy } } })
  const id = await gateway.submit()
  for (const steps of rounds) await Promise.all(steps.map((step) => take(gateway, id, step, calls)))

  const events = await gateway.eventsOf(id)
  assert.deepEqual(await gateway.stateOf(id), events.at(-1)?.state)
  return { events, calls }
}

const toReceipt = ({ ref }: Attempt, { state, reportId }: Report): Receipt => ({
  ref,
  state,
  reportId: `${state} ${reportId}`,
  providerMessageId: `SM${ref.attempt}`,
  ...(state === 'bounced' ? { code: 'UNREACHABLE' } : {}),
})

async function take(gateway: Gateway, id: MessageId, step: Step, calls: readonly Attempt[]): Promise<void> {
  const { deps } = gateway
  switch (step.kind) {
    case 'work':
      await gateway.work()
      return
    case 'rival': {
      const worker = { ...deps.worker, owner: 'rival' }
      await dispatch({ ...deps, worker }, { job: { messageId: id, tenantId: TENANT, lane: 'bulk' }, leaseToken: -1 })
      return
    }
    case 'pass':
      gateway.pass(millis(step.by))
      return
    case 'report': {
      const attempt = calls[step.of % Math.max(calls.length, 1)]
      if (attempt !== undefined) await applyReceipt(deps, toReceipt(attempt, step))
      return
    }
    case 'resend':
      await resend(deps, { tenantId: TENANT, id, by: 'resend', traceId: TRACE }).catch(unlessRefused)
      return
    case 'resolve': {
      const resolution = { tenantId: TENANT, accountId: SUBMISSION.accountId, id, as: step.as, traceId: TRACE }
      await resolveUnknown(deps, resolution).catch(unlessRefused)
      return
    }
    case 'erase':
      await erase(deps, { tenantId: TENANT, id, traceId: TRACE })
  }
}

function unlessRefused(error: unknown): void {
  assert.ok(error instanceof Refusal)
}

const always = (check: (run: Run) => void): Promise<void> =>
  fc.assert(
    fc.asyncProperty(scenario, async (scenario) => check(await run(scenario))),
    { numRuns: 100 },
  )

/** Each event with the one before it. */
const pairs = (events: readonly MessageEvent[]) => events.slice(1).map((now, n) => [events[n] ?? now, now] as const)

/** What failed without evidence is decided by a later report. */
const rankOf = (state: MessageState): number => (isUnresolved(state) ? 90 : handoffRank(state.handoffState))

test('S2-CAS the latest state never regresses under any reports, order or outcomes', async () => {
  await always(({ events }) => {
    for (const [{ state: before }, { state: now }] of pairs(events)) {
      assert.ok(now.cycle >= before.cycle && now.attempt >= before.attempt)
      if (now.cycle > before.cycle) continue
      const ours = rankOf(now) - rankOf(before)
      assert.ok(ours > 0 || now.handoffState === before.handoffState, `${before.handoffState} → ${now.handoffState}`)
      const theirs = providerRank(now.providerState) - providerRank(before.providerState)
      assert.ok(theirs > 0 || now.providerState === before.providerState)
    }
  })
})

test('S1-P13 every status change is an event with the previous status and its time', async () => {
  await always(({ events: [first, ...others] }) => {
    assert.equal(first?.fact.kind, 'MessageCreated')
    assert.equal(first?.previousStatus, undefined)
    for (const [before, now] of pairs(first === undefined ? others : [first, ...others])) {
      assert.equal(now.previousStatus, toStatus(before.state))
      assert.deepEqual(now.state, fold(before.state, now.fact, now))
      assert.ok(now.at >= before.at)
    }
  })
})

test('S1-P13 an event has the new status, the time at which it happened and what happened', async () => {
  const gateway = openGateway(world, { providers: [fakeProvider([DEFERS, ACCEPTS])] })
  const { clock } = gateway.deps
  const id = await gateway.submit()
  const times = [clock()]
  for (let nth = 0; nth < 2; nth += 1) {
    gateway.pass(seconds(7))
    times.push(clock())
    await gateway.work()
  }
  const [sent, tried, accepted] = times
  assert.deepEqual(
    (await gateway.eventsOf(id)).map(({ at, state, fact }) => [fact.kind, at, toStatus(state)]),
    [
      ['MessageCreated', sent, 'queued'],
      ['HandoffAttempted', tried, 'sending'],
      ['RetryScheduled', tried, 'sending'],
      ['HandoffAttempted', accepted, 'sending'],
      ['HandoffAccepted', accepted, 'sent'],
    ],
  )
  const [, , retried, , last] = (await gateway.eventsOf(id)).map(({ fact }) => fact)
  assert.ok(retried?.kind === 'RetryScheduled' && retried.code === DEFERS.code && retried.detail === DEFERS.detail)
  assert.ok(last?.kind === 'HandoffAccepted' && last.providerMessageId === ACCEPTS.providerMessageId)
})

test('S1-P13 the timeline of a message has no duplicate events', async () => {
  await always(({ events }) => assert.equal(new Set(events.map(({ id }) => id)).size, events.length))
})

test('calls the provider once per attempt, after claiming it', async () => {
  await always(({ events, calls }) => {
    const claimed = events.filter(({ fact }) => fact.kind === 'HandoffAttempted')
    assert.deepEqual(
      calls.map(({ ref }) => [ref.cycle, ref.attempt]),
      claimed.map(({ cycle, attempt }) => [cycle, attempt]),
    )
  })
})
