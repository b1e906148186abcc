/**
 * The state machines of the message page, compared with the gateway. They are imported dynamically, because the
 * server's compiler does not know browser types.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MessageDetails } from '../../../src/api/messages/message-schemas.ts'
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

/** An event, and whether a report concerns the previous cycle or attempt. */
type Step = Readonly<{ fact: Fact; isOld?: boolean; isEarlier?: boolean }>

/** The message as the API returns it after these events. */
function detailsAfter(steps: readonly Step[], first: MessageState = toFirstState(MESSAGE)): [MessageDetails, Events] {
  const events = [toEvent(first, { kind: 'MessageCreated' }, first.cycle, first.attempt)]
  for (const { fact, isOld = false, isEarlier = false } of steps) {
    const { state } = events.at(-1) ?? { state: first }
    // A finished message gets no further attempts.
    if (fact.kind === 'HandoffAttempted' && isHandoffOver(state.handoffState)) continue
    const isReport = fact.kind.startsWith('Provider')
    const isOpening = fact.kind === 'ResendRequested'
    const cycle = Math.max(1, state.cycle + (isOpening ? 1 : 0) - (isReport && isOld ? 1 : 0))
    const before = isReport && isEarlier ? 1 : 0
    const attempt = Math.max(0, state.attempt - before) + (fact.kind === 'HandoffAttempted' ? 1 : 0)
    events.push(toEvent(fold(state, fact, { at: instant(2_000), cycle, attempt }), fact, cycle, attempt))
  }
  const state = events.at(-1)?.state ?? first
  const found = { state, content: undefined, events, first: 0, total: events.length }
  return [toDetails({ attemptId: () => 'a' as AttemptId }, found), events]
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

const step: fc.Arbitrary<Step> = fc.record({
  fact: fc.oneof(
    fc.constantFrom(...REPORTS.map(report)),
    fc.constantFrom<Fact>(ATTEMPTED, RETRY, ACCEPTED, { kind: 'MessageErased' }),
    fc.constant(AGAIN),
  ),
  isOld: fc.boolean(),
  isEarlier: fc.boolean(),
})

test('the provider states of the newest cycle match the gateway, in order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (facts) => {
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

test('a message passes every state that outranks the previous one', () => {
  const kinds = ['Accepted', 'TimedOut', 'Delivered', 'Bounced', 'Complaint'] as const
  const facts = [ATTEMPTED, ACCEPTED, ...kinds.map((kind) => report(`Provider${kind}`))]
  const [details] = detailsAfter(facts.map((fact) => ({ fact })))
  const passed = ['unknown', 'accepted', 'timed_out', 'delivered', 'bounced']
  assert.deepEqual(toProviderMachine(details), { current: 'complaint', passed })
})

test('duplicate and outranked reports are ignored', () => {
  const kinds = ['ProviderDelivered', 'ProviderAccepted', 'ProviderDelivered', 'ProviderComplaint'] as const
  const [details] = detailsAfter([ATTEMPTED, ACCEPTED, ...kinds.map(report)].map((fact) => ({ fact })))
  assert.deepEqual(toProviderMachine(details), { current: 'complaint', passed: ['unknown', 'delivered'] })
})

test('a resend starts over', () => {
  const facts = [ATTEMPTED, ACCEPTED, report('ProviderBounced'), AGAIN]
  const [details] = detailsAfter([
    ...facts.map((fact) => ({ fact })),
    { fact: report('ProviderComplaint'), isOld: true },
  ])
  assert.deepEqual(toProviderMachine(details), { current: 'unknown', passed: [] })
  assert.deepEqual(toHandoffMachine(details), { current: 'queued', passed: [] })
})

test('the handoff passes only the states it went through', () => {
  const at = (...facts: readonly Fact[]): Machine => toHandoffMachine(detailsAfter(facts.map((fact) => ({ fact })))[0])
  assert.deepEqual(at(), { current: 'queued', passed: [] })
  assert.deepEqual(at(ATTEMPTED), { current: 'sending', passed: ['queued'] })
  assert.deepEqual(at(ATTEMPTED, RETRY, ATTEMPTED), { current: 'sending', passed: ['queued'] })
  assert.deepEqual(at(ATTEMPTED, ACCEPTED), { current: 'handed_off', passed: ['queued', 'sending'] })
  const stopped: Fact = { kind: 'ValidationFailed', code: 'INVALID_PAYLOAD', detail: 'broken' }
  assert.deepEqual(at(stopped), { current: 'failed', passed: ['queued'] })
  assert.deepEqual(at(ATTEMPTED, ACCEPTED, AGAIN, ATTEMPTED), { current: 'sending', passed: ['queued'] })
})
