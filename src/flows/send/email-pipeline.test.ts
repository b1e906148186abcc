/** S4-PIPE: emails sent through generated scenarios leave exactly the events that the model predicts. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import type { UnknownPolicy } from '../../domain/routing/unknown.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import {
  fakeInspector,
  fakeMailer,
  MAIL_CONTENT,
  MAIL_SUBMISSION,
  openMailGateway,
  UNBROKEN,
} from '../email.fixture.ts'
import { type Gateway, receiptOf, START, type World } from '../gateway.fixture.ts'
import { applyReceipt } from '../receive/apply-receipt.ts'
import { dispatch } from './dispatch.ts'
import {
  BASE_SECONDS,
  type EventLine,
  NEVER,
  OUTCOMES,
  type Outcome,
  PLAIN,
  predict,
  type Scenario,
  UNKNOWN_SECONDS,
} from './email-pipeline.fixture.ts'

const ids = openIds()
const MOST_CALLS = 13

const rollsOf = (count: number): fc.Arbitrary<number[]> =>
  fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: count, maxLength: count })

const outcome = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Outcome>('deferred', 'patient', 'paused', 'lost', 'unable') },
  { weight: 1, arbitrary: fc.constantFrom<Outcome>('accepted', 'rejected', 'late') },
)

const scenarios: fc.Arbitrary<Scenario> = fc.record(
  {
    outcomes: fc.array(outcome, { maxLength: MOST_CALLS - 1 }),
    providers: fc.integer({ min: 1, max: 3 }),
    policy: fc.constantFrom<UnknownPolicy>('resend', 'failover'),
    rolls: rollsOf(MOST_CALLS),
    flawedAfter: fc.oneof(fc.constant(NEVER), fc.nat({ max: 6 })),
    crashesAfter: fc.oneof(fc.constant(NEVER), fc.nat({ max: 6 })),
    expiresIn: fc.oneof(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 8_000_000 })),
  },
  { requiredKeys: ['outcomes', 'providers', 'policy', 'rolls', 'flawedAfter', 'crashesAfter'] },
)

/** A log that fails one append: the claim of an attempt when `isTime` returns true. */
function crashing(log: EventLog, isTime: () => boolean): EventLog {
  let hasCrashed = false
  return {
    ...log,
    async append(entry) {
      if (hasCrashed || entry.event.fact.kind !== 'HandoffAttempted' || !isTime()) return log.append(entry)
      hasCrashed = true
      throw new Unavailable('crashed')
    },
  }
}

function openScenario({ outcomes, providers: count, policy, rolls, flawedAfter, crashesAfter }: Scenario) {
  let calls = 0
  const answer = () => {
    calls += 1
    return OUTCOMES[outcomes[calls - 1] ?? 'accepted']
  }
  const answers = Array.from({ length: outcomes.length + 1 }, () => answer)
  const openEngine: World['openEngine'] = (options) => {
    const engine = openMemoryEngine(options)
    return { ...engine, log: crashing(engine.log, () => calls === crashesAfter) }
  }
  const gateway = openMailGateway(
    { openEngine, ids },
    {
      providers: Array.from({ length: count }, (_, index) => fakeMailer(answers, `provider-${index}`)),
      route: { unknown: { wait: seconds(UNKNOWN_SECONDS), policy } },
      deps: {
        breakers: UNBROKEN,
        inspector: fakeInspector(() => calls >= flawedAfter),
        dice: () => rolls[calls - 1] ?? 0,
      },
    },
  )
  return { gateway, calls: () => calls, isLate: () => outcomes[calls - 1] === 'late' }
}

