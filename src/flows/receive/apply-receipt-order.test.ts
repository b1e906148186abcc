/**
 * Reports in every order, with the response to the call before, between or after them:
 * states depend on ranks and not on order, every report is recorded once, and none is lost.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { AttemptRef } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { fold } from '../../domain/message/state.ts'
import { type ProviderState, providerRank } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { EMPTY, type Entry, type EventLog } from '../../ports/event-log.ts'
import type { Receipt } from '../../ports/provider.ts'
import {
  ACCEPTS,
  asOther,
  CONTENT,
  fakeProvider,
  jobFor,
  OUTCOME_UNKNOWN,
  openGateway,
  REJECTS,
  TENANT,
  TRACE,
} from '../gateway.fixture.ts'
import { dispatch } from '../send/dispatch.ts'
import { resend } from '../send/resend.ts'
import { applyReceipt } from './apply-receipt.ts'

/** The attempt a report is on. The newest is in flight; the earlier one stays unknown. */
const WHOSE = ['newest', 'earlier', 'of an earlier cycle'] as const
const STATES = ['accepted', 'delivered', 'dropped', 'bounced', 'complaint'] as const satisfies readonly ProviderState[]
type Report = Readonly<{ whose: (typeof WHOSE)[number]; state: (typeof STATES)[number] }>

/** Other events of the newest attempt: its response, or another worker marking it abandoned. */
type AttemptEvent = 'accepted by the provider' | 'unknown' | 'abandoned'
type Input = Report | AttemptEvent

const REF = {
  'of an earlier cycle': { cycle: 1, attempt: 1 },
  earlier: { cycle: 2, attempt: 2 },
  newest: { cycle: 2, attempt: 3 },
} as const satisfies Record<Report['whose'], Omit<AttemptRef, 'messageId'>>

const reportsOf = (...whose: readonly Report['whose'][]): readonly Report[] =>
  whose.flatMap((one) => STATES.map((state) => ({ whose: one, state })))
const NEWEST = reportsOf('newest')
const DELIVERED = NEWEST.find(({ state }) => state === 'delivered') ?? assert.fail()
const ALL = reportsOf(...WHOSE)
/** One report of each kind that the rules distinguish. */
const MIXED: readonly Report[] = [
  ...NEWEST.filter(({ state }) => state !== 'complaint'),
  { whose: 'earlier', state: 'accepted' },
  { whose: 'earlier', state: 'delivered' },
  { whose: 'earlier', state: 'dropped' },
  { whose: 'of an earlier cycle', state: 'complaint' },
]

/** The events of the newest attempt besides reports. */
const COURSES: readonly (readonly AttemptEvent[])[] = [
  ['accepted by the provider'],
  ['unknown'],
  ['abandoned'],
  ['abandoned', 'accepted by the provider'],
]

const ids = openIds()
const RESEND = { unknown: { wait: seconds(30), policy: 'resend' } } as const
const ANSWERS = { 'accepted by the provider': ACCEPTS, unknown: OUTCOME_UNKNOWN } as const satisfies Record<
  string,
  SendOutcome
>
const UNTIL_THIRD = seconds(32)

/** The events before the third attempt, which is the second of the second cycle. */
async function writeHistory(): Promise<readonly Entry[]> {
  const providers = [fakeProvider([REJECTS, OUTCOME_UNKNOWN])]
  const gateway = openGateway({ ids, openEngine: openMemoryEngine }, { providers, route: RESEND })
  const id = await gateway.submit()
  await gateway.work()
  await resend(gateway.deps, { tenantId: TENANT, id, by: 'resend', traceId: TRACE })
  await gateway.work()
  gateway.pass(seconds(30))
  await gateway.work()
  const written = await gateway.log.read(id)
  return written.map(({ event }, index) => ({
    seen: written[index - 1]?.revision ?? EMPTY,
    event,
    ...(index === 0 ? { content: CONTENT } : {}),
  }))
}
const HISTORY = await writeHistory()
const { id } = HISTORY[0]?.event.state ?? assert.fail()

/** Delays a call to the log. */
type Pause = () => Promise<unknown>

