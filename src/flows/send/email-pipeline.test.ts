/** S4-PIPE: mail is sent through generated stories, and leaves the events that the model of them tells, and no others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import { isHandoffOver } from '../../domain/message/states.ts'
import type { UnknownPolicy } from '../../domain/routing/unknown.ts'
import { openIds } from '../../engines/crypto/ids.ts'
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
  type Line,
  NEVER,
  OUTCOMES,
  type Outcome,
  PLAIN,
  predict,
  type Story,
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

const stories: fc.Arbitrary<Story> = fc.record(
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

/** A log that cannot be reached once, when an attempt is to be claimed after so many calls. */
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

function openStory({ outcomes, providers: count, policy, rolls, flawedAfter, crashesAfter }: Story) {
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
      providers: Array.from({ length: count }, (_, place) => fakeMailer(answers, `provider-${place}`)),
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

/** Sends one mail through the story, from one moment to the next at which something is due. */
async function play(story: Story): Promise<readonly MessageEvent[]> {
  const { gateway, calls, isLate } = openStory(story)
  const deadline = story.expiresIn === undefined ? {} : { expiresAt: later(START, millis(story.expiresIn)) }
  const id = await gateway.submit({ ...MAIL_SUBMISSION, content: { ...MAIL_CONTENT, ...deadline } })
  for (let turns = 0; ; turns += 1) {
    assert.ok(turns < 100, 'it never ends')
    const state = await gateway.stateOf(id)
    if (isHandoffOver(state.handoffState)) break
    gateway.pass(millis(Math.max((state.dueAt ?? 0) - gateway.clock(), 0)))
    if (state.phase === 'unknown' && isLate()) await applyReceipt(gateway.deps, receiptOf(state, 'delivered'))
    else await workOrCrash(gateway)
  }
  // Whatever jobs are left have nothing more to tell.
  gateway.pass(seconds(86_400))
  while ((await gateway.work()) !== undefined);
  const events = await gateway.eventsOf(id)
  assert.equal(calls(), events.filter(({ fact }) => fact.kind === 'HandoffAttempted').length)
  return events
}

/** As the loop of workers does: what could not be done is handed back. */
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

const toLine = ({ fact, attempt, at }: MessageEvent): Line =>
  fact.kind === 'RetryScheduled' ? [fact.kind, attempt, fact.dueAt - at] : [fact.kind, attempt]

test('S4-PIPE every path through the email pipeline leaves exactly its events', async () => {
  const seen = new Set<string>()
  const property = fc.asyncProperty(stories, async (story) => {
    const lines = predict(story)
    assert.deepEqual((await play(story)).map(toLine), lines)
    for (const [kind] of lines) seen.add(kind)
  })
  await fc.assert(property, { numRuns: 600 })
  // A property that never came to a path would have proved nothing of it.
  for (const kind of ['DeadLettered', 'MessageExpired', 'ValidationFailed', 'HandoffFailed', 'ProviderDelivered']) {
    assert.ok(seen.has(kind), kind)
  }
})

test('S4-PIPE a mail that nobody takes makes five attempts that count, and as many more as were spared', async () => {
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

test('S4-JITTER each retry of a mail is due 1 s, 5 s, 30 s, 2 min after its attempt, give or take a quarter', async () => {
  const outcomes = Array.from({ length: 5 }, (): Outcome => 'deferred')
  const property = fc.asyncProperty(rollsOf(5), async (rolls) => {
    const waits = (await play({ ...PLAIN, outcomes, rolls })).map(toLine).flatMap(([, , wait]) => wait ?? [])
    assert.equal(waits.length, 4)
    for (const [place, wait] of waits.entries()) {
      const base = (BASE_SECONDS[place] ?? 0) * 1000
      assert.ok(wait >= base * 0.75 && wait <= base * 1.25, `${wait} ms after attempt ${place + 1}`)
    }
  })
  await fc.assert(property, { numRuns: 200 })
})
