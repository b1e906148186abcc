/**
 * Accepts a message: answers once `MessageCreated` is durable in the log. An idempotency key decides the message's id and
 * the log refuses a second first event for one id, so a repeated call finds the first message, whatever has crashed since.
 */

import { sizeOf } from '../../domain/email/content-size.ts'
import type { AccountId, MessageId, TenantId } from '../../domain/ids.ts'
import { countryOf } from '../../domain/message/country.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import { type Content, type Form, type Lane, type Message, type Origin, toAsked } from '../../domain/message/message.ts'
import { receiptsWanted } from '../../domain/message/receipt-request.ts'
import { FIRST_CYCLE, toFirstState } from '../../domain/message/state.ts'
import { isExpired } from '../../domain/message/step.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import { EMPTY, type EventLog, type Loaded } from '../../ports/event-log.ts'
import type { Ahead, Ids, KeyNamespace } from '../../ports/world.ts'
import { type SendQuotaDeps, sendQuotaExceeded, type UsedUp } from '../access/quotas.ts'
import { refuse } from '../errors.ts'

export type AcceptDeps = SendQuotaDeps & Readonly<{ log: EventLog; clock: Clock; ids: Ids; ahead?: Ahead }>

export type Submission = Origin &
  Readonly<{
    tenantId: TenantId
    accountId: AccountId
    lane: Lane
    content: Content
    form: Form
    idempotencyKey?: string
    /** `messages` unless given. */
    keyNamespace?: KeyNamespace
    /** The recipient's external id, where the caller gave it: limits may count by it. */
    user?: string
  }>

/** `replayed` marks the answer to a repeated call; all other fields equal those of the first answer. */
export type Accepted = Form & Readonly<{ id: MessageId; createdAt: Instant; replayed: boolean }>

/** How long a key finds its first message; afterwards it names a new one. */
const REPLAY_WINDOW = seconds(48 * 60 * 60)

/** `generation` counts the messages that the key has named before. */
export function accept(deps: AcceptDeps, submission: Submission, generation = 0): Promise<Accepted> {
  return store(deps, submission, toCreated(deps, submission, generation)).then(
    (accepted) => accepted ?? accept(deps, submission, generation + 1),
  )
}

/**
 * Appends the first event of a message, or finds the message that the key has named before. Undefined when that one is
 * older than the replay window: then the key names its next generation.
 */
export function store(deps: AcceptDeps, submission: Submission, event: MessageEvent): Promise<Accepted | undefined> {
  const { id, tenantId, lane, createdAt, segments, encoding } = event.state
  const { content } = submission
  if (isExpired(event.state, createdAt)) return refuseExpired(deps, submission)
  const usedUp = deps.sendQuotas?.usedUp(tenantId)
  if (usedUp !== undefined) return refuseOverQuota(deps, submission, usedUp)
  return deps.log
    .append({ seen: EMPTY, event, content, job: { messageId: id, tenantId, lane } })
    .then((result) =>
      result.kind === 'appended'
        ? { id, createdAt, segments, encoding, replayed: false }
        : replayStored(deps, id, submission),
    )
}

async function replayStored(deps: AcceptDeps, id: MessageId, submission: Submission): Promise<Accepted | undefined> {
  const first = await deps.log.load(id)
  if (first === undefined) throw new Error('the log refused a message it does not have')
  return replay(deps, first, submission)
}

/** The first answer again, where this call repeats an earlier one. Stores nothing. */
export async function findEarlier(deps: AcceptDeps, submission: Submission): Promise<Accepted | undefined> {
  const found = await findEarlierOrNext(deps, submission)
  return typeof found === 'number' ? undefined : found
}

/** The same; where there is no earlier call, the generation of the message that this one names. */
export async function findEarlierOrNext(deps: AcceptDeps, submission: Submission): Promise<Accepted | number> {
  const { idempotencyKey: key } = submission
  if (key === undefined) return 0
  for (let generation = 0; ; generation += 1) {
    const first = await deps.log.load(toKeyedId(deps, submission, key, generation))
    if (first === undefined) return generation
    const earlier = replay(deps, first, submission)
    if (earlier !== undefined) return earlier
  }
}

