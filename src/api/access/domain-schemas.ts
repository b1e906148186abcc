/** The schemas of sending domains. */
import { type Static, Type } from 'typebox'
import type { AuditSnapshot } from '../../domain/access/audit.ts'
import {
  dkimRecord,
  LONGEST_DOMAIN,
  ownershipRecord,
  RECORD_STATUSES,
  type RecordStatus,
  type SendingDomain,
  type TxtRecord,
} from '../../domain/access/sending-domain.ts'
import { toIso } from '../../lib/time.ts'
import { isoOrNull, namedObject, nullable, Time } from '../http/schemas.ts'

const Name = Type.String({
  description: 'A domain that you send email from, in ASCII (`xn--…` for others).',
  minLength: 1,
  maxLength: LONGEST_DOMAIN,
  examples: ['acme.example'],
})

export const DomainParams = Type.Object({
  domain: Type.String({ title: 'DomainName', description: 'The name of a domain.', examples: ['acme.example'] }),
})

export const DomainAdd = namedObject(
  'CreateDomainRequest',
  { domain: Name },
  { additionalProperties: false, examples: [{ domain: 'acme.example' }] },
)

const recordOf = (description: string, name: string, value: string) =>
  namedObject(
    'DnsRecord',
    {
      type: Type.Literal('TXT'),
      name: Type.String(),
      value: Type.String(),
      status: Type.Union([Type.Enum(RECORD_STATUSES, { title: 'DnsRecordStatus' }), Type.Null()], {
        description:
          'What the last check found: the record (`valid`), none of that name (`missing`), or only others (`mismatch`). Null before the first check.',
      }),
    },
    { description, examples: [{ type: 'TXT', name, value, status: 'valid' }] },
  )

export const DomainView = namedObject('Domain', {
  domain: Name,
  state: Type.Enum(['pending', 'verified'], {
    title: 'DomainState',
    description: '`verified` while the last check has found the record in `ownership`.',
  }),
  ownership: recordOf(
    'The DNS record that proves that the domain is yours.',
    '_pombo.acme.example',
    'pombo-domain-verification=Jc0p8kYyYx3TqgXn1tPq7v2mUe0sRb4A',
  ),
  dkim: recordOf(
    'The DNS record with the public key that email from the domain is signed with.',
    'pombo3f9a1c2e._domainkey.acme.example',
    'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEF…',
  ),
  created_at: Time,
  verified_at: nullable(Time),
  last_checked_at: nullable(Time),
})

export function toDomainView(domain: SendingDomain): Static<typeof DomainView> {
  const { name, checked, verifiedAt, createdAt } = domain
  return {
    domain: name,
    state: stateOf(domain),
    ownership: toRecordView(ownershipRecord(domain), checked?.ownership),
    dkim: toRecordView(dkimRecord(domain), checked?.dkim),
    created_at: toIso(createdAt),
    verified_at: isoOrNull(verifiedAt),
    last_checked_at: isoOrNull(checked?.at),
  }
}

const stateOf = ({ verifiedAt }: SendingDomain) => (verifiedAt === undefined ? 'pending' : 'verified')

const toRecordView = ({ name, value }: TxtRecord, status: RecordStatus | undefined) => ({
  type: 'TXT' as const,
  name,
  value,
  status: status ?? null,
})

export function toDomainSnapshot(domain: SendingDomain): AuditSnapshot {
  const { name, checked, dkim } = domain
  const statuses = { ownership: checked?.ownership ?? null, dkim: checked?.dkim ?? null }
  return { domain: name, state: stateOf(domain), selector: dkim.selector, ...statuses }
}
