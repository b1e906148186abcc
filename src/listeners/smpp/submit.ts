/**
 * Submits a short message: accepted whole, or as a part that waits for the others. The answer leaves once the log has the
 * message, or the store has the part.
 */
import { randomUUID } from 'node:crypto'
import type { Caller } from '../../domain/access/caller.ts'
import type { MessageId } from '../../domain/ids.ts'
import { senderProblem } from '../../flows/access/check-sender.ts'
import { unsendable } from '../../flows/access/unsendable.ts'
import { Refusal, refuse } from '../../flows/errors.ts'
import type { Submission } from '../../flows/send/accept.ts'
import { type AdmitDeps, admit } from '../../flows/send/admit.ts'
import { unroutable } from '../../flows/send/unroutable.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, later, type Millis, seconds } from '../../lib/time.ts'
import type { PartialMessage, PartialMessages, PartSealer } from '../../ports/partial-messages.ts'
import type { Ids } from '../../ports/world.ts'
import { type PartOf, unwrap } from './concatenation.ts'
import { openPart, type PartContent, sealPart, toJointDraft } from './parts.ts'
import { STATUS } from './pdu.ts'
import type { SubmitRequest } from './requests.ts'
import { Answered } from './statuses.ts'
import { type Draft, decode, readTerms, type SubmissionDeps, toSubmission } from './submission.ts'

/** Enough to answer a part that is sent again because its answer got lost: later, the reference is used again. */
const JOINED_KEPT_FOR = seconds(90)

/** A part for a phone has up to 160, and short_message no room for more. */
const MOST_OCTETS = 255
/** Of what UCS-2 takes three parts for, we may send less than two in GSM 03.38. */
const MOST_TIMES = 3

export type SubmitDeps = AdmitDeps &
  SubmissionDeps &
  Readonly<{
    partialMessages: Pick<PartialMessages, 'add' | 'complete' | 'retract'>
    partSealer: PartSealer
    /** How long the parts of a message may take to arrive. */
    joinWithin: Millis
    /** Called for each message that was accepted, with the seconds it took. */
    onAccepted?: (seconds: number) => void
  }>

/** Of one of many destinations. `receiptId`: the id that receipts name instead of the message's own. */
export type SubmitOptions = Readonly<{ receiptId?: string; isOneOfMany?: boolean }>

/** Resolves to the message id of the answer. Rejects with what `statusOf` knows, or a fault. */
export async function submit(
  deps: SubmitDeps,
  caller: Caller,
  request: SubmitRequest,
  { receiptId, isOneOfMany = false }: SubmitOptions = {},
): Promise<string> {
  const now = deps.clock()
  const { coding, idempotencyKey: key, validityPeriod, ...terms } = readTerms(request, deps, now)
  const unwrapped = unwrap(request)
  if (unwrapped === undefined) throw new Answered(STATUS.invalidEsmClass)
  const { octets, part } = unwrapped
  if (part !== undefined) checkSize(deps, part, octets)
  const text = decode(octets, coding)
  const { source, destination, registered } = request
  const idempotencyKey = isOneOfMany && key !== undefined ? `${key}\n${JSON.stringify(destination)}` : key
  const receipt = { registered: [registered], ...omitUndefined({ id: receiptId, validityPeriod }) }
  const draft: Draft = { source, destination, text, isFlash: coding.isFlash, ...terms, idempotencyKey, receipt }
  if (part !== undefined) return submitPart(deps, caller, { draft, octets, coding: request.coding, part, now })
  return send(deps, toSubmission(caller, draft, deps))
}

async function send(deps: SubmitDeps, submission: Submission): Promise<MessageId> {
  const startedAt = performance.now()
  const { id } = await admit(deps, submission)
  deps.onAccepted?.((performance.now() - startedAt) / 1000)
  return id
}

type Part = Readonly<{ draft: Draft; octets: Buffer; coding: number; part: PartOf; now: Instant }>

/** Of the text, everything is known only with the last part: the rest is checked with each, so that refusals come early. */
async function submitPart(
  deps: SubmitDeps,
  caller: Caller,
  { draft, octets, coding, part, now }: Part,
): Promise<string> {
  const { tenantId, accountId } = caller
  const { source, destination, receipt, lane, expiresAt } = draft
  checkTerms(deps, toSubmission(caller, { ...draft, text: SAMPLE }, deps))
  const { digest } = deps.partSealer
  const { number, total, reference } = part
  const joint = digest(tenantId, accountId, JSON.stringify([source, destination]), reference, String(total))
  const [registered = 0] = receipt.registered
  const terms: PartContent = { octets, coding, source, destination, registered, lane, expiresAt }
  const content = { ...terms, ...omitUndefined({ receiptId: receipt.id }) }
  const added = await deps.partialMessages.add({
    ...{ tenantId, accountId, joint, number, total },
    id: randomUUID(),
    digest: digest(octets, String(coding)),
    sealed: deps.partSealer.seal({ joint, number }, sealPart(content)),
    at: now,
    until: later(now, deps.joinWithin),
  })
  if (!added.joined && added.parts.length === total) await join(deps, caller, added, number)
  return partIdOf(receipt.id ?? messageIdOf(deps, added), number)
}

function checkSize({ maxParts }: SubmitDeps, { total }: PartOf, octets: Buffer): void {
  const isTooLong = octets.length > MOST_OCTETS || total > MOST_TIMES * maxParts
  if (isTooLong) throw new Answered(STATUS.invalidMessageLength)
}

const SAMPLE = 'text'

function checkTerms(deps: SubmitDeps, submission: Submission): void {
  const { tenantId, content } = submission
  const refusal = unsendable(deps, tenantId, content.channel) ?? unroutable(deps, submission)
  if (refusal !== undefined) throw refusal
  const problem = senderProblem(deps, tenantId, content)
  if (problem !== undefined) throw refuse('SENDER_NOT_ALLOWED', `The sender is not allowed: ${problem.message}`)
}

/** Whoever joins it, and however often: the message has one id, so the log accepts it once. */
async function join(deps: SubmitDeps, caller: Caller, message: PartialMessage, last: number): Promise<void> {
  const parts = message.parts.map(({ number, sealed }) =>
    openPart(deps.partSealer.open({ joint: message.joint, number, sealed })),
  )
  const draft = toJointDraft(parts, keyOf(message))
  try {
    await send(deps, toSubmission(caller, draft, deps))
  } catch (error) {
    // The client may send this part again: nobody was told that it was taken.
    if (error instanceof Refusal || error instanceof Answered) await deps.partialMessages.retract(message.id, last)
    throw error
  }
  await deps.partialMessages.complete(message.id, later(deps.clock(), JOINED_KEPT_FOR))
}

const keyOf = ({ id }: PartialMessage): string => `smpp parts ${id}`

/** Known before the message is stored. */
export const messageIdOf = (
  { ids }: Readonly<{ ids: Pick<Ids, 'keyedMessageId'> }>,
  message: PartialMessage,
): MessageId => {
  const { tenantId, accountId } = message
  return ids.keyedMessageId({ tenantId, accountId, namespace: 'messages', key: keyOf(message), generation: 0 })
}

/** Each part has an id of its own, which names the message. */
export const partIdOf = (id: string, number: number): string => (number === 1 ? id : `${id}-${number}`)

const SUFFIX = /-\d{1,3}$/

/** The id of the message that a part is of. A UUID ends with twelve digits, so it is never cut. */
export const wholeIdOf = (partId: string): string => partId.replace(SUFFIX, '')
