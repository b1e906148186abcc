/** Imports the sending domains of a store into another. Domains that exist stay as they are, so it can be repeated. */
import type { SendingDomain } from '../../domain/access/sending-domain.ts'
import type { SendingDomains } from '../../ports/sending-domains.ts'
import type { SetupListing } from '../../ports/setup-listing.ts'
import { type ImportCounts, type ImportOutcome, importPages, NOTHING, sum } from './import-pages.ts'

export type ImportDomainsDeps = Readonly<{
  source: Readonly<{ domains: Pick<SendingDomains, 'list'>; listing: Pick<SetupListing, 'tenants'> }>
  target: Readonly<{ domains: Pick<SendingDomains, 'list' | 'add'> }>
  /** Whether both stores use the same master key. */
  isSameKey: boolean
}>

export async function importDomains(deps: ImportDomainsDeps): Promise<ImportCounts> {
  const { domains, listing } = deps.source
  let counts = NOTHING
  for (const tenantId of await listing.tenants()) {
    const read = async () => ({ items: domains.list(tenantId), nextCursor: undefined })
    counts = sum(counts, await importPages(read, (domain) => importDomain(deps, domain)))
  }
  return counts
}

async function importDomain(
  { target: { domains }, isSameKey }: ImportDomainsDeps,
  { version: _, ...domain }: SendingDomain,
): Promise<ImportOutcome> {
  // Its DKIM key is sealed under the master key: under another one it cannot be opened.
  if (!isSameKey) return 'left'
  const there = domains.list(domain.tenantId).find(({ name }) => name === domain.name)
  if (there !== undefined) return there.token === domain.token ? 'there' : 'left'
  return typeof (await domains.add(domain)) === 'object' ? 'added' : 'left'
}
