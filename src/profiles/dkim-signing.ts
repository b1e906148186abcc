/** Finds the key that signs an email for the domain of its sender. Opened keys are cached in memory and nowhere else. */
import { signingDomainOf } from '../domain/access/sender-claims.ts'
import { toSender } from '../domain/access/senders.ts'
import { liveTenantOf } from '../domain/access/test-mode.ts'
import { openDomainSecrets } from '../engines/crypto/domain-secrets.ts'
import { LruCache } from '../lib/lru-cache.ts'
import type { SendingDomains } from '../ports/sending-domains.ts'
import type { DkimSigning, ProviderContext } from '../providers/kind.ts'

/** Opening a key takes about 20 µs, so this is for the busy domains. */
const MAX_CACHED = 1_000

/** An email without a sender of its own is signed with the key of the provider. */
export function dkimSigningOf(
  domains: Pick<SendingDomains, 'verified'>,
  masterKey: Uint8Array,
): Required<ProviderContext>['dkimSigningFor'] {
  const secrets = openDomainSecrets(masterKey)
  const cache = new LruCache<string, DkimSigning>(MAX_CACHED)
  return ({ tenantId, content }) => {
    const sender = toSender(content)
    const domain = sender && signingDomainOf(domains.verified(), liveTenantOf(tenantId), sender.domains)
    if (domain === undefined) return undefined
    const { name, dkim } = domain
    const key = `${dkim.selector} ${name}`
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const opened = { domain: name, selector: dkim.selector, privateKey: secrets.open(domain) }
    cache.set(key, opened)
    return opened
  }
}
