/**
 * Checks the records of a sending domain in the DNS. An answer of the DNS decides, also against an earlier one; while
 * there is none, everything stays as it is.
 */
import {
  dkimRecord,
  dkimStatus,
  ownershipRecord,
  ownershipStatus,
  type SendingDomain,
  type TxtRecord,
  withCheck,
} from '../../domain/access/sending-domain.ts'
import type { Bounded } from '../../lib/bounded.ts'
import type { Clock } from '../../lib/clock.ts'
import type { DnsLookup } from '../../ports/dns-lookup.ts'
import type { SendingDomains } from '../../ports/sending-domains.ts'
import { refuse } from '../errors.ts'

export type VerifyDomainDeps = Readonly<{
  domains: Pick<SendingDomains, 'change'>
  dns: DnsLookup
  clock: Clock
  /** Bounds the checks of a tenant that wait for the DNS. */
  bounded: Bounded
}>

export async function verifyDomain(deps: VerifyDomainDeps, domain: SendingDomain): Promise<SendingDomain> {
  const [ownership, dkim] = await deps.bounded(domain.tenantId, () =>
    Promise.all([find(deps.dns, ownershipRecord(domain)), find(deps.dns, dkimRecord(domain))]),
  )
  const checked = {
    at: deps.clock(),
    ownership: ownershipStatus(domain, ownership),
    dkim: dkimStatus(domain, dkim),
  }
  const changed = await deps.domains.change(withCheck(domain, checked))
  const { name } = domain
  if (changed === 'taken') throw refuse('CONFLICT', `The domain ${name} is verified by another tenant`)
  if (changed === undefined) {
    throw refuse('CONFLICT', `The domain ${name} was changed at the same time; get it and try again`)
  }
  return changed
}

async function find(dns: DnsLookup, { name }: TxtRecord): Promise<readonly string[]> {
  const answer = await dns.txt(name)
  switch (answer.kind) {
    case 'found':
      return answer.values
    case 'absent':
      return []
    case 'unavailable':
      throw refuse(
        'UNAVAILABLE',
        `The DNS servers gave no answer about ${name} (${answer.reason}); nothing was changed, retry in a moment`,
      )
  }
}
