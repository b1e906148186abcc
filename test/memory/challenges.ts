/** Challenges in memory, for tests. */

import type { MessageId } from '../../src/domain/ids.ts'
import { type Challenge, toChallengeStatus } from '../../src/domain/otp/challenge.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { Instant } from '../../src/lib/time.ts'
import type { ChallengeRef, Challenges, SubjectRef } from '../../src/ports/challenges.ts'

/** `endsAt` is missing once the challenge is cleared. */
type StoredChallenge = Readonly<{ challenge: Challenge; endsAt?: Instant }>

type Sought = Pick<ChallengeRef, 'tenantId'> & Readonly<{ id: MessageId | undefined }>

export function memoryChallenges(): Challenges {
  const all = new Map<string, StoredChallenge>()
  const newest = new Map<string, MessageId>()
  const of = ({ id, tenantId }: Sought): StoredChallenge | undefined => {
    const stored = all.get(id ?? '')
    return stored?.challenge.tenantId === tenantId ? stored : undefined
  }
  const keep = (challenge: Challenge, endsAt: Instant | undefined): void => {
    all.set(challenge.id, omitUndefined({ challenge, endsAt }))
  }

  return {
    async begin({ subject, ...begun }) {
      const { hash, maxAttempts, expiresAt, shape, recipient } = begun
      if (subject !== undefined) newest.set(toKey({ ...begun, subject }), begun.id)
      const stored = all.get(begun.id)
      if (stored === undefined) keep({ ...begun, attempts: 0 }, expiresAt)
      else if (hash !== undefined && isUntouched(stored.challenge)) {
        keep(omitUndefined({ ...stored.challenge, hash, maxAttempts, expiresAt, shape, recipient }), expiresAt)
      } else {
        keep(stored.challenge, latest(stored.endsAt, expiresAt))
        return false
      }
      return true
    },

    async arm(ref, code) {
      const stored = of(ref)
      if (stored === undefined || stored.challenge.hash === code.hash) return
      const { verifiedAt: _, canceledAt: __, shape: ___, recipient: ____, ...rest } = stored.challenge
      keep({ ...rest, ...code, attempts: 0 }, code.expiresAt)
    },

    find: async (ref) => of('id' in ref ? ref : { ...ref, id: newest.get(toKey(ref)) })?.challenge,

    async claim(ref, at) {
      const { challenge, endsAt } = of(ref) ?? {}
      if (challenge?.hash === undefined || toChallengeStatus(challenge, at) !== 'pending') return undefined
      const claimed = { ...challenge, attempts: challenge.attempts + 1 }
      keep(claimed, claimed.attempts < claimed.maxAttempts ? endsAt : earliest(endsAt, at))
      return claimed
    },

    async conclude(ref, as, at) {
      const { challenge, endsAt } = of(ref) ?? {}
      if (challenge?.hash === undefined || isConcluded(challenge)) return false
      keep({ ...challenge, [`${as}At`]: at }, earliest(endsAt, at))
      return true
    },

    ended: async (at, limit) =>
      [...all.values()]
        .flatMap(({ challenge, endsAt }) => (endsAt !== undefined && endsAt <= at ? [{ challenge, endsAt }] : []))
        .toSorted((one, other) => one.endsAt - other.endsAt)
        .slice(0, limit)
        .map(({ challenge: { id, tenantId } }) => ({ id, tenantId })),

    async clear(ref, forgetBefore) {
      const stored = of(ref)
      if (stored !== undefined) keep(stored.challenge, undefined)
      for (const { challenge, endsAt } of all.values()) {
        if (endsAt === undefined && challenge.tenantId === ref.tenantId && challenge.createdAt < forgetBefore) {
          all.delete(challenge.id)
        }
      }
    },
  }
}

const toKey = ({ tenantId, subject }: SubjectRef): string => `${tenantId} ${subject}`

const isConcluded = ({ verifiedAt, canceledAt }: Challenge): boolean => (verifiedAt ?? canceledAt) !== undefined

const isUntouched = (challenge: Challenge): boolean => challenge.attempts === 0 && !isConcluded(challenge)

const latest = (one: Instant | undefined, other: Instant): Instant => (one === undefined || one < other ? other : one)

/** A cleared challenge stays cleared. */
const earliest = (one: Instant | undefined, other: Instant): Instant | undefined =>
  one === undefined || one < other ? one : other
