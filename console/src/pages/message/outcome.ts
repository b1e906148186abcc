/**
 * What happened to a message, in one sentence. Total: every combination of states has one. Countdowns are computed from
 * `now`.
 */
import type { MessageDetails } from '../../api/client.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import type { Tone } from '../../ui/parts.tsx'
import { payloadText, type TimelineEntry, toEntries } from './timeline-entries.ts'

const T = MESSAGE_TEXTS.outcome

export type Outcome = Readonly<{ tone: Tone; text: string }>

/** How durations are written: `12 s`, and `3.20 s`. */
export type Spans = Readonly<Record<'toSpan' | 'toPreciseSpan', (ms: number) => string>>

export function toOutcome(details: MessageDetails, now: number, spans: Spans): Outcome {
  const told = tellerOf(details, now, spans)
  switch (details.provider_state) {
    case 'delivered':
      return { tone: 'good', text: T.delivered(told.provider('ProviderDelivered'), told.attempts, told.took) }
    case 'bounced':
      return { tone: 'bad', text: told.was('ProviderDelivered') ? T.bouncedLater(told.why) : T.bounced(told.why) }
    case 'dropped':
      return { tone: 'bad', text: T.dropped(told.provider('ProviderDropped'), told.why) }
    case 'complaint':
      return { tone: 'bad', text: T.complaint }
    case 'timed_out':
      return { tone: 'warn', text: T.timedOut(told.provider('ProviderTimedOut')) }
    case 'unknown':
    case 'accepted':
      return ofHandoff(details, told)
  }
}

function ofHandoff(details: MessageDetails, told: Teller): Outcome {
  switch (details.handoff_state) {
    case 'queued':
      return queued(details, told)
    case 'sending':
      return sending(details, told)
    case 'handed_off':
      return handedOff(details, told)
    case 'failed':
      return failed(details, told)
  }
}

function queued({ cycle, due_at }: MessageDetails, { untilDue, toSpan }: Teller): Outcome {
  if (due_at !== null && untilDue >= SECOND) return { tone: 'info', text: T.scheduled(toSpan(untilDue)) }
  if (untilDue < -LONG_OVERDUE) return { tone: 'warn', text: T.held(toSpan(-untilDue)) }
  return { tone: 'info', text: cycle > 1 ? T.queuedAgain : T.queued }
}

function sending({ unknown, due_at, attempts, provider }: MessageDetails, { untilDue, toSpan }: Teller): Outcome {
  const name = provider ?? T.theProvider
  if (unknown) {
    const isPlanned = due_at !== null && untilDue >= SECOND
    return { tone: 'warn', text: isPlanned ? T.unknownUntil(name, toSpan(untilDue)) : T.unknown(name) }
  }
  if (due_at === null) return { tone: 'info', text: T.calling(name, attempts) }
  if (untilDue < -LONG_OVERDUE) return { tone: 'warn', text: T.held(toSpan(-untilDue)) }
  return { tone: 'warn', text: untilDue < SECOND ? T.retryNow(attempts + 1) : T.retry(attempts + 1, toSpan(untilDue)) }
}

function handedOff({ provider }: MessageDetails, told: Teller): Outcome {
  const accepted = told.last('HandoffAccepted')
  const name = provider ?? T.theProvider
  if (accepted !== undefined && payloadText(accepted, 'by') === 'person')
    return { tone: 'sent', text: T.resolvedSent(name) }
  const isFinal = accepted?.event.payload['no_delivery_reports'] === true
  return { tone: 'sent', text: isFinal ? T.sentFinal(name) : T.sent(name, told.attempts, told.took) }
}

function failed(details: MessageDetails, { why, attempts, was, last }: Teller): Outcome {
  const { status, unknown, dead_letter, provider } = details
  if (unknown) return { tone: 'bad', text: T.unresolved(provider ?? T.theProvider) }
  if (status === 'expired') return { tone: 'warn', text: attempts === 0 ? T.expiredUnsent : T.expired(attempts) }
  const failure = last('HandoffFailed')
  if (failure !== undefined && payloadText(failure, 'resolved_by') !== undefined)
    return { tone: 'bad', text: T.resolvedNotSent }
  if (was('ValidationFailed')) return { tone: 'bad', text: T.invalid(why) }
  return { tone: 'bad', text: dead_letter ? T.dead(attempts, why) : T.failed(why) }
}

const SECOND = 1_000
/** Longer than a free worker needs to take a message. */
const LONG_OVERDUE = 2_000

type Teller = Pick<Spans, 'toSpan'> &
  Readonly<{
    /** The number of attempts in the newest cycle. */
    attempts: number
    /** From the beginning of the newest cycle to the handoff, or to the delivery. */
    took: string | undefined
    /** Negative once it is overdue. */
    untilDue: number
    /** What the error means, to follow a colon. */
    why: string
    was: (kind: string) => boolean
    /** The last event of this kind in the newest cycle. */
    last: (kind: string) => TimelineEntry | undefined
    /** The provider that reported it, which may be that of an earlier attempt. */
    provider: (kind: string) => string
  }>

function tellerOf(details: MessageDetails, now: number, { toSpan, toPreciseSpan }: Spans): Teller {
  const own = toEntries(details.events).filter(({ event }) => event.payload.cycle === details.cycle)
  const last = (kind: string): TimelineEntry | undefined => own.findLast((one) => one.kind === kind)
  const end = last('ProviderDelivered') ?? last('HandoffAccepted')
  const begin = last('ResendRequested')?.at ?? Date.parse(details.created_at)
  return {
    toSpan,
    attempts: own.filter(({ kind }) => kind === 'HandoffAttempted').length,
    took: end === undefined ? undefined : toPreciseSpan(Math.max(0, end.at - begin)),
    untilDue: details.due_at === null ? 0 : Date.parse(details.due_at) - now,
    why: toClause(details.error?.meaning ?? T.noReason),
    was: (kind) => last(kind) !== undefined,
    last,
    provider: (kind) => last(kind)?.provider ?? details.provider ?? T.theProvider,
  }
}

/** Of the first sentence: `The number is blocked.` becomes `the number is blocked`; names keep their capital letter. */
const toClause = (text: string): string =>
  text
    .replace(/\. .*$/, '')
    .replace(/\.$/, '')
    .replace(/^(?:The|A|An|No|There) /, (word) => word.toLowerCase())
