/** Message counts by stage. */
import type { Tone } from '../../ui/parts.tsx'
import type { Statuses } from './data.ts'

/** In drawing order, from the bottom up. */
export const STAGES = ['delivered', 'sent', 'inProgress', 'expired', 'failed'] as const
export type Stage = (typeof STAGES)[number]

export const STAGE_TONES: Readonly<Record<Stage, Tone>> = {
  delivered: 'good',
  sent: 'sent',
  inProgress: 'info',
  expired: 'warn',
  failed: 'bad',
}

/** `finished`: delivered, failed or expired. */
export type Tally = Readonly<Record<Stage | 'messages' | 'finished', number>>

export function tally(statuses: Statuses): Tally {
  const { queued = 0, sending = 0, sent = 0, delivered = 0, failed = 0, expired = 0 } = statuses
  const inProgress = queued + sending
  const finished = delivered + failed + expired
  return { messages: inProgress + sent + finished, inProgress, sent, delivered, failed, expired, finished }
}

/** The share of finished messages that were delivered; undefined if none has finished. */
export const successOf = ({ delivered, finished }: Tally): number | undefined =>
  finished === 0 ? undefined : delivered / finished
