/** The sending domains of tenants in a table, and all in memory: each is stored before it takes effect. */
import type { DatabaseSync } from 'node:sqlite'
import type { SendingDomain } from '../../../domain/access/sending-domain.ts'
import { SendingDomainTable } from '../../../domain/access/sending-domain-table.ts'
import type { TenantId } from '../../../domain/ids.ts'
import type { SendingDomains } from '../../../ports/sending-domains.ts'
import { toSendingDomain } from '../../shared/sending-domain-rows.ts'
import { type Driver, remote } from '../driver.ts'
import type { StoreMethods } from '../store.ts'

export const DOMAIN_TABLES = `
  -- The domains that tenants send email from. \`sealed_key\` is their DKIM key, sealed under the master key.
  create table domains (
    tenant text not null,
    name text not null,
    version integer not null,
    token text not null,
    selector text not null,
    public_key text not null,
    sealed_key text not null,
    checked_at integer,
    ownership text,
    dkim text,
    verified_at integer,
    created_at integer not null,
    primary key (tenant, name)
  ) strict, without rowid;
  create unique index domains_verified on domains (name) where verified_at is not null;
`

/** Whether a domain was stored: `gone` if there is one already, or not the version to replace. */
type Stored = 'stored' | 'gone' | 'taken'

export async function openDomains(driver: Driver<StoreMethods>): Promise<SendingDomains> {
  const known = new SendingDomainTable()
  const table = remote(driver, 'domains')
  const stored = await table.all()
  for (const domain of stored) known.apply({ domain, removed: false })
  let lastVersion = stored.reduce((last, { version }) => Math.max(last, version), 0)

  const nextVersion = (): number => {
    lastVersion += 1
    return lastVersion
  }

  /** Only a stored domain takes effect. */
  async function keep(domain: SendingDomain, storing: Promise<Stored>): Promise<SendingDomain | 'taken' | undefined> {
    const outcome = await storing
    if (outcome !== 'stored') return outcome === 'taken' ? 'taken' : undefined
    known.apply({ domain, removed: false })
    return domain
  }

  return {
    list: (tenantId) => known.of(tenantId),
    verified: () => known.verified,
    isLoaded: () => true,

    add: (wanted) => {
      const domain = { ...wanted, version: nextVersion() }
      return keep(domain, table.add(domain))
    },

    change: (wanted) => {
      const domain = { ...wanted, version: nextVersion() }
      return keep(domain, table.change(domain, wanted.version))
    },

    async remove(tenantId, name) {
      const isRemoved = await table.remove(tenantId, name)
      const domain = known.find(tenantId, name)
      if (isRemoved && domain !== undefined) known.apply({ domain, removed: true })
      return isRemoved
    },
  }
}

export function domainTable(db: DatabaseSync) {
  const sql = prepare(db)
  const isTaken = ({ tenantId, name, verifiedAt }: SendingDomain): boolean =>
    verifiedAt !== undefined && sql.verifiedByAnother.get(name, tenantId) !== undefined
  return {
    reads: {
      all: () => sql.all.all().map(toSendingDomain),
    },
    writes: {
      add(domain: SendingDomain): Stored {
        if (isTaken(domain)) return 'taken'
        const { tenantId, name, version, token, dkim, createdAt } = domain
        const { selector, publicKey, sealedKey } = dkim
        const keys = [token, selector, publicKey, sealedKey]
        return toStored(sql.add.run(tenantId, name, version, ...keys, ...toChecked(domain), createdAt))
      },
      change(domain: SendingDomain, replaced: number): Stored {
        if (isTaken(domain)) return 'taken'
        const { tenantId, name, version } = domain
        return toStored(sql.change.run(version, ...toChecked(domain), tenantId, name, replaced))
      },
    },
    shreds: {
      remove: (tenantId: TenantId, name: string): boolean => sql.remove.run(tenantId, name).changes === 1,
    },
  }
}

const toStored = ({ changes }: Readonly<{ changes: number | bigint }>): Stored => (changes === 1 ? 'stored' : 'gone')

const toChecked = ({ checked, verifiedAt }: SendingDomain) => [
  checked?.at ?? null,
  checked?.ownership ?? null,
  checked?.dkim ?? null,
  verifiedAt ?? null,
]

function prepare(db: DatabaseSync) {
  return {
    all: db.prepare('select * from domains'),
    verifiedByAnother: db.prepare('select 1 from domains where name = ? and verified_at is not null and tenant <> ?'),
    add: db.prepare(`
      insert into domains (tenant, name, version, token, selector, public_key, sealed_key, checked_at, ownership, dkim,
        verified_at, created_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (tenant, name) do nothing
    `),
    change: db.prepare(`
      update domains set version = ?, checked_at = ?, ownership = ?, dkim = ?, verified_at = ?
      where tenant = ? and name = ? and version = ?
    `),
    remove: db.prepare('delete from domains where tenant = ? and name = ?'),
  }
}
