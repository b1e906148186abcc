/**
 * The state machines of the message page, compared with the gateway. They are imported dynamically, because the
 * server's compiler does not know browser types.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MessageDetails } from '../../../src/api/messages/message-schemas.ts'
import type { Fact, ProviderFact } from '../../../src/domain/message/events.ts'
import { instant } from '../../../src/lib/time.ts'
import * as messages from './messages.fixture.ts'

type Machine = Readonly<{ current: string; passed: readonly string[] }>
type MachineFile = Readonly<
  Record<'toHandoffMachine' | 'toProviderMachine', (details: MessageDetails, cycle?: number) => Machine>
>

const FILE = new URL('../../../console/src/pages/message/machine-states.ts', import.meta.url)
const { toHandoffMachine, toProviderMachine } = (await import(FILE.href)) as MachineFile

const { detailsAfter } = messages
type Step = messages.Step

const ATTEMPTED = messages.attempted('one').fact
const [ACCEPTED, AGAIN] = [messages.ACCEPTED.fact, messages.RESENT.fact]
const RETRY: Fact = { kind: 'RetryScheduled', dueAt: instant(8_000), code: 'BUSY', detail: 'later' }
const UNKNOWN: Fact = { kind: 'HandoffUnknown', reconcileAt: instant(9_000), code: 'TIMEOUT', detail: 'no answer' }
const FAILED: Fact = { kind: 'HandoffFailed', code: 'NUMBER_BLOCKED', detail: 'blocked' }
const GIVEN_UP: Fact = { kind: 'DeadLettered', code: 'OUTCOME_UNKNOWN', detail: 'no evidence', outcome: 'unknown' }
const EXPIRED: Fact = { kind: 'MessageExpired' }
const REPORTS = [
  'ProviderAccepted',
  'ProviderTimedOut',
  'ProviderDelivered',
  'ProviderDropped',
  'ProviderBounced',
  'ProviderComplaint',
] as const
const report = (kind: ProviderFact['kind']): Fact => ({ kind, reportId: kind })

const step: fc.Arbitrary<Step> = fc.record({
  fact: fc.oneof(
    fc.constantFrom(...REPORTS.map(report)),
    fc.constantFrom<Fact>(ATTEMPTED, RETRY, ACCEPTED, UNKNOWN, FAILED, GIVEN_UP, EXPIRED, { kind: 'MessageErased' }),
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

test('the handoff states of the newest cycle match the gateway, in order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (facts) => {
      const [details, events] = detailsAfter(facts)
      const own = events.filter(({ state }) => state.cycle === details.cycle)
      const states = [...new Set(own.map(({ state }) => state.handoffState))]
      assert.deepEqual(toHandoffMachine(details), { current: states.at(-1), passed: states.slice(0, -1) })
    }),
    { numRuns: 1_000 },
  )
})

test('an earlier cycle keeps the states that it reached', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (facts) => {
      const upTo = facts.findLastIndex(({ fact }) => fact.kind === 'ResendRequested')
      fc.pre(upTo > 0)
      // Only what came before the last resend: reports that came after it add to the earlier cycle.
      const [before] = detailsAfter(facts.slice(0, upTo))
      const [after] = detailsAfter(facts.slice(0, upTo + 1))
      assert.deepEqual(toHandoffMachine(after, before.cycle), toHandoffMachine(before))
      assert.deepEqual(toProviderMachine(after, before.cycle), toProviderMachine(before))
    }),
    { numRuns: 1_000 },
  )
})

test('a report that comes after the resend is a state of the earlier cycle', () => {
  const facts = [ATTEMPTED, ACCEPTED, report('ProviderTimedOut'), AGAIN].map((fact) => ({ fact }))
  const [details] = detailsAfter([...facts, { fact: report('ProviderDelivered'), isOld: true }])
  assert.deepEqual(toProviderMachine(details, 1), { current: 'delivered', passed: ['unknown', 'timed_out'] })
  assert.deepEqual(toProviderMachine(details), { current: 'unknown', passed: [] })
})

test('a message given up with an unknown outcome was failed before a receipt said otherwise', () => {
  const [details] = detailsAfter([ATTEMPTED, UNKNOWN, GIVEN_UP, ACCEPTED].map((fact) => ({ fact })))
  assert.deepEqual(toHandoffMachine(details), { current: 'handed_off', passed: ['queued', 'sending', 'failed'] })
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
