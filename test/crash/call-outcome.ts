/**
 * Draws the outcome of one call. In addition to the fault rates, which apply to every call, many schedules target one or
 * two calls, so that each call is interrupted often enough.
 */
import type { SeededRandom } from './random.ts'
import type { Simulation } from './simulation.ts'

export type CallOutcome = 'ok' | 'refused' | 'crash before' | 'crash after' | 'answer lost' | 'stalled'

export type TargetedFault = Readonly<{ step: string; outcome: CallOutcome; share: number }>

/** Parts of call names: the calls around which a message is most easily lost or sent twice. */
const HOT = ['HandoffAttempted', '.send', 'HandoffAccepted', 'HandoffUnknown', 'RetryScheduled', '.lookup']
const STEPS = [
  ...HOT,
  'MessageCreated',
  'HandoffFailed',
  'DeadLettered',
  'MessageExpired',
  'ResendRequested',
  'MessageErased',
  'ProviderAccepted',
  'ProviderDelivered',
  'ProviderDropped',
  'ProviderBounced',
  'breakers.ask',
  'breakers.report',
  'rounds.begin',
  'queue.take',
  'queue.done',
  'queue.release',
  'queue.put',
  'log.load',
  'log.latest',
  'log.shred',
  'log.follow',
  'index.apply',
  'index.position',
  'index.overdue',
  'index.tombstone',
]

const TARGETED_OUTCOMES: readonly CallOutcome[] = [
  'refused',
  'crash before',
  'crash after',
  'answer lost',
  'stalled',
  'stalled',
]

export const drawTargetedFaults = (random: SeededRandom): readonly TargetedFault[] =>
  Array.from({ length: random.integer(0, 2) }, () => ({
    step: random.pick(random.happens(0.5) ? HOT : STEPS),
    outcome: random.pick(TARGETED_OUTCOMES),
    share: random.pick([0.3, 0.6]),
  }))

export function drawCallOutcome(
  { faultRates, targetedFaults, random, isFaultFree }: Simulation,
  call: string,
): CallOutcome {
  if (isFaultFree) return 'ok'
  const hit = targetedFaults.find(({ step, share }) => call.includes(step) && random.happens(share))
  if (hit !== undefined) return hit.outcome
  if (random.happens(faultRates.crashBefore)) return 'crash before'
  if (random.happens(faultRates.crashAfter)) return 'crash after'
  if (random.happens(faultRates.lostAnswer)) return 'answer lost'
  return random.happens(faultRates.refusal) ? 'refused' : 'ok'
}
