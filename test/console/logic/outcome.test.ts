/**
 * The sentence that says what happened to a message, for every state, as the gateway returns the message. It is imported
 * dynamically, because the server's compiler does not know browser types.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MessageDetails } from '../../../src/api/messages/message-schemas.ts'
import { PROVIDER_STATES } from '../../../src/domain/message/states.ts'
import { instant } from '../../../src/lib/time.ts'
import { ACCEPTED, attempted, detailsAfter, RESENT, type Step, step } from './messages.fixture.ts'

type Outcome = Readonly<{ tone: string; text: string }>
type Spans = Readonly<Record<'toSpan' | 'toPreciseSpan', (ms: number) => string>>
type OutcomeFile = Readonly<{ toOutcome: (details: MessageDetails, now: number, spans: Spans) => Outcome }>
type CyclesFile = Readonly<{ wasDeliveredBefore: (events: MessageDetails['events'], cycle: number) => boolean }>

const ROOM = '../../../console/src/pages/message'
const outcomeFile = (await import(new URL(`${ROOM}/outcome.ts`, import.meta.url).href)) as OutcomeFile
const { wasDeliveredBefore } = (await import(new URL(`${ROOM}/cycles.ts`, import.meta.url).href)) as CyclesFile

const SPANS: Spans = {
  toSpan: (ms) => `${Math.round(ms / 1_000)} s`,
  toPreciseSpan: (ms) => (ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(2)} s`),
}
const toOutcome = (details: MessageDetails, now: number): Outcome => outcomeFile.toOutcome(details, now, SPANS)

const CREATED_AT = 1_000
const busy = { code: 'SERVICE_UNAVAILABLE', detail: 'busy' }
const retry = (dueAt: number): Step => ({ fact: { kind: 'RetryScheduled', dueAt: instant(dueAt), ...busy }, at: 2_000 })
const report = (state: string, more = {}): Step =>
  step({ kind: `Provider${state}` as 'ProviderDelivered', reportId: state, ...more })
const dead = (more = {}): Step => step({ kind: 'DeadLettered', ...busy, ...more })
const blocked = { code: 'NUMBER_BLOCKED', detail: 'blocked' }
const unknown = (reconcileAt: number): Step =>
  step({ kind: 'HandoffUnknown', code: 'TIMEOUT', detail: 'no answer', reconcileAt: instant(reconcileAt) })

const sent = [attempted('twilio'), ACCEPTED]

/** The steps after the creation, the sentence, its tone, and when it is read. */
const TABLE: readonly (readonly [
  what: string,
  steps: readonly Step[],
  sentence: string,
  tone: string,
  now?: number,
])[] = [
  ['queued', [], 'Queued: a worker is about to send it.', 'info'],
  ['held', [], 'Waiting for a provider: due 9 s ago. A circuit breaker may be open.', 'warn', CREATED_AT + 9_000],
  ['queued again', [...sent, RESENT], 'Queued again: a worker is about to send it.', 'info', 2_000],
  ['calling', [attempted('twilio')], 'Sending: attempt 1 is calling twilio.', 'info'],
  ['waiting to retry', [attempted('twilio'), retry(14_000)], 'Waiting to retry: attempt 2 in 12 s.', 'warn', 2_000],
  ['retrying', [attempted('twilio'), retry(2_000)], 'Retrying: attempt 2 is due.', 'warn', 2_500],
  [
    'unknown, to be checked',
    [attempted('twilio'), unknown(7_000)],
    'Outcome unknown: twilio did not answer. Pombo waits for a delivery report and checks again in 5 s.',
    'warn',
    2_000,
  ],
  [
    'unknown, held',
    [attempted('twilio'), unknown(2_000)],
    'Outcome unknown: twilio did not answer. Pombo waits for a delivery report, or for you to resolve it.',
    'warn',
    60_000,
  ],
  [
    'unknown, given up',
    [attempted('twilio'), unknown(2_000), dead({ outcome: 'unknown', code: 'OUTCOME_UNKNOWN' })],
    'Outcome unknown, given up: there is no evidence whether twilio has the message. Resolve it, or wait for a late delivery report.',
    'bad',
  ],
  ['sent', sent, 'Sent by twilio in 1.00 s. Waiting for the delivery report.', 'sent'],
  ['accepted', [...sent, report('Accepted')], 'Sent by twilio in 1.00 s. Waiting for the delivery report.', 'sent'],
  [
    'sent without reports',
    [
      attempted('smtp'),
      step({ kind: 'HandoffAccepted', providerMessageId: 'p', by: 'answer', noDeliveryReports: true }),
    ],
    'Sent by smtp, which sends no delivery reports.',
    'sent',
  ],
  [
    'resolved as sent',
    [attempted('twilio'), unknown(2_000), step({ kind: 'HandoffAccepted', by: 'person', resolvedBy: 'a' as never })],
    'Sent by twilio, as a person recorded. Waiting for the delivery report.',
    'sent',
  ],
  ['delivered', [...sent, report('Delivered')], 'Delivered by twilio in 1.00 s.', 'good'],
  [
    'delivered after retries',
    [
      attempted('twilio'),
      retry(2_000),
      attempted('twilio'),
      retry(2_000),
      ...sent,
      { ...report('Delivered'), at: 4_200 },
    ],
    'Delivered by twilio after 3 attempts, in 3.20 s.',
    'good',
  ],
  [
    'delivered by the provider that failed over to another',
    [attempted('twilio'), retry(2_000), attempted('sinch'), { ...report('Delivered'), isEarlier: true }],
    'Delivered by twilio after 2 attempts, in 1.00 s.',
    'good',
  ],
  [
    'delivered in the second cycle, counted from its beginning',
    [attempted('twilio'), dead(), { ...RESENT, at: 9_000 }, ...sent, { ...report('Delivered'), at: 9_500 }],
    'Delivered by twilio in 500 ms.',
    'good',
  ],
  [
    'delivered although it was overdue',
    [...sent, report('TimedOut'), report('Delivered')],
    'Delivered by twilio in 1.00 s.',
    'good',
  ],
  [
    'bounced',
    [...sent, report('Bounced', { code: 'HARD_BOUNCE', detail: 'x' })],
    'Bounced: the mailbox does not exist.',
    'bad',
  ],
  [
    'bounced after delivered',
    [...sent, report('Delivered'), report('Bounced', { code: 'SOFT_BOUNCE', detail: 'x' })],
    'Bounced after it was reported as delivered: the receiving server could not take the email for now.',
    'bad',
  ],
  [
    'dropped',
    [...sent, report('Dropped', blocked)],
    'Not delivered by twilio: the number is blocked by the recipient or their carrier.',
    'bad',
  ],
  [
    'complaint',
    [...sent, report('Delivered'), report('Complaint', { code: 'COMPLAINT', detail: 'x' })],
    'Delivered, but the recipient reported it as spam.',
    'bad',
  ],
  [
    'timed out',
    [...sent, report('TimedOut')],
    'Sent, but no delivery report arrived from twilio in time. It may have been delivered.',
    'warn',
  ],
  [
    'failed',
    [attempted('twilio'), step({ kind: 'HandoffFailed', ...blocked })],
    'Failed: the number is blocked by the recipient or their carrier.',
    'bad',
  ],
  [
    'rejected by the checks',
    [step({ kind: 'ValidationFailed', check: 'TEMPLATE', code: 'INVALID_TEMPLATE', detail: 'x' })],
    'Not sent: the rendered email is empty, too long or not valid.',
    'bad',
  ],
  [
    'dead letter',
    [attempted('twilio'), retry(2_000), attempted('twilio'), dead()],
    'Failed after 2 attempts: the provider is temporarily unavailable.',
    'bad',
  ],
  ['dead letter without an attempt', [dead({ code: 'TENANT_SUSPENDED' })], 'Failed: the tenant is suspended.', 'bad'],
  [
    'resolved as not sent',
    [
      attempted('twilio'),
      unknown(2_000),
      step({ kind: 'HandoffFailed', code: 'RESOLVED_NOT_SENT', detail: 'x', resolvedBy: 'a' as never }),
    ],
    'Failed: a person recorded that it was not sent.',
    'bad',
  ],
  ['expired', [step({ kind: 'MessageExpired' })], 'Expired before it was sent.', 'warn'],
  [
    'expired between attempts',
    [attempted('twilio'), retry(9_000), step({ kind: 'MessageExpired' })],
    'Expired before it was sent, after 1 failed attempt.',
    'warn',
  ],
]

