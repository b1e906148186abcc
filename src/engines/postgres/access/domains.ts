/**
 * The sending domains of the cluster profile. Every process caches them all and polls for changes several times a
 * second, so sending a message needs no query. While PostgreSQL is unreachable the cached domains apply.
 */
import { DatabaseError } from 'pg'
import type { NewSendingDomain, SendingDomain } from '../../../domain/access/sending-domain.ts'
import { type SendingDomainChange, SendingDomainTable } from '../../../domain/access/sending-domain-table.ts'
import type { TenantId } from '../../../domain/ids.ts'
import type { SendingDomains } from '../../../ports/sending-domains.ts'
import { Unavailable } from '../../../ports/unavailable.ts'
import { toSendingDomain } from '../../shared/sending-domain-rows.ts'
import { Database, openPool, type Rows } from '../database.ts'
import { checkSchema } from '../schema.ts'
import { awaitPropagation, TablePoller } from '../table-poller.ts'

export type DomainsOptions = Readonly<{
  url: string
  /** Called once per outage of PostgreSQL. */
  onFault: (error: unknown) => void
  /** Resolves when every healthy process has polled what was just written. */
  whenPropagated?: () => Promise<unknown>
}>

/** One for polling and one for changes, so that searches do not delay them. */
const CONNECTIONS = 2

/** Opens even while PostgreSQL is unreachable, then without domains until it is back; refuses an incompatible schema. */
export async function openDomains({
  url,
  onFault,
  whenPropagated = awaitPropagation,
}: DomainsOptions): Promise<SendingDomains & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const db = opened.use(new Database(openPool(url, CONNECTIONS), checkSchema))
  await db.ready().catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error
  })
  const known = new SendingDomainTable()
  const poller = opened.use(
    new TablePoller({ db, changed: toChanged, onRow: (row) => known.apply(toChange(row)), onFault }),
  )
  await poller.start()

  async function write(tenantId: TenantId, text: string, values: unknown[]): Promise<SendingDomain | undefined> {
    const [change] = (await db.asTenant(tenantId, text, values, [VERSION_LOCK])).map(toChange)
    if (change === undefined) return undefined
    known.apply(change, false)
    await whenPropagated()
    return change.domain
  }

  const all = opened.move()
  return {
    isLoaded: () => poller.isLoaded,
    list: (tenantId) => known.of(tenantId),
    verified: () => known.verified,

    add: (domain) => write(domain.tenantId, ADD, toValues(domain)).catch(asTaken),

    change: (domain) =>
      write(domain.tenantId, CHANGE, [domain.name, domain.version, ...toChecked(domain)]).catch(asTaken),

    remove: async (tenantId, name) => (await write(tenantId, REMOVE, [name])) !== undefined,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Any number, as long as no other program locks it in this database. Only the holder of the lock draws a version. */
const VERSION_LOCK = { text: 'select pg_advisory_xact_lock(7026625)' }

const UNIQUE_VIOLATION = '23505'

/** Which tenant has verified the domain is hidden from others by policies, but not from the index. */
function asTaken(error: unknown): 'taken' {
  if (error instanceof DatabaseError && error.code === UNIQUE_VIOLATION && error.constraint === 'domains_verified') {
    return 'taken'
  }
  throw error
}

const toChanged = (version: number, limit: number): string =>
  `select * from pombo.domains where version > ${version} order by version limit ${limit}`

const ADD = `
  insert into pombo.domains (tenant, name, version, removed, token, selector, public_key, sealed_key, checked_at,
    ownership, dkim, verified_at, created_at)
  values ($1, $2, nextval('pombo.domain_versions'), false, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  on conflict (tenant, name) do update set version = excluded.version, removed = false, token = excluded.token,
    selector = excluded.selector, public_key = excluded.public_key, sealed_key = excluded.sealed_key,
    checked_at = excluded.checked_at, ownership = excluded.ownership, dkim = excluded.dkim,
    verified_at = excluded.verified_at, created_at = excluded.created_at
  where domains.removed
  returning *
`

const CHANGE = `
  update pombo.domains set version = nextval('pombo.domain_versions'), checked_at = $3, ownership = $4, dkim = $5,
    verified_at = $6
  where name = $1 and version = $2 and not removed
  returning *
`

const REMOVE = `
  update pombo.domains set version = nextval('pombo.domain_versions'), removed = true, sealed_key = ''
  where name = $1 and not removed
  returning *
`

const toValues = (domain: NewSendingDomain): unknown[] => {
  const { tenantId, name, token, dkim, createdAt } = domain
  const { selector, publicKey, sealedKey } = dkim
  return [tenantId, name, token, selector, publicKey, sealedKey, ...toChecked(domain), createdAt]
}

const toChecked = ({ checked, verifiedAt }: Pick<SendingDomain, 'checked' | 'verifiedAt'>): unknown[] => [
  checked?.at,
  checked?.ownership,
  checked?.dkim,
  verifiedAt,
]

const toChange = (row: Rows[number]): SendingDomainChange => ({
  domain: toSendingDomain(row),
  removed: row['removed'] === true,
})
