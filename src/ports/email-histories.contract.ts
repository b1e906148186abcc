/** Random histories of an email, in any order and with late events. For tests only. */
import fc from 'fast-check'
import type { RecipientId } from '../domain/directory/recipient.ts'
import type { ProviderName, RouteId } from '../domain/ids.ts'
import { CATEGORY_OF } from '../domain/message/error-category.ts'
import { CHECKS, type Fact, type MessageEvent } from '../domain/message/events.ts'
import { MAIL, type Message, type Searchable } from '../domain/message/message.ts'
import { fold, type MessageState, toFirstState } from '../domain/message/state.ts'
import { toStatus } from '../domain/message/states.ts'
import { type Instant, instant, later, type Millis, millis } from '../lib/time.ts'
import { ACCEPTED, ATTEMPTED, NOON, someMessage, tenant, toEventId } from './samples.contract.ts'

/** `back`: how many attempts ago the fact belongs to. */
export type Step = Readonly<{ fact: Fact; wait: Millis; back: number }>
export type History = Readonly<{ events: readonly MessageEvent[]; searchable?: Searchable }>

export const someEmailMessage = (wanted: Partial<Message> = {}): Message =>
  someMessage({ channel: 'email', kind: 'email', ...MAIL, ...wanted })

/** Ordinary codes, unlisted ones, and strings that databases reject. */
const CODES = ['SES_THROTTLING', 'TIMEOUT', 'HTTP_599', 'HTTP_5990', 'ODD_ONE', 'a\0b', '\ud800', '\udfff"', '\\']
const text = fc.oneof(fc.constantFrom(...CODES), fc.string({ unit: 'binary', maxLength: 9 }))
const listed = fc.constantFrom(...CATEGORY_OF.keys())
const reason = { code: fc.oneof(listed, text), detail: text }
/** Sometimes with the provider's own code. */
const refusal = fc
  .tuple(fc.record(reason), fc.option(text, { nil: undefined }))
  .map(([given, originalCode]) => (originalCode === undefined ? given : { ...given, originalCode }))
const moment = fc.integer({ min: NOON - 99, max: NOON + 9_999 }).map(instant)
const kindOf = <Kind extends Fact['kind']>(kind: Kind) => fc.constant(kind)

const FACTS: readonly fc.Arbitrary<Fact>[] = [
  fc.record({ kind: kindOf('MessageValidated'), checks: fc.constant(CHECKS) }),
  fc.record({ kind: kindOf('ValidationFailed'), check: fc.constantFrom(...CHECKS), ...reason }),
  fc.record({
    kind: kindOf('HandoffAttempted'),
    provider: fc.constantFrom('ses', 'smtp').map((name) => name as ProviderName),
    routeId: fc.constant('mail' as RouteId),
    owner: fc.constant('worker-1'),
  }),
  fc.record({ kind: kindOf('HandoffAccepted'), providerMessageId: text, by: fc.constant('answer' as const) }),
  fc.tuple(refusal, moment).map(([given, reconcileAt]) => ({ kind: 'HandoffUnknown', reconcileAt, ...given })),
  fc.tuple(refusal, moment).map(([given, dueAt]) => ({ kind: 'RetryScheduled', dueAt, ...given })),
  refusal.map((given) => ({ kind: 'HandoffFailed', ...given })),
  refusal.map((given) => ({ kind: 'DeadLettered', ...given })),
  fc.record({ kind: kindOf('MessageExpired') }),
  fc.record({ kind: kindOf('ResendRequested'), by: fc.constant('resend' as const) }),
  fc.record({ kind: kindOf('ProviderDelivered'), reportId: text }),
  fc.record({ kind: kindOf('ProviderBounced'), reportId: text, ...reason }),
  fc.record({ kind: kindOf('MessageErased') }),
]

/** Mostly the usual order of facts, sometimes any order. */
const usual = fc.tuple(
  ...[0, 2, 5, 0, 2, 3].map((index) => FACTS[index] ?? fc.constant({ kind: 'MessageErased' as const })),
)
const any = fc.array(fc.oneof(...FACTS), { maxLength: 6 })
const facts = fc
  .tuple(usual, fc.nat(6), any)
  .map(([first, length, then]): readonly Fact[] => [...first.slice(0, length), ...then])

export const someSteps: fc.Arbitrary<readonly Step[]> = facts.chain((all) =>
  fc.tuple(...all.map((fact) => fc.record({ fact: fc.constant(fact), wait: fc.nat(5_000).map(millis), back: BACK }))),
)
const BACK = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.nat(2))

const searchable = fc.record(
  {
    to: fc.constant('a***@example.com'),
    toKey: fc.constant('key'),
    tags: fc.constant([]),
    metadata: fc.constant({}),
    subject: fc.string({ unit: 'grapheme' }),
    recipientId: fc.uuid().map((id) => id as RecipientId),
  },
  { requiredKeys: ['to', 'toKey', 'tags', 'metadata'] },
)

const CALLED = { httpRequestId: 'checkout-1138' }

/** Emails of one of two tenants. */
export const someHistory: fc.Arbitrary<History> = fc
  .tuple(fc.uuid(), fc.constantFrom('north', 'south'), someSteps, searchable, fc.constantFrom({}, CALLED))
  .map(([id, name, steps, fields, origin]) => {
    const events = toEvents(someEmailMessage({ id: id as Message['id'], tenantId: tenant(name), ...origin }), steps)
    return events.at(-1)?.state.erased ? { events } : { events, searchable: fields }
  })

/** The events that these steps produce; a repeated event is left out. */
export function toEvents(message: Message, steps: readonly Step[]): readonly MessageEvent[] {
  const first = toFirstState(message)
  const events = [toEvent(first, { kind: 'MessageCreated' }, { at: first.createdAt, cycle: 1, attempt: 0 })]
  const seen = new Set(events.map(({ id }) => id))
  for (const { fact, wait, back } of steps) {
    const before = events.at(-1)?.state ?? first
    const moment = { at: later(before.updatedAt, wait), ...refOf(before, fact, back) }
    const event = { ...toEvent(fold(before, fact, moment), fact, moment), previousStatus: toStatus(before) }
    if (!seen.has(event.id)) events.push(event)
    seen.add(event.id)
  }
  return events
}

/** An email of the tenant `north` that a provider accepted as `SM1`. */
export const sentEmail = (): History => ({
  events: toEvents(
    someEmailMessage(),
    [ATTEMPTED, ACCEPTED].map((fact) => ({ fact, wait: millis(1), back: 0 })),
  ),
})

function refOf({ cycle, attempt }: MessageState, { kind }: Fact, back: number) {
  if (kind === 'HandoffAttempted') return { cycle, attempt: attempt + 1 }
  if (kind === 'ResendRequested') return { cycle: cycle + 1, attempt }
  return { cycle, attempt: Math.max(0, attempt - back) }
}

type Moment = Readonly<{ at: Instant; cycle: number; attempt: number }>

function toEvent(state: MessageState, fact: Fact, { at, cycle, attempt }: Moment): MessageEvent {
  const id = toEventId(state.id, cycle, attempt, fact)
  return { id, cycle, attempt, at, traceId: state.traceId, fact, state }
}
