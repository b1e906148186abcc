/** Adds a domain to send email from. It is of no use to anybody until its owner has published the records. */
import type { SendingDomain } from '../../domain/access/sending-domain.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DomainSecrets } from '../../ports/domain-secrets.ts'
import type { SendingDomains } from '../../ports/sending-domains.ts'
import { refuse } from '../errors.ts'

export type AddDomainDeps = Readonly<{ domains: SendingDomains; domainSecrets: DomainSecrets; clock: Clock }>

/** Every process keeps all domains of all tenants in memory. */
const MAX_DOMAINS = 100

export async function addDomain(deps: AddDomainDeps, tenantId: TenantId, name: string): Promise<SendingDomain> {
  const { domains, domainSecrets, clock } = deps
  refuseAddition(domains.list(tenantId), name)
  const secrets = await domainSecrets.create({ tenantId, name })
  // Others may have been added while the key was made.
  refuseAddition(domains.list(tenantId), name)
  const added = await domains.add({ tenantId, name, ...secrets, createdAt: clock() })
  if (added === undefined || added === 'taken') throw alreadyAdded(name)
  return added
}

function refuseAddition(known: readonly SendingDomain[], name: string): void {
  if (known.some((domain) => domain.name === name)) throw alreadyAdded(name)
  if (known.length >= MAX_DOMAINS) {
    throw refuse('CONFLICT', `The maximum of ${MAX_DOMAINS} domains is reached; delete one first`)
  }
}

const alreadyAdded = (name: string) => refuse('CONFLICT', `The domain ${name} has been added already`)
