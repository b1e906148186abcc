/**
 * Limits how fast wrong codes can be tried, in this process. A wrong code takes a token of its tenant and one of the address
 * that it comes from; a right code gives two back. So whoever guesses is held to the rate, and a server that checks codes
 * for many people never is: a third of its codes being right is enough, however many they are.
 *
 * Checks under way do not count, because most of them are right. How many there can be is up to the hasher.
 */

import type { TenantId } from '../../domain/ids.ts'
import { Refusal, TooManyAttempts } from '../../flows/errors.ts'
import type { Checked } from '../../flows/otp/check-otp.ts'
import type { Clock } from '../../lib/clock.ts'
import { millis } from '../../lib/time.ts'
import { TokenBuckets } from '../../lib/token-bucket.ts'
import { toNetwork } from '../http/connections.ts'

/** Wrong codes per second, and how many at once. Many at once are paid for afterwards. */
export const WRONG_CODES = {
  tenant: { perSecond: 100, capacity: 500, lowest: -500 },
  address: { perSecond: 20, capacity: 100, lowest: -100 },
} as const

/** In tokens. */
const [RIGHT, NEUTRAL, WRONG] = [-2, 0, 1]

export type GuessLimits = Readonly<{
  /** Throws TOO_MANY_ATTEMPTS without calling `check` when too many codes were wrong. */
  admit: (tenantId: TenantId, address: string, check: () => Promise<Checked>) => Promise<Checked>
}>

export function limitGuesses(clock: Clock): GuessLimits {
  const ofTenant = new TokenBuckets<TenantId>(WRONG_CODES.tenant)
  const ofAddress = new TokenBuckets<string>(WRONG_CODES.address)

  return {
    async admit(tenantId, address, check) {
      const key = `${tenantId} ${toNetwork(address)}`
      const take = (tokens: number): void => {
        ofTenant.take(tenantId, clock(), tokens)
        ofAddress.take(key, clock(), tokens)
      }
      const wait = millis(Math.max(ofTenant.wait(tenantId, clock()), ofAddress.wait(key, clock())))
      if (wait > 0) throw new TooManyAttempts(wait)
      try {
        const checked = await check()
        take(costOf(checked))
        return checked
      } catch (error) {
        // A challenge that does not exist is a guess.
        if (error instanceof Refusal && error.code === 'NOT_FOUND') take(WRONG)
        throw error
      }
    },
  }
}

function costOf({ status }: Checked): number {
  switch (status) {
    case 'verified':
      return RIGHT
    case 'already_verified':
      return NEUTRAL
    case 'invalid':
    case 'exhausted':
    case 'expired':
    case 'canceled':
      return WRONG
  }
}
