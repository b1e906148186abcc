/** The endpoints of customers: what is set up by them, and what calling them has shown. */

import type { AccountId, EndpointId, TenantId } from '../domain/ids.ts'
import type { DisabledReason, Endpoint } from '../domain/webhooks/endpoint.ts'
import type { Instant } from '../lib/time.ts'

export type EndpointKey = Readonly<{ tenantId: TenantId; accountId: AccountId; id: EndpointId }>
/** Its first version is given to it, unless it comes from elsewhere. */
export type NewEndpoint = Omit<Endpoint, 'version' | 'failingSince'> & Partial<Pick<Endpoint, 'version'>>

export interface Endpoints {
  /** Undefined when the account has one of that id. */
  add(endpoint: NewEndpoint): Promise<Endpoint | undefined>

  find(key: EndpointKey): Promise<Endpoint | undefined>

  /** All of an account, oldest first; of all tenants and accounts where none is named. */
  list(of?: Readonly<{ tenantId: TenantId; accountId: AccountId }>): Promise<readonly Endpoint[]>

  /**
   * Puts it in the place of the version that it carries. Undefined when that is gone, or was changed meanwhile.
   * Whether it is failing is left as it is, save that one that is no longer disabled begins anew.
   */
  change(endpoint: Endpoint): Promise<Endpoint | undefined>

  /** Its webhook deliveries go with it. Whether there was one. */
  remove(key: EndpointKey): Promise<boolean>

  /**
   * What calling it has shown: well, or failing since `at` unless it was failing before; `gone` disables it at
   * once. Answers the reason when this call disabled it: where it has been failing since before `longestFailing`.
   */
  judge(key: EndpointKey, finding: Finding): Promise<DisabledReason | undefined>
}

export type Finding =
  | Readonly<{ kind: 'well' }>
  | Readonly<{ kind: 'failing'; at: Instant; longestFailing: Instant }>
  | Readonly<{ kind: 'gone' }>
