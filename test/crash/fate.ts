/**
 * What becomes of one call. Besides the weather, which strikes anywhere, many schedules take aim at
 * one step or two: a crash between any two steps means that each step must be struck often enough.
 */
import type { Chance } from './chance.ts'
import type { Simulation } from './simulation.ts'

export type Fate = 'taken' | 'refused' | 'crash before' | 'crash after' | 'answer lost' | 'stalled'

export type Aim = Readonly<{ step: string; fate: Fate; share: number }>

/** Parts of the names of calls. Around the first few a message is most easily lost or doubled. */
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
  'breakers.tell',
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
  'index.neglected',
  'index.tombstone',
]

const AIMED: readonly Fate[] = ['refused', 'crash before', 'crash after', 'answer lost', 'stalled', 'stalled']

export const toAims = (chance: Chance): readonly Aim[] =>
  Array.from({ length: chance.between(0, 2) }, () => ({
    step: chance.pick(chance.happens(0.5) ? HOT : STEPS),
    fate: chance.pick(AIMED),
    share: chance.pick([0.3, 0.6]),
  }))

export function drawFate({ weather, aims, chance, isCalm }: Simulation, call: string): Fate {
  if (isCalm) return 'taken'
  const struck = aims.find(({ step, share }) => call.includes(step) && chance.happens(share))
  if (struck !== undefined) return struck.fate
  if (chance.happens(weather.crashBefore)) return 'crash before'
  if (chance.happens(weather.crashAfter)) return 'crash after'
  if (chance.happens(weather.lostAnswer)) return 'answer lost'
  return chance.happens(weather.refusal) ? 'refused' : 'taken'
}
