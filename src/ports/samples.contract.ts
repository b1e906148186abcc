/** Messages, events and jobs for the contracts. Ids have the production format, and states are folded. For tests only. */
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { EmailAddress } from '../domain/email/address.ts'
import type { AccountId, EventId, MessageId, ProviderName, RouteId, TenantId, TraceId } from '../domain/ids.ts'
import type { Fact, MessageEvent } from '../domain/message/events.ts'
import type { Content, EmailContent, Message, SmsContent } from '../domain/message/message.ts'
import type { PhoneNumber } from '../domain/message/phone-number.ts'
import { fold, type MessageState, toFirstState } from '../domain/message/state.ts'
import { toStatus } from '../domain/message/states.ts'
import type { Clock } from '../lib/clock.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Instant, instant, later, type Millis, millis, seconds } from '../lib/time.ts'
import type { Engines } from './engines.ts'
import { EMPTY, type Entry, type EventLog, type Recorded } from './event-log.ts'
import type { Job } from './queue.ts'

export type Engine = Pick<Engines, 'log' | 'queue'>
/**
 * Opens an engine, or the part of it that a contract tests, with this clock: tests move it, and it may not move at all.
 * An engine with a clock of its own returns its `time`.
 */
export type Open<Part extends keyof Engine> = (clock: Clock) => Promise<Opened<Part>>
export type Opened<Part extends keyof Engine> = Pick<Engine, Part> & Readonly<{ time?: Time }> & AsyncDisposable
export type OpenEngine = Open<keyof Engine>

/** How time passes for an engine. */
export type Time = Readonly<{
  clock: Clock
  /** Waits until then. */
  passTo: (at: Instant) => Promise<void>
  /** A delay that differs from none and is short enough to wait for. */
  delay: Millis
  /** How close before a moment a test can still get. */
  grain: Millis
  /** How long the depth may lag behind an answered call. */
  lag: Millis
}>

/** A clock that moves only when a test moves it. */
export function virtualTime(): Time {
  let now = NOON
  return {
    clock: () => now,
    async passTo(at) {
      now = at
    },
    delay: seconds(5),
    grain: millis(1),
    lag: millis(0),
  }
}

const wallClock: Clock = () => instant(Date.now())

/** The wall clock, for an engine with a clock of its own. */
export const REAL_TIME: Time = {
  clock: wallClock,
  passTo: (at) => wait(Math.max(0, at - wallClock())),
  delay: seconds(2),
  grain: millis(1_500),
  lag: seconds(5),
}

/** On the hour. */
export const NOON = instant(1_749_999_600_000)
export const stopped: Clock = () => NOON

export const tenant = (name: string): TenantId => name as TenantId
export const phone = (text: string): PhoneNumber => text as PhoneNumber
export const ACME = 'acme' as ProviderName
export const hours = (count: number): Millis => seconds(count * 3600)
export const earlier = (at: Instant, by: Millis): Instant => later(at, millis(-by))

export const someMessage = (wanted: Partial<Message> = {}): Message => ({
  id: randomUUID() as MessageId,
  tenantId: tenant('north'),
  accountId: 'shop' as AccountId,
  channel: 'sms',
  kind: 'sms',
  lane: 'transactional',
  segments: 1,
  encoding: 'gsm7',
  createdAt: NOON,
  traceId: randomBytes(16).toString('hex') as TraceId,
  ...wanted,
})

export const someContent = (wanted: Partial<SmsContent> = {}): SmsContent => ({
  channel: 'sms',
  kind: 'sms',
  to: phone('+5511987654321'),
  body: 'Olá 👋, your "code" is 4711',
  metadata: { order: 'A-17', city: 'São Paulo' },
  tags: ['welcome', 'spring-sale'],
  ...wanted,
})

export const someJob = (wanted: Partial<Job> = {}): Job => ({
  messageId: randomUUID() as MessageId,
  tenantId: tenant('north'),
  lane: 'transactional',
  ...wanted,
})

export const jobOf = ({ id, tenantId, lane }: Message, dueAt?: Instant): Job =>
  omitUndefined({ messageId: id, tenantId, lane, dueAt })

