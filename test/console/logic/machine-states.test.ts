/**
 * The two machines of the page of a message, held to the fold of the gateway. They are loaded by their address, because
 * their types are those of a browser, which the compiler of the server does not know.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MessageDetails } from '../../../src/api/http/schemas.ts'
import { toDetails } from '../../../src/api/messages/views.ts'
import type { AttemptId, EventId, ProviderName, RouteId } from '../../../src/domain/ids.ts'
import type { Fact, MessageEvent, ProviderFact } from '../../../src/domain/message/events.ts'
import { fold, type MessageState, toFirstState } from '../../../src/domain/message/state.ts'
import { isHandoffOver } from '../../../src/domain/message/states.ts'
import { instant } from '../../../src/lib/time.ts'
import { someMessage } from '../../../src/ports/samples.contract.ts'

type Machine = Readonly<{ current: string; passed: readonly string[] }>
type MachineFile = Readonly<Record<'toHandoffMachine' | 'toProviderMachine', (details: MessageDetails) => Machine>>

const FILE = new URL('../../../console/src/pages/message/machine-states.ts', import.meta.url)
const { toHandoffMachine, toProviderMachine } = (await import(FILE.href)) as MachineFile

const MESSAGE = someMessage({ createdAt: instant(1_000) })
const ATTEMPTED: Fact = {
  kind: 'HandoffAttempted',
  provider: 'one' as ProviderName,
  routeId: 'r' as RouteId,
  owner: 'w',
}
const RETRY: Fact = { kind: 'RetryScheduled', dueAt: instant(8_000), code: 'BUSY', detail: 'later' }
const ACCEPTED: Fact = { kind: 'HandoffAccepted', providerMessageId: 'p', by: 'answer' }
const AGAIN: Fact = { kind: 'ResendRequested', by: 'resend' }
const REPORTS = [
  'ProviderAccepted',
  'ProviderTimedOut',
  'ProviderDelivered',
  'ProviderDropped',
  'ProviderBounced',
  'ProviderComplaint',
] as const
const report = (kind: ProviderFact['kind']): Fact => ({ kind, reportId: kind })

/** A fact, and whether a report is about the cycle or the attempt before the newest. */
type Told = Readonly<{ fact: Fact; isOld?: boolean; isEarlier?: boolean }>

/** What the gateway shows of a message to which these things happened. */
function detailsAfter(told: readonly Told[], first: MessageState = toFirstState(MESSAGE)): [MessageDetails, Events] {
  const events = [toEvent(first, { kind: 'MessageCreated' }, first.cycle, first.attempt)]
  for (const { fact, isOld = false, isEarlier = false } of told) {
    const { state } = events.at(-1) ?? { state: first }
    // Nobody begins an attempt at what is over.
    if (fact.kind === 'HandoffAttempted' && isHandoffOver(state.handoffState)) continue
    const isReport = fact.kind.startsWith('Provider')
    const isOpening = fact.kind === 'ResendRequested'
    const cycle = Math.max(1, state.cycle + (isOpening ? 1 : 0) - (isReport && isOld ? 1 : 0))
    const before = isReport && isEarlier ? 1 : 0
    const attempt = Math.max(0, state.attempt - before) + (fact.kind === 'HandoffAttempted' ? 1 : 0)
    events.push(toEvent(fold(state, fact, { at: instant(2_000), cycle, attempt }), fact, cycle, attempt))
  }
  const state = events.at(-1)?.state ?? first
  return [toDetails({ attemptId: () => 'a' as AttemptId }, { state, content: undefined, events }), events]
}

type Events = readonly MessageEvent[]
const toEvent = (state: MessageState, fact: Fact, cycle: number, attempt: number): MessageEvent => ({
  id: 'e' as EventId,
  cycle,
  attempt,
  at: state.updatedAt,
  traceId: MESSAGE.traceId,
  fact,
  state,
})

const told: fc.Arbitrary<Told> = fc.record({
  fact: fc.oneof(
    fc.constantFrom(...REPORTS.map(report)),
    fc.constantFrom<Fact>(ATTEMPTED, RETRY, ACCEPTED, { kind: 'MessageErased' }),
    fc.constant(AGAIN),
  ),
  isOld: fc.boolean(),
  isEarlier: fc.boolean(),
})

test('the provider’s machine has been where the gateway says it was in the newest cycle, in that order', () => {
  fc.assert(
    fc.property(fc.array(told, { maxLength: 30 }), (facts) => {
      const [details, events] = detailsAfter(facts)
      const own = events.filter(({ state }) => state.cycle === details.cycle)
      const states = [...new Set(own.map(({ state }) => state.providerState))]
      const { current, passed } = toProviderMachine(details)
      assert.equal(current, states.at(-1))
      assert.deepEqual(passed, states.slice(0, -1))
    }),
    { numRuns: 500 },
  )
})

test('a message that goes through every state that outranks the one before has passed them all', () => {
  const kinds = ['Accepted', 'TimedOut', 'Delivered', 'Bounced', 'Complaint'] as const
  const facts = [ATTEMPTED, ACCEPTED, ...kinds.map((kind) => report(`Provider${kind}`))]
  const [details] = detailsAfter(facts.map((fact) => ({ fact })))
  const passed = ['unknown', 'accepted', 'timed_out', 'delivered', 'bounced']
  assert.deepEqual(toProviderMachine(details), { current: 'complaint', passed })
})

test('a receipt that comes twice, or after a higher one, is passed once and only where it counted', () => {
  const kinds = ['ProviderDelivered', 'ProviderAccepted', 'ProviderDelivered', 'ProviderComplaint'] as const
  const [details] = detailsAfter([ATTEMPTED, ACCEPTED, ...kinds.map(report)].map((fact) => ({ fact })))
  assert.deepEqual(toProviderMachine(details), { current: 'complaint', passed: ['unknown', 'delivered'] })
})

test('a resend begins anew: what the cycle before came to is not passed', () => {
  const facts = [ATTEMPTED, ACCEPTED, report('ProviderBounced'), AGAIN]
  const [details] = detailsAfter([
    ...facts.map((fact) => ({ fact })),
    { fact: report('ProviderComplaint'), isOld: true },
  ])
  assert.deepEqual(toProviderMachine(details), { current: 'unknown', passed: [] })
  assert.deepEqual(toHandoffMachine(details), { current: 'queued', passed: [] })
})

test('a hand-off has passed what it went through, and never what is still before it', () => {
  const at = (...facts: readonly Fact[]): Machine => toHandoffMachine(detailsAfter(facts.map((fact) => ({ fact })))[0])
  assert.deepEqual(at(), { current: 'queued', passed: [] })
  assert.deepEqual(at(ATTEMPTED), { current: 'sending', passed: ['queued'] })
  assert.deepEqual(at(ATTEMPTED, RETRY, ATTEMPTED), { current: 'sending', passed: ['queued'] })
  assert.deepEqual(at(ATTEMPTED, ACCEPTED), { current: 'handed_off', passed: ['queued', 'sending'] })
  const stopped: Fact = { kind: 'ValidationFailed', code: 'INVALID_PAYLOAD', detail: 'broken' }
  assert.deepEqual(at(stopped), { current: 'failed', passed: ['queued'] })
  assert.deepEqual(at(ATTEMPTED, ACCEPTED, AGAIN, ATTEMPTED), { current: 'sending', passed: ['queued'] })
})
