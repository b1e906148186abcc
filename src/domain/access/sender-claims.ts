/**
 * Decides whether a tenant may use a sender. A tenant that has a claim to it may: its own list covers the sender, or it
 * has verified the domain of an email. Others may unless they have a list, or somebody else has a claim to it, or to a
 * sender id that looks like it. Only an email comes from a domain, but a verified one keeps others from the sender id.
 */
import type { TenantId } from '../ids.ts'
import { lookalikeOf, parseSenderRule, type Sender, type SenderKey } from './senders.ts'
import type { SendingDomain } from './sending-domain.ts'
import type { Tenant } from './tenant.ts'

/** The tenants whose lists have a rule, and what the others may not use because of it. */
export type ListedSenders = Readonly<{
  holders: ReadonlyMap<SenderKey, ReadonlySet<TenantId>>
  taken: ReadonlySet<SenderKey>
}>

/** Verified domains by name. */
export type VerifiedDomains = ReadonlyMap<string, SendingDomain>

export type SenderClaims = Readonly<{ listed: ListedSenders; verified: VerifiedDomains }>

export function toListed(tenants: readonly Pick<Tenant, 'id' | 'senders'>[]): ListedSenders {
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
  return { holders, taken: new Set([...holders.keys()].flatMap((key) => [key, lookalikeOf(key)])) }
}

export type SenderVerdict = 'allowed' | 'not_listed' | 'of_another'

/** `tenant.hasList`: it may use only what its list or its verified domains cover. */
export function judgeSender(
  { channel, keys, lookalikes, domains }: Sender,
  tenant: Readonly<{ id: TenantId; hasList: boolean }>,
  { listed: { holders, taken }, verified }: SenderClaims,
): SenderVerdict {
  const verifier = closestVerified(verified, domains)?.tenantId
  const hasVerified = verifier === tenant.id
  if (hasVerified && channel === 'email') return 'allowed'
  if (keys.some((key) => holders.get(key)?.has(tenant.id))) return 'allowed'
  if (tenant.hasList) return 'not_listed'
  const isOfAnother = verifier !== undefined && !hasVerified
  return isOfAnother || lookalikes.some((key) => taken.has(key)) ? 'of_another' : 'allowed'
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
