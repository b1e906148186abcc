/** The secrets of sending domains: the tokens that prove ownership, and the keys that sign email. */
import type { SendingDomain } from '../domain/access/sending-domain.ts'

/** Whom the secrets are for. */
export type DomainOwner = Pick<SendingDomain, 'tenantId' | 'name'>

export interface DomainSecrets {
  /** A new token, and a new key that is sealed. Takes a moment; `Unavailable` while the tenant has many others made. */
  create(owner: DomainOwner): Promise<Pick<SendingDomain, 'token' | 'dkim'>>

  /** The private key, in PEM. Throws when it was sealed under another master key or for another domain. */
  open(domain: Pick<SendingDomain, 'tenantId' | 'name' | 'dkim'>): string
}
