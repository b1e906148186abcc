/** What an identity provider's claims say about a person. */
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type EmailAddress, parseEmailAddress, toComparableAddress } from '../email/address.ts'
import { parseTenantId, type TenantId } from '../ids.ts'
import { parseRole, parseUserName, ROLES, type Role } from './user.ts'

export type Identity = Readonly<{
  /** The provider's id of the person. */
  subject: string
  email: EmailAddress
  /** Whether the provider says that the address is this person's; some say nothing about it. */
  isEmailVerified: boolean
  name?: string
  role: Role
  tenantId: TenantId
}>

/** `defaultTenant` is that of people without the claim. */
export type IdentityRules = Readonly<{ roleClaim: string; tenantClaim: string; defaultTenant?: TenantId }>

/** `reason` is a sentence for the person, without any value of a claim. */
export type ParsedIdentity = Readonly<{ kind: 'identity'; identity: Identity } | { kind: 'refused'; reason: string }>

type Claims = Readonly<Record<string, unknown>>

/** OpenID Connect Core: at most 255 ASCII characters. */
const MAX_SUBJECT_LENGTH = 255

/** OpenID Connect Core says a boolean; some providers send it as text. */
const VERIFIED: ReadonlySet<unknown> = new Set([true, 'true'])

export function parseIdentity(claims: Claims, rules: IdentityRules): ParsedIdentity {
  const { sub, email: address, email_verified: verified, name } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH)
    return refused('It did not say who you are.')
  const email = typeof address === 'string' ? parseEmailAddress(address) : undefined
  if (email === undefined) return refused('It did not give your email address.')
  if (verified !== undefined && !VERIFIED.has(verified)) return refused('It has not verified your email address.')
  const role = readRole(claims[rules.roleClaim])
  if (role === undefined)
    return refused(`It did not give you a role: the claim ${rules.roleClaim} has none that Pombo knows.`)
  const tenantId = readTenant(claims[rules.tenantClaim], rules)
  if (tenantId === undefined) return refused(`It did not give you a tenant: the claim ${rules.tenantClaim} has none.`)
  const identity = {
    subject: sub,
    email: toComparableAddress(email),
    isEmailVerified: VERIFIED.has(verified),
    name: typeof name === 'string' ? parseUserName(name) : undefined,
    role,
    tenantId,
  }
  return { kind: 'identity', identity: omitUndefined(identity) }
}

const refused = (reason: string): ParsedIdentity => ({ kind: 'refused', reason })

/** Of several roles the one that permits the most. */
function readRole(claim: unknown): Role | undefined {
  const given = [claim].flat().flatMap((one) => (typeof one === 'string' ? [parseRole(one)] : []))
  return ROLES.findLast((role) => given.includes(role))
}

function readTenant(claim: unknown, { defaultTenant }: IdentityRules): TenantId | undefined {
  if (claim === undefined || claim === null) return defaultTenant
  return typeof claim === 'string' ? parseTenantId(claim) : undefined
}
