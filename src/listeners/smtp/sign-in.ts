/**
 * Signs clients in: the password is an API key. A right key always works, whoever else fails from the same address: keys
 * are too long to be guessed, so what is slowed down is only the noise of wrong ones.
 */
import type { Caller } from '../../domain/access/caller.ts'
import { includes } from '../../domain/access/scope.ts'
import { openSignInThrottle } from '../../flows/access/sign-in-throttle.ts'
import { Refusal, TooManyAttempts } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { Reply } from './replies.ts'

/** Resolves an API key to its caller, or throws a refusal. */
export type VerifyKey = (key: string, ip: string) => Caller

/** `verify` throws again once the key has ended or the tenant is suspended. */
export type SignedIn = Readonly<{ verify: () => Caller }>

export type SignInDeps = Readonly<{
  verifyKey: VerifyKey
  clock: Clock
  onRefused: (client: string, reason: string) => void
}>

export function openSignIn({ verifyKey, clock, onRefused }: SignInDeps): (key: string, ip: string) => SignedIn {
  const throttle = openSignInThrottle(clock)

  function refused(ip: string, reason: string): Reply {
    try {
      throttle({ email: ip, client: ip })
    } catch (error) {
      // Not logged: the failures before it were.
      if (error instanceof TooManyAttempts) return new Reply(421, error.message)
      throw error
    }
    onRefused(ip, reason)
    return new Reply('535 5.7.8', reason)
  }

  return (key, ip) => {
    const verify = (): Caller => {
      const caller = verifyKey(key, ip)
      if (!includes(caller.scopes, 'email:send')) throw new Reply('535 5.7.8', 'The API key needs the scope email:send')
      return caller
    }
    try {
      verify()
    } catch (error) {
      if (error instanceof Unavailable) throw new Reply('454 4.7.0', 'The API keys are not loaded yet, try again')
      if (error instanceof Refusal || error instanceof Reply) throw refused(ip, error.message)
      throw error
    }
    return { verify }
  }
}
