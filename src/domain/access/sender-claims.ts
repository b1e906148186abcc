/**
 * Decides whether a tenant may use a sender. A tenant that has a claim to it may: its own list covers the sender, or it
 * has verified the domain. Others may unless they have a list, or somebody else has a claim.
 */
import type { TenantId } from '../ids.ts'
import { parseSenderRule, type Sender, type SenderKey } from './senders.ts'
import type { SendingDomain } from './sending-domain.ts'
import type { Tenant } from './tenant.ts'

/** The tenants whose lists have a rule. */
export type SenderHolders = ReadonlyMap<SenderKey, ReadonlySet<TenantId>>

/** Verified domains by name. */
export type VerifiedDomains = ReadonlyMap<string, SendingDomain>

export type SenderClaims = Readonly<{ holders: SenderHolders; verified: VerifiedDomains }>

export function toHolders(tenants: readonly Pick<Tenant, 'id' | 'senders'>[]): SenderHolders {
  const holders = new Map<SenderKey, Set<TenantId>>()
  for (const { id, senders = [] } of tenants) {
    for (const rule of senders) {
      const key = parseSenderRule(rule)
      if (key === undefined) continue
      const known = holders.get(key)
      if (known === undefined) holders.set(key, new Set([id]))
      else known.add(id)
    }
  }
  return holders
}

export type SenderVerdict = 'allowed' | 'not_listed' | 'of_another'

/** `tenant.hasList`: it may use only what its list or its verified domains cover. */
export function judgeSender(
  { keys, domains }: Sender,
  tenant: Readonly<{ id: TenantId; hasList: boolean }>,
  { holders, verified }: SenderClaims,
): SenderVerdict {
  const verifier = closestVerified(verified, domains)?.tenantId
  if (verifier === tenant.id || keys.some((key) => holders.get(key)?.has(tenant.id))) return 'allowed'
  if (tenant.hasList) return 'not_listed'
  return verifier !== undefined || keys.some((key) => holders.has(key)) ? 'of_another' : 'allowed'
}

/** Verification covers subdomains, unless somebody has verified one that is closer. */
function closestVerified(verified: VerifiedDomains, domains: readonly string[]): SendingDomain | undefined {
  if (verified.size === 0) return undefined
  for (const domain of domains) {
    const found = verified.get(domain)
    if (found !== undefined) return found
  }
  return undefined
}

/** The closest domain of a tenant with a published key, for signing an email. */
export function signingDomainOf(
  verified: VerifiedDomains,
  tenantId: TenantId,
  domains: readonly string[],
): SendingDomain | undefined {
  if (verified.size === 0) return undefined
  for (const domain of domains) {
    const found = verified.get(domain)
    if (found !== undefined && found.tenantId !== tenantId) return undefined
    if (found?.checked?.dkim === 'valid') return found
  }
  return undefined
}
