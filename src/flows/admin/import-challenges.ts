/**
 * Imports the open challenges into another store. Existing ones stay as they are, so it can be repeated. Import the log
 * first: a challenge that has ended is cleared when its message is missing, and then nothing would erase the message's
 * content.
 */
import { type Challenge, toChallengeStatus } from '../../domain/otp/challenge.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Challenges } from '../../ports/challenges.ts'
import type { SetupListing } from '../../ports/setup-listing.ts'
import { type ImportCounts, type ImportOutcome, importPages, NOTHING, sum } from './import-pages.ts'

export type ImportChallengesDeps = Readonly<{
  source: Readonly<{ listing: SetupListing }>
  target: Readonly<{ challenges: Challenges }>
  /** Whether both stores use the same master key. */
  isSameKey: boolean
  clock: Clock
}>

/** Skipped challenges stay open without a code that verifies; their messages are still erased when they end. */
export async function importChallenges(deps: ImportChallengesDeps): Promise<ImportCounts> {
  const { listing } = deps.source
  let counts = NOTHING
  for (const tenantId of await listing.tenants()) {
    const ofTenant = await importPages(
      async (from) => {
        const { challenges: items, nextCursor } = await listing.uncleared({ tenantId, ...from })
        return { items, nextCursor }
      },
      (challenge) => importChallenge(deps, challenge),
    )
    counts = sum(counts, ofTenant)
  }
  return counts
}

async function importChallenge(deps: ImportChallengesDeps, challenge: Challenge): Promise<ImportOutcome> {
  const { clock, isSameKey, target } = deps
  const { hash, maxAttempts, expiresAt, shape, recipient } = challenge
  const existing = await target.challenges.find(challenge)
  if (existing === undefined) await target.challenges.begin(toBegun(challenge))
  // Hashes are keyed, and useless under another master key.
  const isSameHash = hash !== undefined && isSameKey
  // A challenge that is armed already has counted attempts, which arming it again would reset.
  if (isSameHash && existing?.hash === undefined)
    await target.challenges.arm(challenge, omitUndefined({ hash, maxAttempts, expiresAt, shape, recipient }))
  const isArmed = isSameHash || existing?.hash !== undefined
  if (isArmed) await catchUp(target, challenge, existing?.attempts ?? 0)

  if (hash !== undefined && !isArmed && toChallengeStatus(challenge, clock()) === 'pending') return 'left'
  return existing === undefined ? 'added' : 'there'
}

/** A challenge that has ended gets its message erased at once, even if no code comes with it. */
function toBegun({ hash: _, attempts, verifiedAt, canceledAt, ...begun }: Challenge) {
  const isOver = (verifiedAt ?? canceledAt) !== undefined || attempts >= begun.maxAttempts
  return isOver ? { ...begun, expiresAt: begun.createdAt } : begun
}

/** An import grants no further attempts and no second verification, even after an interrupted one. */
async function catchUp(
  { challenges }: ImportChallengesDeps['target'],
  challenge: Challenge,
  attempts: number,
): Promise<void> {
  const { createdAt, verifiedAt, canceledAt } = challenge
  for (let count = attempts; count < challenge.attempts; count += 1) await challenges.claim(challenge, createdAt)
  if (verifiedAt !== undefined) await challenges.conclude(challenge, 'verified', verifiedAt)
  if (canceledAt !== undefined) await challenges.conclude(challenge, 'canceled', canceledAt)
}
