/** Appends facts to a message: shared by all flows. */

import type { AttemptRef, EventId, TraceId } from '../domain/ids.ts'
import type { Fact, MessageEvent } from '../domain/message/events.ts'
import { fold, type MessageState } from '../domain/message/state.ts'
import { toStatus } from '../domain/message/states.ts'
import type { SpanContext } from '../domain/message/trace.ts'
import type { Clock } from '../lib/clock.ts'
import type { AppendResult, Entry, EventLog, Revised, Revision } from '../ports/event-log.ts'
import type { Job, Taken } from '../ports/queue.ts'
import type { Ids } from '../ports/world.ts'

export type RecordDeps = Readonly<{ log: EventLog; clock: Clock; ids: Ids }>

/** A message as this flow last read it, with the id of its newest event. */
export type Seen = Readonly<{ revision: Revision; state: MessageState; eventId: EventId }>
export const toSeen = ({ revision, event }: Revised): Seen => ({ revision, state: event.state, eventId: event.id })

type Circumstances = Readonly<{
  /** The attempt of the fact, if not the newest. */
  ref?: AttemptRef
  traceId?: TraceId
  cause?: SpanContext | undefined
  /** A fact to record right before it, unless already recorded. */
  before?: Fact | undefined
  /** The job that the fact requires, and the one that it finishes. */
  jobAt?: Job['dueAt'] | 'now'
  ends?: Taken | undefined
}>

/** A fact to record, and how. */
export type Decision = Readonly<{ fact: Fact } & Circumstances>

type RecordResult = Readonly<{ kind: 'recorded'; seen: Seen }> | Exclude<AppendResult, { kind: 'appended' }>

/** Appends a fact at the revision that was read; a conflict means that another writer was faster. */
export function record(
  deps: RecordDeps,
  seen: Seen,
  fact: Fact,
  circumstances: Circumstances = NONE,
): Promise<RecordResult> {
  const entry = toEntry(deps, seen, fact, circumstances)
  return deps.log
    .append(entry)
    .then((result) =>
      result.kind === 'appended' ? { kind: 'recorded', seen: seenAfter(entry, result.revision) } : result,
    )
}

const NONE: Circumstances = {}

/** What to append for a fact, decided on the state that was read. */
function toEntry(deps: RecordDeps, seen: Seen, fact: Fact, circumstances: Circumstances): Entry {
  const { jobAt, ends } = circumstances
  const { eventId: after } = seen
  const before = circumstances.before && toEvent(deps, seen.state, circumstances.before, NONE, after)
  const event = toEvent(deps, before?.state ?? seen.state, fact, circumstances, after)
  const entry: { -readonly [Field in keyof Entry]: Entry[Field] } = { seen: seen.revision, event, previous: seen.state }
  if (before !== undefined) entry.before = before
  if (jobAt !== undefined) entry.job = toJob(event.state, jobAt)
  if (ends !== undefined) entry.ends = ends
  return entry
}

const seenAfter = ({ event }: Entry, revision: Revision): Seen => toSeen({ revision, event })

export function toJob({ id, tenantId, lane }: MessageState, at: Job['dueAt'] | 'now'): Job {
  return { messageId: id, tenantId, lane, ...(at === undefined || at === 'now' ? {} : { dueAt: at }) }
}

/** `after` is the id of the message's newest event, if the log has it. */
export function toEvent(
  deps: RecordDeps,
  before: MessageState,
  fact: Fact,
  circumstances: Circumstances,
  after?: EventId,
): MessageEvent {
  const { cycle, attempt } = circumstances.ref ?? refOf(before, fact)
  const moment = { messageId: before.id, cycle, attempt, at: deps.clock() }
  const event = {
    id: deps.ids.eventId(moment, fact.kind, distinctionOf(fact), after),
    cycle,
    attempt,
    at: moment.at,
    traceId: circumstances.traceId ?? before.traceId,
    fact,
    previousStatus: toStatus(before),
    state: fold(before, fact, moment),
  }
  return circumstances.cause === undefined ? event : { ...event, cause: circumstances.cause }
}

/** Distinguishes facts of one kind and attempt: after a code has ended, its message can still be erased completely. */
function distinctionOf(fact: Fact): string {
  if (fact.kind === 'MessageErased') return fact.kept ?? ''
  return 'reportId' in fact ? fact.reportId : ''
}

/** A fact that opens an attempt or a cycle belongs to it; any other to the newest. */
function refOf({ id, cycle, attempt }: MessageState, { kind }: Fact): AttemptRef {
  if (kind === 'HandoffAttempted') return { messageId: id, cycle, attempt: attempt + 1 }
  if (kind === 'ResendRequested') return { messageId: id, cycle: cycle + 1, attempt }
  return { messageId: id, cycle, attempt }
}

/** `recorded` is false when there was nothing left to record, or another writer recorded it. */
type Advanced = Readonly<{ seen: Seen; recorded: boolean }>

/** Returns undefined when there is nothing left to record. */
type Decide = (state: MessageState) => Decision | undefined

/** Decides on the newest state and records the decision, again after each conflict. */
export function advance(deps: RecordDeps, seen: Seen, decide: Decide): Promise<Advanced> {
  const decision = decide(seen.state)
  if (decision === undefined) return Promise.resolve({ seen, recorded: false })
  const entry = toEntry(deps, seen, decision.fact, decision)
  return deps.log
    .append(entry)
    .then((result) =>
      result.kind === 'appended'
        ? { seen: seenAfter(entry, result.revision), recorded: true }
        : advanceFromNewest(deps, seen, decide, result.kind),
    )
}

async function advanceFromNewest(
  deps: RecordDeps,
  { state }: Seen,
  decide: Decide,
  refusal: 'conflict' | 'duplicate',
): Promise<Advanced> {
  const newest = await deps.log.latest(state.id)
  if (newest === undefined) throw new Error('a message that was read is missing from the log')
  const seen = toSeen(newest)
  return refusal === 'duplicate' ? { seen, recorded: false } : advance(deps, seen, decide)
}
