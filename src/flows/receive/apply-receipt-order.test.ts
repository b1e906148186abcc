/**
 * Reports in every order, with the answer to the call as one more thing that may come first, last or in between:
 * the ranks decide and not the order, every report is told once, and none is lost.
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
  OUTCOME_UNKNOWN,
  openGateway,
  REJECTS,
  spare,
  TENANT,
  TRACE,
} from '../gateway.fixture.ts'
import { dispatch } from '../send/dispatch.ts'
import { resend } from '../send/resend.ts'
import { applyReceipt } from './apply-receipt.ts'

/** Which attempt a report is on. The newest is still being made; the one before is with an unknown outcome for ever. */
const WHOSE = ['newest', 'earlier', 'of an earlier cycle'] as const
const STATES = ['accepted', 'delivered', 'dropped', 'bounced', 'complaint'] as const satisfies readonly ProviderState[]
type Report = Readonly<{ whose: (typeof WHOSE)[number]; state: (typeof STATES)[number] }>

/** What else happens to the newest attempt: its call is answered, or somebody takes its owner for dead. */
type Event = 'taken' | 'with an unknown outcome' | 'given up'
type Thing = Report | Event

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
/** One of each kind that the rules tell apart. */
const MIXED: readonly Report[] = [
  ...NEWEST.filter(({ state }) => state !== 'complaint'),
  { whose: 'earlier', state: 'accepted' },
  { whose: 'earlier', state: 'delivered' },
  { whose: 'earlier', state: 'dropped' },
  { whose: 'of an earlier cycle', state: 'complaint' },
]

/** How the newest attempt goes on, besides what is reported. */
const LIVES: readonly (readonly Event[])[] = [
  ['taken'],
  ['with an unknown outcome'],
  ['given up'],
  ['given up', 'taken'],
]

const ids = openIds()
const RESEND = { unknown: { wait: seconds(30), policy: 'resend' } } as const
const ANSWERS = { taken: ACCEPTS, 'with an unknown outcome': OUTCOME_UNKNOWN } as const satisfies Record<
  string,
  SendOutcome
>
const UNTIL_THIRD = seconds(32)

/** What was written of a message before its third attempt, the second of its second cycle. */
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
  return written.map(({ event }, place) => ({
    seen: written[place - 1]?.revision ?? EMPTY,
    event,
    ...(place === 0 ? { content: CONTENT } : {}),
  }))
}
const HISTORY = await writeHistory()
const { id } = HISTORY[0]?.event.state ?? assert.fail()

/** A pause before a call to the log. */
type Pause = () => Promise<unknown>

