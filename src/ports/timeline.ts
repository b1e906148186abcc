/** A copy of all events beside the index, for logs that drop old messages. */

import type { MessageId, TenantId } from '../domain/ids.ts'
import type { MessageEvent } from '../domain/message/events.ts'
import type { Recorded } from './event-log.ts'

export interface Timeline {
  /** Stores events. Existing ones stay as they are. */
  keep(events: readonly Recorded[]): Promise<void>

  /** The events of a message, oldest first. */
  read(tenantId: TenantId, id: MessageId): Promise<readonly MessageEvent[]>
}
