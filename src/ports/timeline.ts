/** A copy of every message's events beside the index, for where the log may forget old messages. */

import type { MessageId, TenantId } from '../domain/ids.ts'
import type { MessageEvent } from '../domain/message/events.ts'
import type { Recorded } from './event-log.ts'

export interface Timeline {
  /** Keeps events. One that it has already stays as it is. */
  keep(events: readonly Recorded[]): Promise<void>

  /** The events of a tenant's message, oldest first. */
  read(tenantId: TenantId, id: MessageId): Promise<readonly MessageEvent[]>
}
