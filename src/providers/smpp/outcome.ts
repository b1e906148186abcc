/**
 * What became of a message, by what became of its parts.
 *
 * | refused for good       | taken | lost | left | the message                                     |
 * |------------------------|-------|------|------|-------------------------------------------------|
 * | some                   | some  | ·    | ·    | rejected, and nowhere else: PARTLY_REFUSED      |
 * | for the message's sake | none  | ·    | ·    | rejected by that: it fares no better anywhere   |
 * | otherwise, or none     | ·     | some | ·    | unknown                                         |
 * | some                   | none  | none | ·    | rejected by that                                |
 * | none                   | some  | none | some | unknown, PARTLY_SENT: the route says what to do |
 * | none                   | none  | none | all  | deferred                                        |
 * | none                   | all   | none | none | accepted                                        |
 *
 * Whoever is sent part of a message and the whole by somebody else has been sent it twice; therefore a
 * message of which one part may be with the SMSC is never handed on as if it were not.
 */
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { forMessage, type Rejection, type UnknownOutcome, unknownOutcome } from '../provider-errors.ts'

export type PartResult =
  /** `name` is what the SMSC calls it; empty where it does not say. */
  | Readonly<{ kind: 'taken'; name: string }>
  | Readonly<{ kind: 'refused'; outcome: Rejection }>
  /** It was written, and nobody knows whether the SMSC took it. */
  | Readonly<{ kind: 'lost'; outcome: UnknownOutcome }>
  /** The SMSC certainly does not have it, and may take it later. */
  | Readonly<{ kind: 'left'; outcome: Extract<SendOutcome, { kind: 'deferred' }> }>

const PARTLY_REFUSED = forMessage('PARTLY_REFUSED', 'the SMSC took some parts of the message and refused others')
const PARTLY_SENT = unknownOutcome('PARTLY_SENT', 'the SMSC took some parts of the message and not yet the others')

/** `own` names a message that the SMSC took without naming any part of it. */
export function toOutcome(results: readonly PartResult[], own: string): SendOutcome {
  const of = <Kind extends PartResult['kind']>(kind: Kind) =>
    results.filter((result): result is Extract<PartResult, { kind: Kind }> => result.kind === kind)
  const taken = of('taken')
  const refusals = of('refused').map(({ outcome }) => outcome)
  const [refusal] = refusals
  const [lost] = of('lost')
  const [left] = of('left')

  if (refusal !== undefined && taken.length > 0) return PARTLY_REFUSED
  const final = refusals.find(({ blame }) => blame === 'message')
  if (final !== undefined) return final
  if (lost !== undefined) return lost.outcome
  if (refusal !== undefined) return refusal
  if (left !== undefined) return taken.length > 0 ? PARTLY_SENT : left.outcome
  return { kind: 'accepted', providerMessageId: namesOf(results)[0] ?? own }
}

/** What the SMSC calls the parts it took, in their order. */
export const namesOf = (results: readonly PartResult[]): readonly string[] =>
  results.flatMap((result) => (result.kind === 'taken' && result.name !== '' ? [result.name] : []))