/** The message, while its third attempt is being made. */
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
  const working = dispatch(deps, spare(id))
  await called.promise

  async function happen(thing: Thing): Promise<void> {
    if (typeof thing === 'object') {
      await applyReceipt(deps, toReceipt(thing))
    } else if (thing === 'given up') {
      await asOther(deps, id)
    } else {
      answer.resolve(ANSWERS[thing])
      await working
    }
  }
  return {
    happen,
    speed,
    /** The first of them begins the attempt. */
    events: async () => (await gateway.eventsOf(id)).slice(HISTORY.length),
    /** A call that nobody answers would keep its timer. */
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

/** The same report has the same name, however often it comes. */
const toReceipt = ({ whose, state }: Report): Receipt => ({
  ref: { messageId: id, ...REF[whose] },
  providerMessageId: `SM${REF[whose].attempt}`,
  state,
  reportId: state,
})

/** The highest of those that count, in their order: several where ranks are equal. Bad news of an earlier attempt does not count. */
function highestOf(reports: readonly Report[]): readonly ProviderState[] {
  const counting = reports.filter(
    ({ whose, state }) => whose === 'newest' || (whose === 'earlier' && state === 'delivered'),
  )
  const states: ReadonlySet<ProviderState> = new Set(counting.map(({ state }) => state))
  const highest = Math.max(...[...states].map(providerRank))
  return states.size === 0 ? ['unknown'] : [...states].filter((state) => providerRank(state) === highest)
}

/** That the provider has it: it was said in answer, or is proved by any report of this cycle but bad news of an earlier attempt. */
const isHandedOff = (things: readonly Thing[]): boolean =>
  things.some((thing) => {
    if (typeof thing === 'string') return thing === 'taken'
    const { whose, state } = thing
    return whose === 'newest' || (whose === 'earlier' && state !== 'dropped' && state !== 'bounced')
  })

/** `events` are those since the attempt began, which is the first of them. */
function judge(things: readonly Thing[], [begun, ...events]: readonly MessageEvent[]): void {
  const told = events.flatMap((event) => toReport(event) ?? [])
  const made = new Set(things.flatMap((thing) => (typeof thing === 'object' ? nameOf(thing) : [])))
  assert.deepEqual(told.map(nameOf).toSorted(), [...made].toSorted(), 'each report is told, and told once')

  const { handoffState, phase, providerState, cycle, attempt } = events.at(-1)?.state ?? begun?.state ?? assert.fail()
  const isOver = isHandedOff(things)
  assert.deepEqual([cycle, attempt], [2, 3])
  assert.deepEqual([handoffState, phase], isOver ? ['handed_off', 'closed'] : ['sending', 'unknown'])
  assert.equal(providerState, highestOf(told)[0])
  const kinds = events.map(({ fact }) => fact.kind)
  assert.equal(kinds.filter((kind) => kind === 'HandoffAccepted').length, isOver ? 1 : 0)
  assert.ok(kinds.filter((kind) => kind === 'HandoffUnknown').length <= 1)

  for (const [place, { fact, state, ...moment }] of events.entries()) {
    const before = (events[place - 1] ?? begun)?.state
    assert.deepEqual(state, before && fold(before, fact, moment), 'a state is the fold of the facts before it')
  }
}

function toReport({ fact, cycle, attempt }: MessageEvent): Report | undefined {
  if (!('reportId' in fact)) return undefined
  const whose = WHOSE.find((one) => REF[one].cycle === cycle && REF[one].attempt === attempt)
  const state = STATES.find((one) => one === fact.reportId)
  return whose && state && { whose, state }
}

const nameOf = ({ whose, state }: Report): string => `${state} ${whose}`

async function inTurn(things: readonly Thing[]): Promise<ProviderState> {
  using message = await openMessage()
  for (const thing of things) await message.happen(thing)
  const events = await message.events()
  judge(things, events)
  const made = new Set(things.flatMap((thing) => (typeof thing === 'object' ? nameOf(thing) : [])))
  const told = events.flatMap((event) => toReport(event) ?? []).map(nameOf)
  assert.deepEqual(told, [...made], 'reports are told in the order in which they came')
  return events.at(-1)?.state.providerState ?? 'unknown'
}

/** Every call to the log is made when `pause` lets it. */
async function atOnce(things: readonly Thing[], pause: Pause, whole: (all: Promise<unknown>) => Promise<unknown>) {
  using message = await openMessage()
  message.speed.pause = pause
  await whole(Promise.all(things.map(message.happen)))
  judge(things, await message.events())
}

/** An item that is there twice is as good as the other. */
function permutationsOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  if (items.length <= 1) return [items]
  return items.flatMap((item, place) => {
    if (items.indexOf(item) < place) return []
    return permutationsOf(items.toSpliced(place, 1)).map((others) => [item, ...others])
  })
}

/** All different choices of so many of them. */
function choose<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  if (size === 0) return [[]]
  return items.flatMap((item, place) => {
    if (items.indexOf(item) < place) return []
    return choose(items.slice(place + 1), size - 1).map((others) => [item, ...others])
  })
}

/** Every order of a set of things ends alike, unless two of equal rank are the highest: then the first one stays. */
async function everyOrder(reports: readonly Report[], life: readonly Event[]): Promise<void> {
  const ends = new Set<ProviderState>()
  for (const things of permutationsOf([...life, ...reports])) ends.add(await inTurn(things))
  assert.deepEqual([...ends].toSorted(), highestOf(reports).toSorted())
}

const MOST_IN_EVERY_ORDER = 5

for (const life of LIVES) {
  test(`S2-CAS reports on an attempt that is ${life.join(' and ')} end alike in every order`, async () => {
    for (let size = 0; size <= MOST_IN_EVERY_ORDER - life.length; size += 1) {
      for (const reports of choose([DELIVERED, ...NEWEST], size)) await everyOrder(reports, life)
    }
  })

  test(`S2-CAS so do reports on it, on an earlier attempt and on an earlier cycle when it is ${life.join(' and ')}`, async () => {
    for (const reports of choose(ALL, 2)) await everyOrder(reports, life)
    for (const reports of choose(MIXED, MOST_IN_EVERY_ORDER - 1 - life.length)) await everyOrder(reports, life)
  })
}

const many = fc.record({
  life: fc.constantFrom(...LIVES),
  reports: fc.array(fc.constantFrom(...ALL), { minLength: 4, maxLength: 12 }),
})
const shuffled = many.chain(({ life, reports }) => {
  const things: Thing[] = [...life, ...reports]
  return fc.shuffledSubarray(things, { minLength: things.length })
})

test('S2-CAS any number of reports end as their ranks say, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(shuffled, async (things) => void (await inTurn(things))),
    { numRuns: 500 },
  )
})

test('S2-CAS and so they do when they come all at once, however their writes overtake each other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), shuffled, (scheduler, things) =>
      atOnce(
        things,
        () => scheduler.schedule(Promise.resolve()),
        (all) => scheduler.waitFor(all),
      ),
    ),
    { numRuns: 500 },
  )
})
