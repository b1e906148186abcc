/** Reads sending domains from table rows. SQLite and PostgreSQL use the same column names. */
import type { DomainCheck, SendingDomain } from '../../domain/access/sending-domain.ts'
import type { TenantId } from '../../domain/ids.ts'
import { instant } from '../../lib/time.ts'
import type { Row } from './rows.ts'

export function toSendingDomain(row: Row): SendingDomain {
  const { checked_at: checkedAt, verified_at: verifiedAt } = row
  return {
    tenantId: String(row['tenant']) as TenantId,
    name: String(row['name']),
    token: String(row['token']),
    dkim: {
      selector: String(row['selector']),
      publicKey: String(row['public_key']),
      sealedKey: String(row['sealed_key']),
    },
    ...(typeof checkedAt === 'number' ? { checked: toCheck(row, checkedAt) } : {}),
    ...(typeof verifiedAt === 'number' ? { verifiedAt: instant(verifiedAt) } : {}),
    createdAt: instant(Number(row['created_at'])),
    version: Number(row['version']),
  }
}

const toCheck = (row: Row, at: number): DomainCheck => ({
  at: instant(at),
  ownership: row['ownership'] as DomainCheck['ownership'],
  dkim: row['dkim'] as DomainCheck['dkim'],
})
