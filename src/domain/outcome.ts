/**
 * What became of handing a message to a provider.
 *
 * `deferred` means the provider certainly does not have it, `unknown` that it may. The two are kept
 * apart because only the first may be sent again without risking a duplicate.
 */
import type { Millis } from './time.ts'

export type SendOutcome =
  | Readonly<{ kind: 'accepted'; providerMessageId: string }>
  | Readonly<{ kind: 'rejected'; blame: 'message' | 'provider'; code: string; detail: string }>
  /** `retryAfter` is zero when the provider named no wait. `blame` says that the provider itself is well. */
  | Readonly<{ kind: 'deferred'; code: string; detail: string; retryAfter: Millis; blame?: 'recipient' }>
  | Readonly<{ kind: 'unknown'; code: string; detail: string }>
