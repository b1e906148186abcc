/**
 * Reads the log for the streams of events: once for all that are up to date, and in pages for those that resume from the
 * past. Neither delays what is being accepted and sent.
 */
import type { TenantId } from '../domain/ids.ts'
import type { Changes, Position } from './event-log.ts'

export interface EventFeed {
  /**
   * Every event from now on, in order. The first page is empty and says where it starts. Ends when `signal` aborts, and
   * rejects when the log cannot be followed any longer.
   */
  live(signal: AbortSignal): AsyncIterable<Changes>

  /**
   * The events of one tenant after a position, in order. A page may be empty, and says how far it reaches. The last page
   * reaches at least to where the log ended at the beginning.
   */
  since(from: Position, tenantId: TenantId, signal: AbortSignal): AsyncIterable<Changes>
}
