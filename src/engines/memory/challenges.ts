/** Challenges that are forgotten with the process, for tests. */
import { type Challenge, toChallengeStatus } from '../../domain/otp/challenge.ts'
import type { Instant } from '../../lib/time.ts'
import type { ChallengeRef, Challenges } from '../../ports/challenges.ts'

/** `endsAt` is missing once it is cleared. */
type Kept = Readonly<{ challenge: Challenge; endsAt?: Instant }>

export function memoryChallenges(): Challenges {
  const all = new Map<string, Kept>()
  const of = ({ id, tenantId }: ChallengeRef): Kept | undefined => {
    const kept = all.get(id)
    return kept?.challenge.tenantId === tenantId ? kept : undefined
  }
  const keep = (challenge: Challenge, endsAt: Instant | undefined): void => {
    all.set(challenge.id, { challenge, ...(endsAt === undefined ? {} : { endsAt }) })
  }

  return {
    async begin(begun) {
      const known = all.get(begun.id)
      if (known === undefined) keep({ ...begun, attempts: 0 }, begun.expiresAt)
      else if (known.challenge.hash === undefined) keep(known.challenge, latest(known.endsAt, begun.expiresAt))
    },

    async arm(ref, code) {
      const known = of(ref)
      if (known !== undefined && known.challenge.hash === undefined)
        keep({ ...known.challenge, ...code }, code.expiresAt)
    },

    find: async (ref) => of(ref)?.challenge,

    async claim(ref, at) {
      const { challenge, endsAt } = of(ref) ?? {}
      if (challenge?.hash === undefined || toChallengeStatus(challenge, at) !== 'pending') return undefined
      const claimed = { ...challenge, attempts: challenge.attempts + 1 }
      keep(claimed, claimed.attempts < claimed.maxAttempts ? endsAt : earliest(endsAt, at))
      return claimed
    },

    async verify(ref, at) {
      const { challenge, endsAt } = of(ref) ?? {}
      if (challenge?.hash === undefined || challenge.verifiedAt !== undefined) return false
      keep({ ...challenge, verifiedAt: at }, earliest(endsAt, at))
      return true
    },

    ended: async (at, limit) =>
      [...all.values()]
        .flatMap(({ challenge, endsAt }) => (endsAt !== undefined && endsAt <= at ? [{ challenge, endsAt }] : []))
        .toSorted((one, other) => one.endsAt - other.endsAt)
        .slice(0, limit)
        .map(({ challenge: { id, tenantId } }) => ({ id, tenantId })),

    async clear(ref, forgetBefore) {
      const known = of(ref)
      if (known !== undefined) keep(known.challenge, undefined)
      for (const { challenge, endsAt } of all.values()) {
        if (endsAt === undefined && challenge.tenantId === ref.tenantId && challenge.createdAt < forgetBefore) {
          all.delete(challenge.id)
        }
      }
    },
  }
}

const latest = (one: Instant | undefined, other: Instant): Instant => (one === undefined || one < other ? other : one)

/** What is cleared already stays so. */
const earliest = (one: Instant | undefined, other: Instant): Instant | undefined =>
  one === undefined || one < other ? one : other
