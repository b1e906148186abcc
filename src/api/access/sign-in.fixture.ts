/** Signing in for tests of the API: fast hashes that count their calls, tokens that can be foreseen, no https. */

import { openSignInThrottle } from '../../flows/access/sign-in-throttle.ts'
import type { Clock } from '../../lib/clock.ts'
import { seconds } from '../../lib/time.ts'
import type { PasswordHasher } from '../../ports/password-hasher.ts'
import type { SecretTokens } from '../../ports/secret-tokens.ts'
import type { Sessions } from '../../ports/users.ts'
import { sessionCookies } from './cookies.ts'
import { originCheck } from './own-origin.ts'
import { openSessionReader } from './session-reader.ts'
import type { SignInParts } from './sign-in-parts.ts'

export const LIFETIMES = { absolute: seconds(12 * 3_600), idle: seconds(3_600) }

type Options = Readonly<{ sessions: Sessions; clock: Clock; isPasswordOn?: boolean }>

export function signInParts({ sessions, clock, isPasswordOn = true }: Options): SignInParts {
  const tokens = countedTokens()
  const cookies = sessionCookies(false)
  const checkOrigin = originCheck({ publicUrl: 'https://pombo.example', isSecure: false })
  return {
    passwords: plainPasswords(),
    ...{ tokens, cookies, checkOrigin, lifetimes: LIFETIMES },
    reader: openSessionReader({ sessions, tokens, clock, lifetimes: LIFETIMES, cookies, checkOrigin, isPasswordOn }),
    checkTenant: () => undefined,
    throttle: openSignInThrottle(clock),
    isPasswordOn,
    publicUrl: 'https://pombo.example',
  }
}

/** Secrets such as `token-1`, and hashes and signatures that name what they are of. */
export function countedTokens(): SecretTokens {
  let drawn = 0
  return {
    draw: () => {
      drawn += 1
      return `token-${drawn}`
    },
    hash: (token) => `hash-of-${token}`,
    sign: (purpose, text) => `${purpose}-of-${text.replaceAll('.', '-')}`,
  }
}

export type CountingHasher = PasswordHasher & Readonly<{ verified: () => number }>

/** `verified` counts the passwords that were verified, whether or not there was a hash. */
export function plainPasswords(): CountingHasher {
  let verified = 0
  return {
    verified: () => verified,
    hash: async (password) => `new ${password}`,
    async verify(password, encoded) {
      verified += 1
      if (encoded === `old ${password}`) return 'outdated'
      return encoded === `new ${password}` ? 'right' : 'wrong'
    },
  }
}
