/**
 * The ids of streamed events. An id stands for a position in the log, which would reveal how much all tenants send, so it
 * is unreadable, and means something to its tenant only.
 */
import type { TenantId } from '../domain/ids.ts'
import type { Position } from './event-log.ts'

export interface EventCursors {
  toId(tenantId: TenantId, position: Position): string

  /** Undefined if it is not an id of this tenant. */
  toPosition(tenantId: TenantId, id: string): Position | undefined
}
