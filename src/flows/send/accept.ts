/**
 * Takes a message in. The answer is given once `MessageCreated` is safe in the log, and the log
 * refuses a second first event for one id; so where an idempotency key decides the id, a repeated
 * call finds the first one's message, whatever crashed or forgot in between.
 */

import { weightOf } from '../../domain/email/content-size.ts'
import type { AccountId, MessageId, TenantId, TraceId } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import { type Content, type Form, type Lane, toAsked } from '../../domain/message/message.ts'
import { FIRST_CYCLE, toFirstState } from '../../domain/message/state.ts'
import { isExpired } from '../../domain/message/step.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import { EMPTY, type EventLog, type Loaded } from '../../ports/event-log.ts'
import type { Ahead, Ids } from '../../ports/world.ts'
import { refuse } from '../errors.ts'

export type AcceptDeps = Readonly<{ log: EventLog; clock: Clock; ids: Ids; ahead?: Ahead }>

export type Submission = Readonly<{
  tenantId: TenantId
  accountId: AccountId
  lane: Lane
  content: Content
  form: Form
  idempotencyKey?: string
  traceId: TraceId
  /** What the tenant calls the one it is for, where it said so: limits may count it. */
  user?: string
  /** What must be there before the message is. */
  prepare?: (id: MessageId) => Promise<void>
}>

/** `replayed` tells an answer given before from a new one; apart from it the two are equal. */
export type Accepted = Form & Readonly<{ id: MessageId; createdAt: Instant; replayed: boolean }>

/** How long a key answers for the first message; after that it may name a new one. */
const REPLAY_WINDOW = seconds(48 * 60 * 60)

export async function accept(deps: AcceptDeps, submission: Submission): Promise<Accepted> {
  for (let generation = 0; ; generation += 1) {
    const event = toCreated(deps, submission, generation)
    const { id, tenantId, lane, createdAt, segments, encoding } = event.state
    const { content, prepare } = submission
    if (isExpired(event.state, createdAt)) return tooLate(deps, submission)
    if (prepare !== undefined) await prepare(id)
    const result = await deps.log.append({ seen: EMPTY, event, content, job: { messageId: id, tenantId, lane } })
    if (result.kind === 'appended') return { id, createdAt, segments, encoding, replayed: false }

    const first = await deps.log.load(id)
    if (first === undefined) throw new Error('the log refused a message it does not have')
    const earlier = replay(deps, first, submission)
    if (earlier !== undefined) return earlier
  }
}

/** The first answer again, where this call repeats an earlier one; nothing is taken in. */
export async function findEarlier(deps: AcceptDeps, submission: Submission): Promise<Accepted | undefined> {
  const { tenantId, accountId, idempotencyKey: key } = submission
  if (key === undefined) return undefined
  for (let generation = 0; ; generation += 1) {
    const first = await deps.log.load(deps.ids.keyedMessageId({ tenantId, accountId, key, generation }))
    if (first === undefined) return undefined
    const earlier = replay(deps, first, submission)
    if (earlier !== undefined) return earlier
  }
}

/** A deadline in the past is refused, unless the call repeats one that was in time. */
async function tooLate(deps: AcceptDeps, submission: Submission): Promise<Accepted> {
  const earlier = await findEarlier(deps, submission)
  if (earlier !== undefined) return earlier
  const problem = { path: '/expires_at', message: 'must be in the future' }
  throw refuse('VALIDATION_ERROR', `${problem.path} ${problem.message}`, [problem])
}

/** The first answer again, or undefined when its time is over. */
function replay(deps: AcceptDeps, first: Loaded, { content }: Submission): Accepted | undefined {
  const { id, createdAt, segments, encoding } = first.event.state
  if (later(createdAt, REPLAY_WINDOW) <= deps.clock()) return undefined
  // After erasure nobody can tell whether the payload is the same; the key still must not send twice.
  if (first.content !== undefined && !isSame(first.content, content)) {
    throw refuse(
      'IDEMPOTENCY_MISMATCH',
      'This idempotency key was used with a different payload in the last 48 hours; use a new key',
    )
  }
  return { id, createdAt, segments, encoding, replayed: true }
}

/** Content is built field by field in one order, so what asks for the same has equal text. */
const isSame = (one: Content, other: Content): boolean =>
  JSON.stringify(toAsked(one)) === JSON.stringify(toAsked(other))

function toCreated(deps: AcceptDeps, submission: Submission, generation: number): MessageEvent {
  const { tenantId, accountId, lane, content, form, idempotencyKey: key, traceId } = submission
  const { clock, ids } = deps
  const at = clock()
  const weight = weightOf(content)
  const id = key === undefined ? ids.messageId(at) : ids.keyedMessageId({ tenantId, accountId, key, generation })
  const state = toFirstState({
    id,
    tenantId,
    accountId,
    channel: content.channel,
    kind: content.kind,
    lane,
    segments: form.segments,
    encoding: form.encoding,
    createdAt: at,
    ...deadlineOf(deps, content),
    ...(content.callbackUrl === undefined ? {} : { callback: true }),
    ...(weight === undefined ? {} : { weight }),
    traceId,
  })
  const kind = 'MessageCreated'
  const ref = { messageId: id, cycle: FIRST_CYCLE, attempt: 0 }
  return { id: ids.eventId(ref, kind, ''), cycle: FIRST_CYCLE, attempt: 0, at, traceId, fact: { kind }, state }
}

/** A caller's deadline is meant by the wall clock and kept by ours; that of a code is ours already. */
function deadlineOf({ ahead }: AcceptDeps, { expiresAt, otp }: Content): Readonly<{ expiresAt?: Instant }> {
  if (expiresAt === undefined) return {}
  return { expiresAt: otp === undefined && ahead !== undefined ? later(expiresAt, ahead()) : expiresAt }
}
