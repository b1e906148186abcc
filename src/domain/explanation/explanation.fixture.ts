/** Messages to explain: made from facts, one second apart, and what surrounds them. */
import { instant, later, parseInstant, seconds } from '../../lib/time.ts'
import type { AccountId, EventId, MessageId, ProviderName, RouteId, TenantId, TraceId } from '../ids.ts'
import type { Fact, MessageEvent } from '../message/events.ts'
import type { Message } from '../message/message.ts'
import { FIRST_CYCLE, fold, toFirstState } from '../message/state.ts'
import { CLOSED } from '../routing/breaker.ts'
import type { Circumstances, ProviderStanding } from './circumstances.ts'
import type { Situation } from './situation.ts'

export const NOON = parseInstant('2030-01-31T12:00:00Z') ?? instant(0)
/** This many seconds after noon. */
export const at = (after: number) => later(NOON, seconds(after))

export const MESSAGE: Message = {
  id: '018f4f5e-7c1a-7abc-9def-0123456789ab' as MessageId,
  tenantId: 'acme' as TenantId,
  accountId: 'shop' as AccountId,
  channel: 'sms',
  kind: 'sms',
  lane: 'transactional',
  segments: 1,
  encoding: 'gsm7',
  createdAt: NOON,
  traceId: '0af7651916cd43dd8448eb211c80319c' as TraceId,
}

const TWILIO = 'twilio' as ProviderName
export const SMSC = 'smsc' as ProviderName
const ROUTE = 'default' as RouteId

export const attempted = (provider = TWILIO): Fact => ({
  kind: 'HandoffAttempted',
  provider,
  routeId: ROUTE,
  owner: 'w',
})
export const accepted: Fact = { kind: 'HandoffAccepted', providerMessageId: 'SM1', by: 'answer' }
export const deferred = (dueAt: number, more: Partial<Extract<Fact, { kind: 'RetryScheduled' }>> = {}): Fact => ({
  kind: 'RetryScheduled',
  dueAt: at(dueAt),
  code: 'SERVICE_UNAVAILABLE',
  detail: 'HTTP 503',
  ...more,
})
export const unknown = (reconcileAt: number): Fact => ({
  kind: 'HandoffUnknown',
  reconcileAt: at(reconcileAt),
  code: 'TIMEOUT',
  detail: 'no answer',
})
export const report = (
  kind: Extract<Fact, { reportId: string }>['kind'],
  more: { code?: string; detail?: string } = {},
): Fact => ({ kind, reportId: kind, ...more })

/** A provider that can be called. */
export const up = (name: ProviderName = TWILIO): ProviderStanding => ({
  name,
  isConfigured: true,
  isConnected: true,
  breaker: CLOSED,
})
/** A provider with an open breaker, from `since` until `until`, in seconds after noon. */
export const open = (since: number, until: number, name: ProviderName = TWILIO): ProviderStanding => ({
  ...up(name),
  breaker: { kind: 'open', failures: 5, openedAt: at(since), retryAt: at(until) },
  heldUntil: at(until),
})

/** What became of a message after these facts, each a second after the one before, seen at `now`. */
export function story(facts: readonly Fact[], changes: Partial<Circumstances> = {}, message = MESSAGE): Circumstances {
  const first = toFirstState(message)
  const events: MessageEvent[] = [
    {
      ...IDS,
      id: 'e0' as EventId,
      cycle: FIRST_CYCLE,
      attempt: 0,
      at: NOON,
      fact: { kind: 'MessageCreated' },
      state: first,
    },
  ]
  let state = first
  for (const [index, fact] of facts.entries()) {
    const attempt = state.attempt + (fact.kind === 'HandoffAttempted' ? 1 : 0)
    const cycle = state.cycle + (fact.kind === 'ResendRequested' ? 1 : 0)
    const moment = { at: at(index + 1), cycle: state.cycle, attempt }
    state = fold(state, fact, moment)
    events.push({ ...IDS, ...moment, cycle, id: `e${index + 1}` as EventId, fact, state })
  }
  return {
    state,
    events,
    now: at(facts.length + 1),
    lease: seconds(60),
    isSuspended: false,
    route: { id: ROUTE },
    providers: [up()],
    maxAttempts: 5,
    unknownRule: { wait: seconds(5), policy: 'hold', giveUp: seconds(72 * 3600) },
    asked: { canBeAsked: true, reports: 'callback' },
    lane: { ready: 1, taken: 0 },
    ...changes,
  }
}

const IDS = { traceId: MESSAGE.traceId }

export const failed = (code: string): Fact => ({ kind: 'HandoffFailed', code, detail: 'x' })
/** Somebody who decided an unknown outcome. */
export const person = { resolvedBy: 'shop' as AccountId }
export const DAYS_3 = 72 * 3600

/** A message and how it is explained. */
export type Case = Readonly<{
  situation: Situation
  when: string
  facts: readonly Fact[]
  around?: Partial<Circumstances>
  message?: Partial<Message>
  summary: string
  /** The time after the sentence, in seconds after noon; `?` where nobody knows it. */
  next?: readonly [text: string, after: number | '?']
  actions: readonly string[]
}>