/** Refuses a deadline in the past, unless the call repeats one that was in time. */
async function refuseExpired(deps: AcceptDeps, submission: Submission): Promise<Accepted> {
  const earlier = await findEarlier(deps, submission)
  if (earlier !== undefined) return earlier
  const problem = { path: '/expires_at', message: 'must be in the future' }
  throw refuse('VALIDATION_ERROR', `${problem.path} ${problem.message}`, [problem])
}

/** Refuses a message that the tenant has no room for, unless the call repeats one that had. */
export async function refuseOverQuota(deps: AcceptDeps, submission: Submission, usedUp: UsedUp): Promise<Accepted> {
  const earlier = await findEarlier(deps, submission)
  if (earlier !== undefined) return earlier
  throw sendQuotaExceeded(usedUp)
}

/** The first answer again, or undefined after the replay window. */
function replay(deps: AcceptDeps, first: Loaded, { content }: Submission): Accepted | undefined {
  const { id, createdAt, segments, encoding } = first.event.state
  if (later(createdAt, REPLAY_WINDOW) <= deps.clock()) return undefined
  // After erasure the payloads cannot be compared; the key still must not send twice.
  if (first.content !== undefined && !isSame(first.content, content)) {
    throw refuse(
      'IDEMPOTENCY_MISMATCH',
      'This idempotency key was used with a different payload in the last 48 hours; use a new key',
    )
  }
  return { id, createdAt, segments, encoding, replayed: true }
}

/** Content is built field by field in one order, so equal requests have equal JSON. */
const isSame = (one: Content, other: Content): boolean =>
  JSON.stringify(toAsked(one)) === JSON.stringify(toAsked(other))

const toKeyedId = ({ ids }: AcceptDeps, submission: Submission, key: string, generation: number): MessageId => {
  const { tenantId, accountId, keyNamespace: namespace = 'messages' } = submission
  return ids.keyedMessageId({ tenantId, accountId, namespace, key, generation })
}

/** The first event of a message. */
export function toCreated(deps: AcceptDeps, submission: Submission, generation: number): MessageEvent {
  const { tenantId, accountId, lane, content, form, idempotencyKey: key, traceId } = submission
  const { clock, ids } = deps
  const at = clock()
  const id = key === undefined ? ids.messageId(at) : toKeyedId(deps, submission, key, generation)
  const message: { -readonly [Field in keyof Message]: Message[Field] } = {
    id,
    tenantId,
    accountId,
    channel: content.channel,
    kind: content.kind,
    lane,
    segments: form.segments,
    encoding: form.encoding,
    createdAt: at,
    traceId,
  }
  const contentSize = sizeOf(content)
  const country = content.channel === 'sms' ? countryOf(content.to) : undefined
  if (content.expiresAt !== undefined) message.expiresAt = toDeadline(deps, content, content.expiresAt)
  if (content.callbackUrl !== undefined) message.callback = true
  if (contentSize !== undefined) message.contentSize = contentSize
  if (submission.httpRequestId !== undefined) message.httpRequestId = submission.httpRequestId
  if (country !== undefined) message.country = country
  if (submission.unsampled !== undefined) message.unsampled = submission.unsampled
  if (submission.batchId !== undefined) message.batchId = submission.batchId
  if (content.template !== undefined) message.template = content.template.name
  const receipts = content.receipt && receiptsWanted(content.receipt.registered)
  if (receipts !== undefined) message.receipts = receipts
  const state = toFirstState(message)
  const fact = { kind: 'MessageCreated' } as const
  const eventId = ids.eventId({ messageId: id, cycle: FIRST_CYCLE, attempt: 0 }, fact.kind, '')
  const event = { id: eventId, cycle: FIRST_CYCLE, attempt: 0, at, traceId, fact, state }
  return submission.cause === undefined ? event : { ...event, cause: submission.cause }
}

/** A caller means its deadline by the wall clock, and we keep it by ours. The deadline of a code is already by ours. */
const toDeadline = ({ ahead }: AcceptDeps, { otp }: Content, expiresAt: Instant): Instant =>
  otp === undefined && ahead !== undefined ? later(expiresAt, ahead()) : expiresAt
