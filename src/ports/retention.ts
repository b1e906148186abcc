/** Deletes messages that are no longer kept. */
import type { RetentionPolicy } from '../domain/message/retention.ts'
import type { Instant } from '../lib/time.ts'

/** `messages` may be an estimate: counting a large store takes long. `oldest` is the oldest creation time. */
export type StoredMessages = Readonly<{ messages: number; oldest?: Instant }>

export interface Retention {
  /**
   * Deletes up to `limit` messages that the policy no longer keeps, with everything stored about them: index, timeline,
   * content and its key, webhook deliveries and their attempts. Oldest first, within a tenant and channel at least. Returns how many were
   * deleted; fewer than `limit` means that none is left. May be interrupted at any point, and repeated.
   */
  prune(policy: RetentionPolicy, now: Instant, limit: number): Promise<number>

  /** What is stored: for `pombo doctor`. */
  stored(): Promise<StoredMessages>
}
