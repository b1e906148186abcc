/** Messages that a provider has, or may have. */
import { accepted, at, attempted, type Case, DAYS_3, deferred, person, unknown } from './explanation.fixture.ts'

const RESOLVE = ['resolve', 'resolve', 'resolve']

export const AT_THE_PROVIDER: readonly Case[] = [
  {
    situation: 'sending',
    when: 'the provider is called',
    facts: [attempted()],
    summary: 'Sending: attempt 1 has been calling twilio since 12:00:01 UTC.',
    next: ['twilio answers, or the call ends without an outcome.', 61],
    actions: ['wait'],
  },
  {
    situation: 'attempt_abandoned',
    when: 'the process that called has died',
    facts: [attempted()],
    around: { now: at(62) },
    summary:
      'The process that called twilio stopped before the answer; Pombo is about to find out what became of the attempt.',
    next: ['Pombo records the outcome as unknown and looks for evidence.', 62],
    actions: ['wait'],
  },
  {
    situation: 'unknown_outcome',
    when: 'Pombo waits for evidence, then fails over',
    facts: [attempted(), unknown(7)],
    around: { unknownRule: { wait: at(0) as never, policy: 'failover', giveUp: (DAYS_3 * 1000) as never } },
    summary:
      'Outcome unknown: twilio may or may not have the message; Pombo waits for evidence until 12:00:07 UTC and then sends it by another provider.',
    next: [
      'Pombo asks twilio for it and, without evidence, sends it by another provider. It gives the message up at 2030-02-03 12:00:01 UTC.',
      7,
    ],
    actions: ['wait', ...RESOLVE],
  },
  {
    situation: 'unknown_held',
    when: 'its route holds it',
    facts: [attempted(), unknown(7)],
    around: { now: at(8), asked: { canBeAsked: false, reports: 'callback' } },
    summary:
      'Outcome unknown: twilio may or may not have the message, so Pombo holds it until a report, a look-up or a person decides, at most until 2030-02-03 12:00:01 UTC.',
    next: [
      'Pombo looks for a report and, without evidence, holds it until a report, a look-up or a person decides. It gives the message up at 2030-02-03 12:00:01 UTC.',
      32,
    ],
    actions: ['wait', ...RESOLVE],
  },
  {
    situation: 'unresolved',
    when: 'Pombo gave it up',
    facts: [
      attempted(),
      unknown(7),
      { kind: 'DeadLettered', code: 'OUTCOME_UNKNOWN', detail: 'x', outcome: 'unknown' },
    ],
    summary:
      'Given up: there is no evidence whether twilio has the message, so it counts as failed until a report or a person says otherwise.',
    actions: RESOLVE,
  },
  {
    situation: 'awaiting_report',
    when: 'the provider has it',
    facts: [attempted(), deferred(2), attempted(), accepted],
    summary: 'Sent by twilio after 2 attempts, in 4 s; waiting for its delivery report.',
    next: [
      'Unless a report arrives, Pombo asks twilio for the status; without a report until 2030-02-03 12:42:34 UTC the message expires.',
      34,
    ],
    actions: ['wait', 'resend'],
  },
  {
    situation: 'awaiting_report',
    when: 'a person resolved it as sent, and the provider cannot be asked',
    facts: [attempted(), unknown(7), { kind: 'HandoffAccepted', by: 'person', ...person }],
    around: { asked: { canBeAsked: false, reports: 'callback' } },
    summary: 'Sent by twilio, as a person recorded; waiting for its delivery report.',
    next: ['Pombo stops waiting for a delivery report, and the message expires.', DAYS_3 + 2553],
    actions: ['wait', 'resend'],
  },
  {
    situation: 'awaiting_report',
    when: 'the provider never reports',
    facts: [attempted(), accepted],
    around: { asked: { canBeAsked: false, reports: 'never' } },
    summary:
      'Sent by twilio in 2 s; it never reports deliveries, so the message ends at 2030-02-03 12:42:32 UTC without one.',
    next: ['Pombo stops waiting for a delivery report, and the message expires.', DAYS_3 + 2552],
    actions: ['wait', 'resend'],
  },
  {
    situation: 'sent_without_reports',
    when: 'no report will follow',
    facts: [attempted(), { kind: 'HandoffAccepted', providerMessageId: 'SM1', by: 'answer', noDeliveryReports: true }],
    summary: 'Sent by twilio in 2 s, which sends no delivery reports.',
    actions: [],
  },
]