/** The message with its third attempt in flight. */
async function openMessage() {
  const called = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<SendOutcome>()
  const provider = fakeProvider([
    () => {
      called.resolve()
      return answer.promise
    },
  ])
  const speed: { pause?: Pause } = {}
  const gateway = openGateway({ ids, openEngine: openMemoryEngine }, { providers: [provider], route: RESEND })
  await Promise.all(HISTORY.map(gateway.log.append))
  gateway.pass(UNTIL_THIRD)
  const deps = { ...gateway.deps, log: paused(gateway.log, () => speed.pause?.()) }
  const working = dispatch(deps, jobFor(id))
  await called.promise

  async function apply(input: Input): Promise<void> {
    if (typeof input === 'object') {
      await applyReceipt(deps, toReceipt(input))
    } else if (input === 'abandoned') {
      await asOther(deps, id)
    } else {
      answer.resolve(ANSWERS[input])
      await working
    }
  }
  return {
    apply,
    speed,
    /** Starts with the claim of the attempt. */
    events: async () => (await gateway.eventsOf(id)).slice(HISTORY.length),
    /** Resolves the pending call, whose timer would otherwise keep the process alive. */
    [Symbol.dispose]: () => answer.resolve(OUTCOME_UNKNOWN),
  }
}

function paused(log: EventLog, pause: () => Promise<unknown> | undefined): EventLog {
  return {
    ...log,
    append: async (entry) => {
      await pause()
      return log.append(entry)
    },
    latest: async (id) => {
      await pause()
      return log.latest(id)
    },
  }
}

/** Repetitions of a report have the same id. */
const toReceipt = ({ whose, state }: Report): Receipt => ({
  ref: { messageId: id, ...REF[whose] },
  providerMessageId: `SM${REF[whose].attempt}`,
  state,
  reportId: state,
})

/** The highest-ranked states that count, in order of arrival; several when ranks are equal. Failures of an earlier attempt do not count. */
function highestOf(reports: readonly Report[]): readonly ProviderState[] {
  const counting = reports.filter(
    ({ whose, state }) => whose === 'newest' || (whose === 'earlier' && state === 'delivered'),
  )
  const states: ReadonlySet<ProviderState> = new Set(counting.map(({ state }) => state))
  const highest = Math.max(...[...states].map(providerRank))
  return states.size === 0 ? ['unknown'] : [...states].filter((state) => providerRank(state) === highest)
}

/** Whether the provider has the message: by its response, or by any report of this cycle except failures of an earlier attempt. */
const isHandedOff = (inputs: readonly Input[]): boolean =>
  inputs.some((input) => {
    if (typeof input === 'string') return input === 'accepted by the provider'
    const { whose, state } = input
    return whose === 'newest' || (whose === 'earlier' && state !== 'dropped' && state !== 'bounced')
  })

/** `events` starts with the claim of the attempt. */
function verify(inputs: readonly Input[], [begun, ...events]: readonly MessageEvent[]): void {
  const recorded = events.flatMap((event) => toReport(event) ?? [])
  const made = new Set(inputs.flatMap((input) => (typeof input === 'object' ? nameOf(input) : [])))
  assert.deepEqual(recorded.map(nameOf).toSorted(), [...made].toSorted(), 'each report is recorded once')

  const { handoffState, phase, providerState, cycle, attempt } = events.at(-1)?.state ?? begun?.state ?? assert.fail()
  const isOver = isHandedOff(inputs)
  assert.deepEqual([cycle, attempt], [2, 3])
  assert.deepEqual([handoffState, phase], isOver ? ['handed_off', 'closed'] : ['sending', 'unknown'])
  assert.equal(providerState, highestOf(recorded)[0])
  const kinds = events.map(({ fact }) => fact.kind)
  assert.equal(kinds.filter((kind) => kind === 'HandoffAccepted').length, isOver ? 1 : 0)
  assert.ok(kinds.filter((kind) => kind === 'HandoffUnknown').length <= 1)

  for (const [index, { fact, state, ...moment }] of events.entries()) {
    const before = (events[index - 1] ?? begun)?.state
    assert.deepEqual(state, before && fold(before, fact, moment), 'a state is the fold of the facts so far')
  }
}

