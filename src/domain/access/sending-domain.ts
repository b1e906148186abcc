/** The domains that a tenant sends email from: the DNS records that prove ownership and publish its DKIM key. */
import type { Instant } from '../../lib/time.ts'
import { parseEmailDomain } from '../email/address.ts'
import type { TenantId } from '../ids.ts'

export type SendingDomain = Readonly<{
  tenantId: TenantId
  /** In lower case. */
  name: string
  /** Unpredictable: only whoever reads it here can publish it. */
  token: string
  dkim: DkimKey
  /** What the last check found; missing before the first. */
  checked?: DomainCheck
  /** Since when checks have found the proof of ownership; missing while they do not. */
  verifiedAt?: Instant
  createdAt: Instant
  /** Changes with every change of any domain. */
  version: number
}>

/** A new domain; the store assigns its version. */
export type NewSendingDomain = Omit<SendingDomain, 'version'>

/** The keys are in base64: the public one as it is published, the private one sealed under the master key. */
export type DkimKey = Readonly<{ selector: string; publicKey: string; sealedKey: string }>

export const RECORD_STATUSES = ['valid', 'missing', 'mismatch'] as const
export type RecordStatus = (typeof RECORD_STATUSES)[number]
export type DomainCheck = Readonly<{ at: Instant; ownership: RecordStatus; dkim: RecordStatus }>

/** A TXT record. */
export type TxtRecord = Readonly<{ name: string; value: string }>

/** The names of the records must not exceed 253 characters. */
export const LONGEST_DOMAIN = 220

/** Upper and lower case are the same, and so is a final dot. */
export function parseSendingDomain(text: string): string | undefined {
  const name = text.trim().replace(/\.$/, '').toLowerCase()
  return name.length <= LONGEST_DOMAIN ? parseEmailDomain(name) : undefined
}

export const ownershipRecord = ({ name, token }: Pick<SendingDomain, 'name' | 'token'>): TxtRecord => ({
  name: `_pombo.${name}`,
  value: `pombo-domain-verification=${token}`,
})

export const dkimRecord = ({ name, dkim }: Pick<SendingDomain, 'name' | 'dkim'>): TxtRecord => ({
  name: `${dkim.selector}._domainkey.${name}`,
  value: `v=DKIM1; k=rsa; p=${dkim.publicKey}`,
})

/** `found` are the values of all TXT records of that name. */
export function ownershipStatus(domain: Pick<SendingDomain, 'name' | 'token'>, found: readonly string[]): RecordStatus {
  const { value } = ownershipRecord(domain)
  return toStatus(found, (text) => text.trim() === value)
}

/** Compares what verifiers use: spaces, the order of tags and additional tags do not matter (RFC 6376, 3.6.1). */
export function dkimStatus({ dkim }: Pick<SendingDomain, 'dkim'>, found: readonly string[]): RecordStatus {
  return toStatus(found, (text) => {
    const tags = readTags(text)
    const [version = 'DKIM1', kind = 'rsa'] = [tags.get('v'), tags.get('k')]
    return version === 'DKIM1' && kind === 'rsa' && tags.get('p') === dkim.publicKey
  })
}

function toStatus(found: readonly string[], isRight: (text: string) => boolean): RecordStatus {
  if (found.length === 0) return 'missing'
  return found.some(isRight) ? 'valid' : 'mismatch'
}

function readTags(text: string): ReadonlyMap<string, string> {
  const tags = text.split(';').map((tag): [string, string] => {
    const [name = '', ...value] = tag.split('=')
    return [name.trim(), value.join('=').replace(/\s/g, '')]
  })
  return new Map(tags)
}

/** The domain after a check. It stays verified only as long as checks find the proof. */
export function withCheck({ verifiedAt: before, ...domain }: SendingDomain, checked: DomainCheck): SendingDomain {
  return checked.ownership === 'valid'
    ? { ...domain, checked, verifiedAt: before ?? checked.at }
    : { ...domain, checked }
}
