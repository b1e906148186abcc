/**
 * The outcome of handing a message to a provider.
 *
 * `deferred` means that the provider was not reached or said that it did not take the message, `unknown` that it may
 * have it. Only the former is retried without asking first. `originalCode` is the provider's own code, which ours stands
 * for.
 */
import type { Millis } from '../../lib/time.ts'

export type SendOutcome =
  /** With `noDeliveryReports` no delivery report will follow. */
  | Readonly<{ kind: 'accepted'; providerMessageId: string; noDeliveryReports?: true }>
  /** `suppresses`: no more email may be sent to the recipient. */
  | Readonly<{
      kind: 'rejected'
      blame: 'message' | 'provider'
      code: string
      originalCode?: string
      detail: string
      suppresses?: 'hard_bounce'
    }>
  /**
   * `retryAfter` is zero when the provider named no wait. `blame` is the cause if not the provider: the recipient is
   * unreachable for now, or our account has used up its quota.
   */
  | Readonly<{
      kind: 'deferred'
      code: string
      originalCode?: string
      detail: string
      retryAfter: Millis
      blame?: 'recipient' | 'account'
    }>
  | Readonly<{ kind: 'unknown'; code: string; originalCode?: string; detail: string }>
