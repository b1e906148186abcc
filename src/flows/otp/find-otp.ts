/** Finds a challenge, and cancels it: then no code verifies, and the content of its message is erased. */

import type { Channel, Searchable } from '../../domain/message/message.ts'
import { maskRecipient } from '../../domain/message/searchable.ts'
import type { Status } from '../../domain/message/states.ts'
import { toStatus } from '../../domain/message/states.ts'
import { type Challenge, type ChallengeStatus, toChallengeStatus } from '../../domain/otp/challenge.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ChallengeRef, Challenges } from '../../ports/challenges.ts'
import type { EventLog } from '../../ports/event-log.ts'
import { notFound, refuse } from '../errors.ts'

export type FindOtpDeps = Readonly<{ challenges: Challenges; log: EventLog; clock: Clock }>

/** `to` is masked, and missing once the recipient is erased. */
export type FoundOtp = Readonly<{
  challenge: Challenge
  status: ChallengeStatus
  /** None once the challenge has ended. */
  remaining: number
  channel: Channel
  to: Searchable['to'] | undefined
  messageStatus: Status
}>

export async function findOtp(deps: FindOtpDeps, ref: ChallengeRef): Promise<FoundOtp> {
  const [challenge, loaded] = await Promise.all([deps.challenges.find(ref), deps.log.load(ref.id)])
  // Without a hash or a message, the call that began it has not answered.
  if (challenge?.hash === undefined || loaded === undefined) throw notFound('challenge', ref.id)
  const { state } = loaded.event
  const status = toChallengeStatus(challenge, deps.clock())
  return {
    challenge,
    status,
    remaining: status === 'pending' ? challenge.maxAttempts - challenge.attempts : 0,
    channel: state.channel,
    to: loaded.content === undefined ? loaded.searchable?.to : maskRecipient(loaded.content),
    messageStatus: toStatus(state),
  }
}

/** Canceling again changes nothing. */
export async function cancelOtp(deps: FindOtpDeps, ref: ChallengeRef): Promise<FoundOtp> {
  const { status } = await findOtp(deps, ref)
  if (status === 'pending') await deps.challenges.conclude(ref, 'canceled', deps.clock())
  const found = await findOtp(deps, ref)
  if (found.status === 'canceled') return found
  throw refuse('CONFLICT', `The challenge has ended before: its status is ${found.status}`)
}