function toReport({ fact, cycle, attempt }: MessageEvent): Report | undefined {
  if (!('reportId' in fact)) return undefined
  const whose = WHOSE.find((one) => REF[one].cycle === cycle && REF[one].attempt === attempt)
  const state = STATES.find((one) => one === fact.reportId)
  return whose && state && { whose, state }
}

const nameOf = ({ whose, state }: Report): string => `${state} ${whose}`

async function inSequence(inputs: readonly Input[]): Promise<ProviderState> {
  using message = await openMessage()
  for (const input of inputs) await message.apply(input)
  const events = await message.events()
  verify(inputs, events)
  const made = new Set(inputs.flatMap((input) => (typeof input === 'object' ? nameOf(input) : [])))
  const recorded = events.flatMap((event) => toReport(event) ?? []).map(nameOf)
  assert.deepEqual(recorded, [...made], 'reports are recorded in order of arrival')
  return events.at(-1)?.state.providerState ?? 'unknown'
}

/** Every call to the log waits for `pause`. */
async function atOnce(inputs: readonly Input[], pause: Pause, whole: (all: Promise<unknown>) => Promise<unknown>) {
  using message = await openMessage()
  message.speed.pause = pause
  await whole(Promise.all(inputs.map(message.apply)))
  verify(inputs, await message.events())
}

/** Equal items are interchangeable. */
function permutationsOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length <= 1) return [items]
  return items.flatMap((item, index) => {
    if (items.indexOf(item) < index) return []
    return permutationsOf(items.toSpliced(index, 1)).map((others) => [item, ...others])
  })
}

/** All distinct subsets of this size. */
function choose<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  if (size === 0) return [[]]
  return items.flatMap((item, index) => {
    if (items.indexOf(item) < index) return []
    return choose(items.slice(index + 1), size - 1).map((others) => [item, ...others])
  })
}

/** Every order ends in the same state, unless two states share the highest rank: then the first one stays. */
async function everyOrder(reports: readonly Report[], course: readonly AttemptEvent[]): Promise<void> {
  const ends = new Set<ProviderState>()
  for (const inputs of permutationsOf([...course, ...reports])) ends.add(await inSequence(inputs))
  assert.deepEqual([...ends].toSorted(), highestOf(reports).toSorted())
}

const MOST_IN_EVERY_ORDER = 5

for (const course of COURSES) {
  test(`S2-CAS reports on an attempt that is ${course.join(' and ')} end in the same state in every order`, async () => {
    for (let size = 0; size <= MOST_IN_EVERY_ORDER - course.length; size += 1) {
      for (const reports of choose([DELIVERED, ...NEWEST], size)) await everyOrder(reports, course)
    }
  })

  test(`S2-CAS the same with reports on an earlier attempt and an earlier cycle, when it is ${course.join(' and ')}`, async () => {
    for (const reports of choose(ALL, 2)) await everyOrder(reports, course)
    for (const reports of choose(MIXED, MOST_IN_EVERY_ORDER - 1 - course.length)) await everyOrder(reports, course)
  })
}

const many = fc.record({
  course: fc.constantFrom(...COURSES),
  reports: fc.array(fc.constantFrom(...ALL), { minLength: 4, maxLength: 12 }),
})
const shuffledInputs = many.chain(({ course, reports }) => {
  const inputs: Input[] = [...course, ...reports]
  return fc.shuffledSubarray(inputs, { minLength: inputs.length })
})

test('S2-CAS any number of reports end in the highest-ranked state, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(shuffledInputs, async (inputs) => void (await inSequence(inputs))),
    { numRuns: 500 },
  )
})

test('S2-CAS the same for concurrent reports, with any interleaving of their writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), shuffledInputs, (scheduler, inputs) =>
      atOnce(
        inputs,
        () => scheduler.schedule(Promise.resolve()),
        (all) => scheduler.waitFor(all),
      ),
    ),
    { numRuns: 500 },
  )
})
