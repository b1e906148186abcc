/** All sending domains in memory. Changes may arrive in any order and more than once; the newest version counts. */
import type { TenantId } from '../ids.ts'
import type { VerifiedDomains } from './sender-claims.ts'
import type { SendingDomain } from './sending-domain.ts'

/** A changed or removed domain. */
export type SendingDomainChange = Readonly<{ domain: SendingDomain; removed: boolean }>

export class SendingDomainTable {
  readonly #tenants = new Map<TenantId, Map<string, SendingDomainChange>>()
  readonly #verified = new Map<string, SendingDomain>()

  /** `isInOrder`: no older change can follow, so removed domains need not be remembered. */
  apply(change: SendingDomainChange, isInOrder = true): void {
    const { tenantId, name, version } = change.domain
    const domains = this.#tenants.get(tenantId) ?? new Map<string, SendingDomainChange>()
    const current = domains.get(name)
    if (current !== undefined && current.domain.version > version) return
    if (change.removed && isInOrder) domains.delete(name)
    else domains.set(name, change)
    if (domains.size === 0) this.#tenants.delete(tenantId)
    else this.#tenants.set(tenantId, domains)
    this.#verify(change)
  }

  /** By name. */
  of(tenantId: TenantId): readonly SendingDomain[] {
    const changes = this.#tenants.get(tenantId)?.values() ?? []
    return [...changes]
      .filter(({ removed }) => !removed)
      .map(({ domain }) => domain)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  }

  find(tenantId: TenantId, name: string): SendingDomain | undefined {
    const change = this.#tenants.get(tenantId)?.get(name)
    return change?.removed === false ? change.domain : undefined
  }

  get verified(): VerifiedDomains {
    return this.#verified
  }

  /** A domain may pass to another tenant, and the earlier tenant's last change may arrive later. */
  #verify({ domain, removed }: SendingDomainChange): void {
    const { name, tenantId, verifiedAt, version } = domain
    const current = this.#verified.get(name)
    if (current !== undefined && current.version > version) return
    if (!removed && verifiedAt !== undefined) this.#verified.set(name, domain)
    else if (current?.tenantId === tenantId) this.#verified.delete(name)
  }
}
