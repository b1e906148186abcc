/**
 * What became of handing a message to a provider.
 *
 * `deferred` means that the provider was not reached or answered that it did not take the message, `unknown` that
 * it may have it. The two are kept apart because only the first is retried without asking anybody.
 */
import type { Millis } from '../../lib/time.ts'

export type SendOutcome =
  /** `quiet` says that the provider will not tell of its delivery: to hear nothing more is the good news. */
  | Readonly<{ kind: 'accepted'; providerMessageId: string; noDeliveryReports?: true }>
  /** `suppresses` says that mail to the recipient is not to be tried again. */
  | Readonly<{
      kind: 'rejected'
      blame: 'message' | 'provider'
      code: string
      detail: string
      suppresses?: 'hard_bounce'
    }>
  /**
   * `retryAfter` is zero when the provider named no wait. `blame` says whom it is up to, where not the provider:
   * the recipient cannot be reached just now, or our account there has used up what it may send.
   */
  | Readonly<{ kind: 'deferred'; code: string; detail: string; retryAfter: Millis; blame?: 'recipient' | 'account' }>
  | Readonly<{ kind: 'unknown'; code: string; detail: string }>
