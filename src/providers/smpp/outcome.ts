/**
 * The outcome of a message, from the results of its parts.
 *
 * | rejected               | accepted | unknown | deferred | the message                                     |
 * |------------------------|----------|---------|----------|-------------------------------------------------|
 * | some                   | some     | ·       | ·        | rejected as PARTLY_REFUSED, no other provider   |
 * | because of the message | none     | ·       | ·        | rejected: no other provider would accept it     |
 * | otherwise, or none     | ·        | some    | ·        | unknown                                         |
 * | some                   | none     | none    | ·        | rejected                                        |
 * | none                   | some     | none    | some     | unknown, PARTLY_SENT: the route says what to do |
 * | none                   | none     | none    | all      | deferred                                        |
 * | none                   | all      | none    | none     | accepted                                        |
 *
 * If the SMSC may have one part, another provider must not send the whole message: the recipient would get it twice.
 */
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { forMessage, unknownOutcome } from '../provider-errors.ts'

/** `messageId` is the SMSC's id of the part; empty if it returned none. */
export type PartResult = Readonly<{ kind: 'accepted'; messageId: string }> | Exclude<SendOutcome, { kind: 'accepted' }>

const PARTLY_REFUSED = forMessage('PARTLY_REFUSED', 'the SMSC accepted some parts of the message and rejected others')
const PARTLY_SENT = unknownOutcome('PARTLY_SENT', 'the SMSC accepted some parts of the message and deferred others')

/** `attemptId` identifies a message whose parts got no id from the SMSC. */
export function toOutcome(results: readonly PartResult[], attemptId: string): SendOutcome {
  const isPartAccepted = results.some(({ kind }) => kind === 'accepted')
  const rejections = results.filter((result) => result.kind === 'rejected')
  const unknown = results.find((result) => result.kind === 'unknown')
  const deferred = results.find((result) => result.kind === 'deferred')
  const [rejection] = rejections

  if (rejection !== undefined && isPartAccepted) return PARTLY_REFUSED
  const ofMessage = rejections.find(({ blame }) => blame === 'message')
  if (ofMessage !== undefined) return ofMessage
  if (unknown !== undefined) return unknown
  if (rejection !== undefined) return rejection
  if (deferred !== undefined) return isPartAccepted ? PARTLY_SENT : deferred
  return { kind: 'accepted', providerMessageId: messageIdsOf(results)[0] ?? attemptId }
}

/** The SMSC's ids of the accepted parts, in order. */
export const messageIdsOf = (results: readonly PartResult[]): readonly string[] =>
  results.flatMap((result) => (result.kind === 'accepted' && result.messageId !== '' ? [result.messageId] : []))
