/**
 * How far the log has been published on each sink, and which process publishes on it. A process works for a sink as long
 * as its claim lasts; with every position that it stores, it renews the claim.
 */
import type { SinkName } from '../domain/ids.ts'
import type { Instant } from '../lib/time.ts'
import type { Position } from './event-log.ts'

/** `owner` identifies the process; nobody else may claim the sink before `until`. */
export type SinkClaim = Readonly<{ sink: SinkName; owner: string; now: Instant; until: Instant }>

export interface SinkPositions {
  /** The position to publish from, or undefined while another process has the sink. A new sink begins at the end of the log. */
  claim(claim: SinkClaim): Promise<Position | undefined>

  /** Stores the position; false if another process has taken over, and then nothing is stored. */
  advance(claim: SinkClaim, position: Position): Promise<boolean>
}
