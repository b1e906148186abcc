/**
 * The parts of long messages that have not all arrived. A part is durable once it is added, so it can be acknowledged
 * before the others arrive, at any session of the account and any process. A message that was joined is remembered for a
 * moment without its texts: a part that is sent again gets the first answer. Clients use their references again, and two
 * messages may begin alike.
 */

import type { AccountId, TenantId } from '../domain/ids.ts'
import { type Instant, type Millis, seconds } from '../lib/time.ts'

/** Messages whose parts did not all arrive are reported for so long after their time, and then deleted. */
export const INCOMPLETE_KEPT_FOR: Millis = seconds(24 * 60 * 60)

/** `joint` is equal for the parts of one message: a keyed hash of addresses, reference and number of parts. */
export type JointKey = Readonly<{ tenantId: TenantId; accountId: AccountId; joint: string }>

export type PartToAdd = JointKey &
  Readonly<{
    /** A new UUID, which the message gets if this is its first part. */
    id: string
    /** From 1 to `total`. */
    number: number
    total: number
    /** A keyed hash of the part, by which it is recognised when it is sent again. */
    digest: string
    /** The part itself, sealed for this `joint` and number. */
    sealed: string
    at: Instant
    /** By then all parts must have arrived. That of the first part counts. */
    until: Instant
  }>

export type StoredPart = Readonly<{ number: number; sealed: string }>

/** `parts` are in order; none once it is `joined`. */
export type PartialMessage = JointKey &
  Readonly<{ id: string; total: number; joined: boolean; until: Instant; parts: readonly StoredPart[] }>

/** Hides what the parts of a message say from the store. */
export interface PartSealer {
  /** A keyed hash, equal for equal fields. */
  digest(...fields: readonly (string | Uint8Array)[]): string

  /** Seals a text for one part of one message: it opens for no other. */
  seal(part: Pick<PartToAdd, 'joint' | 'number'>, text: string): string
  open(part: Pick<PartToAdd, 'joint' | 'number' | 'sealed'>): string
}

export interface PartialMessages {
  /**
   * Adds a part, durably, and returns its message, with its parts once all have arrived. A part that is there already
   * is only counted. Where the time was over, a new message begins; also where the same number came with other content:
   * the parts before it that were sent again are then in both messages.
   */
  add(part: PartToAdd): Promise<PartialMessage>

  /** All parts were accepted as one message: forgets the contents of those that came once, and the message after `until`. */
  complete(id: string, until: Instant): Promise<void>

  /** Removes a part that is refused after all. */
  retract(id: string, number: number): Promise<void>

  /** Leases up to `max` incomplete messages of these accounts whose time was over at `at`, until `leasedUntil`. */
  takeIncomplete(
    accounts: readonly Pick<JointKey, 'tenantId' | 'accountId'>[],
    at: Instant,
    leasedUntil: Instant,
    max: number,
  ): Promise<readonly PartialMessage[]>

  /** Deletes messages with their parts. */
  remove(ids: readonly string[]): Promise<void>

  /** Deletes joined messages whose time is over, and incomplete ones long after it, a few at a time. True if there may be more. */
  forget(at: Instant): Promise<boolean>
}
