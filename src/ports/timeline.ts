/** A copy of all events beside the index, for logs that drop old messages. */

import type { MessageId, TenantId } from '../domain/ids.ts'
import type { MessageEvent } from '../domain/message/events.ts'
import type { Encoded, EventsPage, EventsQuery, Recorded } from './event-log.ts'

export type Kept = Recorded & Readonly<{ encoded?: Encoded }>

export interface Timeline {
  /** Stores events. Existing ones stay as they are. The events of one message come in order, all calls together. */
  keep(events: readonly Kept[]): Promise<void>

  /** The events of a message, oldest first. */
  read(tenantId: TenantId, id: MessageId): Promise<readonly MessageEvent[]>

  /** Some of them; undefined if there are none. */
  page(tenantId: TenantId, id: MessageId, query: EventsQuery): Promise<EventsPage | undefined>
}
