/** An address that a tenant's emails must not go to, and why. */

import { type Instant, instant, later, type Millis, seconds } from '../../lib/time.ts'
import type { MessageId, TenantId } from '../ids.ts'
import { type EmailAddress, parseEmailAddress } from './address.ts'

export const SUPPRESSION_REASONS = ['hard_bounce', 'complaint', 'unsubscribe', 'manual'] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]

export type Suppression = Readonly<{
  tenantId: TenantId
  /** In the form of `toComparableAddress`. */
  address: EmailAddress
  reason: SuppressionReason
  /** A note by the tenant. */
  note?: string
  /** The message whose bounce or complaint caused it. */
  messageId?: MessageId
  createdAt: Instant
  /** Missing when it never expires. */
  expiresAt?: Instant
}>

type Lasting = Pick<Suppression, 'expiresAt'>

/** Bounces expire, because mailboxes and domains can come back. Complaints do not. */
const LASTS: Readonly<Record<'hard_bounce' | 'complaint', Millis | undefined>> = {
  hard_bounce: seconds(90 * 24 * 60 * 60),
  complaint: undefined,
}

export function suppressionUntil(reason: 'hard_bounce' | 'complaint', at: Instant): Instant | undefined {
  const lasts = LASTS[reason]
  return lasts === undefined ? undefined : later(at, lasts)
}

/**
 * Whether a new entry replaces the existing one. A person's entry always does; one from a bounce or complaint only if
 * it lasts longer, so that a bounce never shortens what a complaint or a person set.
 */
export const succeeds = (old: Suppression, next: Suppression): boolean => isByPerson(next) || isForLonger(next, old)

export const isForLonger = ({ expiresAt }: Lasting, { expiresAt: other }: Lasting): boolean =>
  other !== undefined && (expiresAt === undefined || expiresAt > other)

/** Set by a person, not by a bounce or complaint. */
export const PERSONAL_REASONS = ['manual', 'unsubscribe'] as const satisfies readonly SuppressionReason[]
export type PersonalReason = (typeof PERSONAL_REASONS)[number]

const PERSONAL: ReadonlySet<SuppressionReason> = new Set(PERSONAL_REASONS)
export const isByPerson = ({ reason }: Pick<Suppression, 'reason'>): boolean => PERSONAL.has(reason)

/** Whether the address or its domain starts with the query. */
type Beginnings = Readonly<{ ofAddress: string; ofDomain: string }>

/** `@exam` matches only domains: no address starts with @. */
export function toBeginnings(text: string): Beginnings {
  const ofAddress = text.toLowerCase()
  return { ofAddress, ofDomain: ofAddress.replace(/^@/, '') }
}

export const hasBeginning = (address: EmailAddress, { ofAddress, ofDomain }: Beginnings): boolean =>
  address.startsWith(ofAddress) || address.startsWith(ofDomain, address.lastIndexOf('@') + 1)

/** The cursor of a list, newest first. */
export type SuppressionPosition = Pick<Suppression, 'createdAt' | 'address'>

export const toSuppressionCursor = ({ createdAt, address }: SuppressionPosition): string =>
  `${createdAt.toString(36)}.${address}`

/** Undefined for an invalid cursor. */
export function parseSuppressionCursor(cursor: string): SuppressionPosition | undefined {
  const dot = cursor.indexOf('.')
  const [time, address] = [cursor.slice(0, Math.max(dot, 0)), parseEmailAddress(cursor.slice(dot + 1))]
  if (!/^[0-9a-z]{1,9}$/.test(time) || address === undefined) return undefined
  return { createdAt: instant(Number.parseInt(time, 36)), address }
}

export const isInForce = ({ expiresAt }: Lasting, at: Instant): boolean => expiresAt === undefined || expiresAt > at
