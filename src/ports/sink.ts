/** A broker that integration events are published on, for programs outside Pombo. */
import type { MessageId } from '../domain/ids.ts'

/**
 * `id` is the same whenever the event is published again. Events of one message have the same `messageId`, and keep their
 * order.
 */
export type SinkEvent = Readonly<{ id: string; type: string; messageId: MessageId; body: string }>

export interface Sink extends AsyncDisposable {
  /**
   * Resolves once the broker has stored all of them. If it rejects with `Unavailable`, any of them may have been stored;
   * the caller publishes them again.
   */
  publish(events: readonly SinkEvent[]): Promise<void>
}
