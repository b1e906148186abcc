/** An address that a tenant's mail does not go to any more, and why. */

import { type Instant, instant, later, type Millis, seconds } from '../../lib/time.ts'
import type { MessageId, TenantId } from '../ids.ts'
import { type EmailAddress, parseEmailAddress } from './address.ts'

export const SUPPRESSION_REASONS = ['hard_bounce', 'complaint', 'unsubscribe', 'manual'] as const
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number]

export type Suppression = Readonly<{
  tenantId: TenantId
  /** As `toComparableAddress` writes it. */
  address: EmailAddress
  reason: SuppressionReason
  /** The tenant's own words. */
  note?: string
  /** The message that was told of it. */
  messageId?: MessageId
  createdAt: Instant
  /** Missing where it is for good. */
  expiresAt?: Instant
}>

type Lasting = Pick<Suppression, 'expiresAt'>

/** Mailboxes come back and domains change hands; somebody who complained does not change their mind. */
const LASTS: Readonly<Record<'hard_bounce' | 'complaint', Millis | undefined>> = {
  hard_bounce: seconds(90 * 24 * 60 * 60),
  complaint: undefined,
}

export function suppressionUntil(reason: 'hard_bounce' | 'complaint', at: Instant): Instant | undefined {
  const lasts = LASTS[reason]
  return lasts === undefined ? undefined : later(at, lasts)
}

/**
 * Whether a new entry takes the place of the one before it. A person's word always does; what was found out by
 * sending only where it is for longer, so that a bounce never shortens what a complaint or a person wanted.
 */
export const succeeds = (old: Suppression, next: Suppression): boolean => isByPerson(next) || isForLonger(next, old)

export const isForLonger = ({ expiresAt }: Lasting, { expiresAt: other }: Lasting): boolean =>
  other !== undefined && (expiresAt === undefined || expiresAt > other)

/** What a person says, not what came of sending. */
export const PERSONAL_REASONS = ['manual', 'unsubscribe'] as const satisfies readonly SuppressionReason[]
export type PersonalReason = (typeof PERSONAL_REASONS)[number]

const PERSONAL: ReadonlySet<SuppressionReason> = new Set(PERSONAL_REASONS)
export const isByPerson = ({ reason }: Pick<Suppression, 'reason'>): boolean => PERSONAL.has(reason)

/** What a search is for: an address that begins so, or one whose domain does. */
export type Beginnings = Readonly<{ ofAddress: string; ofDomain: string }>

/** Only a domain is found by `@exam`: no address begins so. */
export function toBeginnings(text: string): Beginnings {
  const ofAddress = text.toLowerCase()
  return { ofAddress, ofDomain: ofAddress.replace(/^@/, '') }
}

export const hasBeginning = (address: EmailAddress, { ofAddress, ofDomain }: Beginnings): boolean =>
  address.startsWith(ofAddress) || address.startsWith(ofDomain, address.lastIndexOf('@') + 1)

/** Where a list goes on, newest first. */
export type SuppressionPlace = Pick<Suppression, 'createdAt' | 'address'>

export const toSuppressionCursor = ({ createdAt, address }: SuppressionPlace): string =>
  `${createdAt.toString(36)}.${address}`

/** Undefined for a cursor nobody gave out. */
export function parseSuppressionCursor(cursor: string): SuppressionPlace | undefined {
  const dot = cursor.indexOf('.')
  const [time, address] = [cursor.slice(0, Math.max(dot, 0)), parseEmailAddress(cursor.slice(dot + 1))]
  if (!/^[0-9a-z]{1,9}$/.test(time) || address === undefined) return undefined
  return { createdAt: instant(Number.parseInt(time, 36)), address }
}

export const isInForce = ({ expiresAt }: Lasting, at: Instant): boolean => expiresAt === undefined || expiresAt > at