/** Sends one email through the scenario, advancing the clock to the next due time. */
async function play(scenario: Scenario): Promise<readonly MessageEvent[]> {
  const { gateway, calls, isLate } = openScenario(scenario)
  const expiresAt = scenario.expiresIn === undefined ? undefined : later(START, millis(scenario.expiresIn))
  const id = await gateway.submit({ ...MAIL_SUBMISSION, content: omitUndefined({ ...MAIL_CONTENT, expiresAt }) })
  for (let rounds = 0; ; rounds += 1) {
    assert.ok(rounds < 100, 'the email never ends')
    const state = await gateway.stateOf(id)
    if (isHandoffOver(state.handoffState)) break
    gateway.pass(millis(Math.max((state.dueAt ?? 0) - gateway.clock(), 0)))
    if (state.phase === 'unknown' && isLate()) await applyReceipt(gateway.deps, receiptOf(state, 'delivered'))
    else await workOrCrash(gateway)
  }
  // The remaining jobs must not record anything.
  gateway.pass(seconds(86_400))
  while ((await gateway.work()) !== undefined);
  const events = await gateway.eventsOf(id)
  assert.equal(calls(), events.filter(({ fact }) => fact.kind === 'HandoffAttempted').length)
  return events
}

/** Processes a job as the worker loop does: a failed job is released. */
async function workOrCrash({ deps, take, queue, clock }: Gateway): Promise<void> {
  const taken = await take()
  assert.ok(taken, 'a job is due')
  try {
    const disposition = await dispatch(deps, taken)
    if (disposition.kind === 'done') await queue.done(taken)
    if (disposition.kind === 'later') await queue.release(taken, disposition.at)
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    await queue.release(taken, clock())
  }
}

const toLine = ({ fact, attempt, at }: MessageEvent): EventLine =>
  fact.kind === 'RetryScheduled' ? [fact.kind, attempt, fact.dueAt - at] : [fact.kind, attempt]

test('S4-PIPE every path through the email pipeline leaves exactly its events', async () => {
  const seen = new Set<string>()
  const property = fc.asyncProperty(scenarios, async (scenario) => {
    const lines = predict(scenario)
    assert.deepEqual((await play(scenario)).map(toLine), lines)
    for (const [kind] of lines) seen.add(kind)
  })
  await fc.assert(property, { numRuns: 600 })
  // The generated scenarios must cover these paths.
  for (const kind of ['DeadLettered', 'MessageExpired', 'ValidationFailed', 'HandoffFailed', 'ProviderDelivered']) {
    assert.ok(seen.has(kind), kind)
  }
})

test('S4-PIPE an undeliverable email makes five counted attempts plus the uncounted ones', async () => {
  const outcomes = fc.array(fc.constantFrom<Outcome>('deferred', 'paused', 'lost'), { minLength: 30, maxLength: 30 })
  const property = fc.asyncProperty(outcomes, rollsOf(30), async (outcomes, rolls) => {
    const facts = (await play({ ...PLAIN, outcomes, rolls })).map(({ fact }) => fact)
    const uncounted = facts.filter((fact) => fact.kind === 'RetryScheduled' && fact.uncounted === true).length
    const counted = facts.filter(({ kind }) => kind === 'HandoffAttempted').length - uncounted
    const isPatient = outcomes.filter((outcome) => outcome !== 'paused').length >= 5
    assert.deepEqual([counted, facts.at(-1)?.kind], isPatient ? [5, 'DeadLettered'] : [counted, 'HandoffAccepted'])
  })
  await fc.assert(property, { numRuns: 100 })
})

test('S4-JITTER an email is retried 1 s, 5 s, 30 s and 2 min after its attempts, plus or minus a quarter', async () => {
  const outcomes = Array.from({ length: 5 }, (): Outcome => 'deferred')
  const property = fc.asyncProperty(rollsOf(5), async (rolls) => {
    const waits = (await play({ ...PLAIN, outcomes, rolls })).map(toLine).flatMap(([, , wait]) => wait ?? [])
    assert.equal(waits.length, 4)
    for (const [index, wait] of waits.entries()) {
      const base = (BASE_SECONDS[index] ?? 0) * 1000
      assert.ok(wait >= base * 0.75 && wait <= base * 1.25, `${wait} ms after attempt ${index + 1}`)
    }
  })
  await fc.assert(property, { numRuns: 200 })
})
