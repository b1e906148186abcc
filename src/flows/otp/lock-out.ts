/**
 * Locks out a recipient to whom too many wrong codes were tried, over all challenges: otherwise whoever guesses only has
 * to ask for another code. Meanwhile the recipient gets no codes, and none can be checked.
 */
import { type EmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Counter } from '../../domain/limits/limits.ts'
import type { Recipient } from '../../domain/message/message.ts'
import { type Millis, millis } from '../../lib/time.ts'
import type { Limiter } from '../../ports/limiter.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { TooManyAttempts } from '../errors.ts'

/** Names a recipient without revealing it. A mailbox can be spelled in several ways, and has one key. */
export const toRecipientKey = ({ blind }: Pick<Sealer, 'blind'>, tenantId: TenantId, to: Recipient): string =>
  blind(tenantId, to.includes('@') ? toComparableAddress(to as EmailAddress) : to)

/** At most `limit` wrong codes per recipient and window; without `wrongCodes` nobody is locked out. */
export type LockOutDeps = Readonly<{
  limiter: Limiter
  otp: Readonly<{ wrongCodes?: Readonly<{ limit: number; window: Millis }> }>
}>

type Guessed = Readonly<{ tenantId: TenantId; recipient?: string }>

function counterOf({ otp }: LockOutDeps, { tenantId, recipient }: Guessed): Counter | undefined {
  if (otp.wrongCodes === undefined || recipient === undefined) return undefined
  return {
    tenantId,
    scope: 'otp',
    key: `wrong ${recipient}`,
    rule: { ...otp.wrongCodes, algorithm: 'fixed' },
    version: 0,
  }
}

/** How long the recipient is still locked out; 0 if it is not. */
export async function lockedOutFor(deps: LockOutDeps, guessed: Guessed): Promise<Millis> {
  const counter = counterOf(deps, guessed)
  if (counter === undefined) return millis(0)
  const { used, resetsIn } = await deps.limiter.status(counter)
  return used < counter.rule.limit ? millis(0) : resetsIn
}

/**
 * Runs a guess, which counts unless it is right. It counts while it runs, so that guesses in parallel gain nothing. Throws
 * TOO_MANY_ATTEMPTS, without running it, while the recipient is locked out.
 */
export async function guessUnlessLockedOut<Value>(
  deps: LockOutDeps,
  guessed: Guessed,
  guess: () => Promise<Readonly<{ value: Value; counts: boolean }>>,
): Promise<Value> {
  const counter = counterOf(deps, guessed)
  if (counter === undefined) return (await guess()).value
  const admission = await deps.limiter.admit([counter], guess)
  if (admission.kind === 'limited') throw new TooManyAttempts(admission.retryAfter)
  return admission.value
}
