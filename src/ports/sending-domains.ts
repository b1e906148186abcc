/**
 * The domains that tenants send email from. Every process holds them all in memory, so that neither a sender nor a
 * signature needs a query. Of all tenants only one can have verified a domain.
 */
import type { VerifiedDomains } from '../domain/access/sender-claims.ts'
import type { NewSendingDomain, SendingDomain } from '../domain/access/sending-domain.ts'
import type { TenantId } from '../domain/ids.ts'

export interface SendingDomains {
  /** By name, from memory. */
  list(tenantId: TenantId): readonly SendingDomain[]

  /** Those of all tenants, from memory. */
  verified(): VerifiedDomains

  /** False until this process has loaded them. */
  isLoaded(): boolean

  /**
   * Resolves once every healthy process uses it. Undefined when the tenant has it already; `taken` when it is verified,
   * and another tenant has verified it before.
   */
  add(domain: NewSendingDomain): Promise<SendingDomain | 'taken' | undefined>

  /** Replaces the version that it carries, except the keys. Undefined when that version is gone; `taken` as above. */
  change(domain: SendingDomain): Promise<SendingDomain | 'taken' | undefined>

  /** Destroys its key. True if it existed. */
  remove(tenantId: TenantId, name: string): Promise<boolean>
}
