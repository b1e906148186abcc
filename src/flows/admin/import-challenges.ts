/**
 * Moves the challenges that are not cleared into another store, as far as they have come. What is there
 * already stays as it is, so it can be repeated. To be done after the log is moved: one that has ended is
 * cleared where its message is not there, and then nobody would erase what the message says.
 */
import { type Challenge, toChallengeStatus } from '../../domain/otp/challenge.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Challenges } from '../../ports/challenges.ts'
import type { SetupListing } from '../../ports/setup-listing.ts'
import { type Fate, type Moved, moveAll, NOTHING, sum } from './move.ts'

export type ImportChallengesDeps = Readonly<{
  source: Readonly<{ listing: SetupListing }>
  target: Readonly<{ challenges: Challenges }>
  /** Whether both run with the same master key. */
  isSameKey: boolean
  clock: Clock
}>

/** Those that are left are open, and their codes do not verify any more; their messages are still erased at their end. */
export async function importChallenges(deps: ImportChallengesDeps): Promise<Moved> {
  const { listing } = deps.source
  let moved = NOTHING
  for (const tenantId of await listing.tenants()) {
    const ofTenant = await moveAll(
      async (from) => {
        const { challenges: items, nextCursor } = await listing.uncleared({ tenantId, ...from })
        return { items, nextCursor }
      },
      (challenge) => moveChallenge(deps, challenge),
    )
    moved = sum(moved, ofTenant)
  }
  return moved
}

async function moveChallenge(deps: ImportChallengesDeps, challenge: Challenge): Promise<Fate> {
  const { clock, isSameKey, target } = deps
  const { hash, maxAttempts, expiresAt } = challenge
  const known = await target.challenges.find(challenge)
  if (known === undefined) await target.challenges.begin(toBegun(challenge))
  // What is kept of a code is keyed, and says nothing under another key.
  const isMoved = hash !== undefined && isSameKey
  if (isMoved) await target.challenges.arm(challenge, { hash, maxAttempts, expiresAt })
  const isArmed = isMoved || known?.hash !== undefined
  if (isArmed) await catchUp(target, challenge, known?.attempts ?? 0)

  if (hash !== undefined && !isArmed && toChallengeStatus(challenge, clock()) === 'pending') return 'left'
  return known === undefined ? 'added' : 'there'
}

/** One that is over has its message erased at once, also where it gets no code by which that could be told. */
function toBegun({ hash: _, attempts, verifiedAt, ...begun }: Challenge) {
  const isOver = verifiedAt !== undefined || attempts >= begun.maxAttempts
  return isOver ? { ...begun, expiresAt: begun.createdAt } : begun
}

/** Nobody gets more attempts than may be by a move, nor verifies a second time, also where it was broken off before. */
async function catchUp(
  { challenges }: ImportChallengesDeps['target'],
  challenge: Challenge,
  attempts: number,
): Promise<void> {
  const { createdAt, verifiedAt } = challenge
  for (let count = attempts; count < challenge.attempts; count += 1) await challenges.claim(challenge, createdAt)
  if (verifiedAt !== undefined) await challenges.verify(challenge, verifiedAt)
}
