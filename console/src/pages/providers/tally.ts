/** Messages counted by how far they came. */
import type { Tone } from '../../ui/parts.tsx'
import type { Statuses } from './data.ts'

/** In the order in which they are drawn, from the ground up. */
export const STAGES = ['delivered', 'sent', 'onTheWay', 'expired', 'failed'] as const
export type Stage = (typeof STAGES)[number]

export const STAGE_TONES: Readonly<Record<Stage, Tone>> = {
  delivered: 'good',
  sent: 'info',
  onTheWay: 'quiet',
  expired: 'warn',
  failed: 'bad',
}

/** `finished` are those of which the end is known. */
export type Tally = Readonly<Record<Stage | 'messages' | 'finished', number>>

export function tally(statuses: Statuses): Tally {
  const { queued = 0, sending = 0, sent = 0, delivered = 0, failed = 0, expired = 0 } = statuses
  const onTheWay = queued + sending
  const finished = delivered + failed + expired
  return { messages: onTheWay + sent + finished, onTheWay, sent, delivered, failed, expired, finished }
}

/** The share of the finished that arrived; unknown while nothing has ended. */
export const successOf = ({ delivered, finished }: Tally): number | undefined =>
  finished === 0 ? undefined : delivered / finished