for (const [what, steps, sentence, tone, now = CREATED_AT] of TABLE) {
  test(`says what happened: ${what}`, () => {
    assert.deepEqual(toOutcome(detailsAfter(steps)[0], now), { tone, text: sentence })
  })
}

const anyStep = fc.oneof(
  fc.constantFrom(...TABLE.flatMap(([, steps]) => steps)),
  fc.constantFrom(...TABLE.flatMap(([, steps]) => steps)).map((one) => ({ ...one, isOld: true })),
)

test('every history has a sentence, and it is about the newest cycle', () => {
  const reached = new Set<string>()
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 12 }), fc.nat(100_000), (steps, now) => {
      const [details] = detailsAfter(steps)
      const { tone, text } = toOutcome(details, now)
      assert.match(text, /^[A-Z].*\.$/)
      assert.doesNotMatch(text, /undefined|NaN|null/)
      if (details.status === 'delivered') assert.equal(tone, 'good')
      if (tone === 'good') assert.equal(details.status, 'delivered')
      reached.add(details.provider_state)
    }),
    { numRuns: 2_000 },
  )
  assert.deepEqual(reached, new Set(PROVIDER_STATES))
})

test('a late delivery of an earlier cycle is told, and changes nothing', () => {
  const [details] = detailsAfter([...sent, report('TimedOut'), RESENT, { ...report('Delivered'), isOld: true }])
  assert.equal(toOutcome(details, 2_000).text, 'Queued again: a worker is about to send it.')
  assert.equal(wasDeliveredBefore(details.events, details.cycle), true)
  const [delivered] = detailsAfter([...sent, report('Delivered')])
  assert.equal(wasDeliveredBefore(delivered.events, delivered.cycle), false)
})