export const VALIDATED: Fact = { kind: 'MessageValidated' }
export const ATTEMPTED: Fact = { kind: 'HandoffAttempted', provider: ACME, routeId: 'r1' as RouteId, owner: 'worker-1' }
export const ACCEPTED: Fact = { kind: 'HandoffAccepted', providerMessageId: 'SM1', by: 'answer' }
export const delivered = (reportId = 'report-1'): Fact => ({ kind: 'ProviderDelivered', reportId })
export const DEAD: Fact = { kind: 'DeadLettered', code: 'CARRIER_BLOCKED', detail: 'Handset unreachable for days' }
export const retryAt = (dueAt: Instant): Fact => ({ kind: 'RetryScheduled', dueAt, code: 'BUSY', detail: 'later' })
export const unknownUntil = (reconcileAt: Instant): Fact => ({
  kind: 'HandoffUnknown',
  reconcileAt,
  code: 'TIMEOUT',
  detail: 'no answer',
})

/** The state after these facts; the first one happens one `pace` after the creation, the second after two, and so on. */
export function stateAfter(message: Message, facts: readonly Fact[], pace: Millis = seconds(1)): MessageState {
  return facts.reduce((state, fact) => foldNext(state, fact, pace), toFirstState(message))
}

/** The state after one more fact, one `pace` later. */
export const foldNext = (state: MessageState, fact: Fact, pace: Millis = seconds(1)): MessageState =>
  fold(state, fact, { at: later(state.updatedAt, pace), cycle: state.cycle, attempt: state.attempt })

/** An email with an attachment of so many bytes. */
export const someEmail = (attached: number): EmailContent => ({
  channel: 'email',
  kind: 'email',
  to: 'ana@example.com' as EmailAddress,
  subject: 'Sua fatura 👋',
  html: '<p>Olá</p>',
  attachments: [
    { filename: 'fatura.pdf', contentType: 'application/pdf', content: randomBytes(attached).toString('base64') },
  ],
  metadata: {},
  tags: ['invoice'],
})

export function createdEntry(message: Message = someMessage(), content: Content = someContent(), job?: Job): Entry {
  const state = toFirstState(message)
  const event = toEvent({ kind: 'MessageCreated' }, state)
  return omitUndefined({ seen: EMPTY, event, content, job })
}

export type Seen = Pick<Recorded, 'revision' | 'event'>

/** The entry that appends a fact after the revision a writer has seen, one `pace` later. */
export function nextEntry({ revision, event }: Seen, fact: Fact, job?: Job, pace?: Millis): Entry {
  const added = { ...toEvent(fact, foldNext(event.state, fact, pace)), previousStatus: toStatus(event.state) }
  return omitUndefined({ seen: revision, event: added, job })
}

function toEvent(fact: Fact, state: MessageState): MessageEvent {
  const { id, cycle, attempt, updatedAt: at } = state
  return {
    id: toEventId(id, cycle, attempt, fact),
    cycle,
    attempt,
    at,
    traceId: state.traceId,
    fact,
    state,
  }
}

export function toEventId(id: MessageId, cycle: number, attempt: number, fact: Fact): EventId {
  const distinction = distinctionOf(fact)
  const suffix = distinction && `.${createHash('sha256').update(distinction).digest('hex').slice(0, 16)}`
  return `${id}.${cycle}.${attempt}.${fact.kind}${suffix}` as EventId
}

/** Distinguishes facts of one kind and attempt. */
function distinctionOf(fact: Fact): string {
  if (fact.kind === 'MessageErased') return fact.kept ?? ''
  return 'reportId' in fact ? fact.reportId : ''
}

/** The same event as an earlier release recorded it: its id is a hash. */
export const withHashedId = (event: MessageEvent): MessageEvent => ({
  ...event,
  id: createHash('sha256').update(event.id).digest('hex') as EventId,
})

/** Appends an entry that must not conflict. */
export async function append(log: EventLog, entry: Entry): Promise<Seen> {
  const result = await log.append(entry)
  assert.equal(result.kind, 'appended')
  return { revision: result.revision, event: entry.event }
}

/** The value, which must be there. */
export async function present<Value>(promised: Promise<Value | undefined>): Promise<Value> {
  const value = await promised
  assert.ok(value !== undefined)
  return value
}

/** Longer than any test waits: a result that takes longer is missing. */
const PATIENCE_MS = 15_000
export const forever = (): AbortSignal => AbortSignal.timeout(PATIENCE_MS)
