/** The webhook endpoints of customers: their settings and their health. */

import type { AccountId, EndpointId, TenantId } from '../domain/ids.ts'
import type { DisabledReason, Endpoint } from '../domain/webhooks/endpoint.ts'
import type { Instant } from '../lib/time.ts'

export type EndpointKey = Readonly<{ tenantId: TenantId; accountId: AccountId; id: EndpointId }>
/** The store assigns the first version, unless it is imported. */
export type NewEndpoint = Omit<Endpoint, 'version' | 'failingSince'> & Partial<Pick<Endpoint, 'version'>>

/** How many endpoints an account may have, and how many all accounts of a tenant together. */
export type MostEndpoints = Readonly<{ account: number; tenant: number }>

export interface Endpoints {
  /** Undefined when the account already has this id, or when it or its tenant has no room for another one. */
  add(endpoint: NewEndpoint, most?: MostEndpoints): Promise<Endpoint | undefined>

  find(key: EndpointKey): Promise<Endpoint | undefined>

  /** All endpoints of an account, oldest first; of all accounts if none is given. */
  list(of?: Readonly<{ tenantId: TenantId; accountId: AccountId }>): Promise<readonly Endpoint[]>

  /**
   * Replaces the version that it carries. Undefined when that version is gone. Keeps `failingSince`, except that an
   * endpoint that is enabled again starts without it.
   */
  change(endpoint: Endpoint): Promise<Endpoint | undefined>

  /** Removes its webhook deliveries too. True if it existed. */
  remove(key: EndpointKey): Promise<boolean>

  /**
   * Records the result of a delivery: `well`, or failing since `at` unless already failing; `gone` disables it at once.
   * Returns the reason if this call disabled it, because it has been failing since before `longestFailing` or is gone.
   */
  judge(key: EndpointKey, finding: Finding): Promise<DisabledReason | undefined>
}

export type Finding =
  | Readonly<{ kind: 'well' }>
  | Readonly<{ kind: 'failing'; at: Instant; longestFailing: Instant }>
  | Readonly<{ kind: 'gone' }>
