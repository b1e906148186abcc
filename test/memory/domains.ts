/** Sending domains in memory, for tests. */
import type { NewSendingDomain, SendingDomain } from '../../src/domain/access/sending-domain.ts'
import { SendingDomainTable } from '../../src/domain/access/sending-domain-table.ts'
import type { SendingDomains } from '../../src/ports/sending-domains.ts'

export function memoryDomains(): SendingDomains {
  const known = new SendingDomainTable()
  let version = 0

  function keep(wanted: NewSendingDomain): SendingDomain | 'taken' {
    const { tenantId, name, verifiedAt } = wanted
    if (verifiedAt !== undefined && (known.verified.get(name)?.tenantId ?? tenantId) !== tenantId) return 'taken'
    version += 1
    const domain = { ...wanted, version }
    known.apply({ domain, removed: false })
    return domain
  }

  return {
    list: (tenantId) => known.of(tenantId),
    verified: () => known.verified,
    isLoaded: () => true,
    add: async (domain) => (known.find(domain.tenantId, domain.name) === undefined ? keep(domain) : undefined),
    change: async (domain) =>
      known.find(domain.tenantId, domain.name)?.version === domain.version ? keep(domain) : undefined,

    async remove(tenantId, name) {
      const domain = known.find(tenantId, name)
      if (domain !== undefined) known.apply({ domain, removed: true })
      return domain !== undefined
    },
  }
}
