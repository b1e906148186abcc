/**
 * Hashes passwords with scrypt. Two threads, started when they are first needed, hash one password each; a bounded
 * number of others waits. So attempts to sign in cost everybody else neither memory nor CPU.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { ThreadPool } from '../../lib/thread-pool.ts'
import type { PasswordHasher } from '../../ports/password-hasher.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { decodeHash, encodeHash, haveSameParameters, type ScryptParameters, toUnpadded } from './password-hash.ts'
import type { PasswordMethods } from './password-thread.ts'

export type PasswordHasherOptions = Readonly<{
  parameters?: ScryptParameters
  /** How many passwords may wait before others are refused. */
  waiting?: number
}>

/**
 * Of the settings that OWASP's Password Storage Cheat Sheet calls equally strong, one that needs 32 MiB per hash: a
 * process with 512 MiB must not run out of them.
 */
const PARAMETERS: ScryptParameters = { cost: 2 ** 15, blockSize: 8, parallelization: 3 }

const ENTRY = new URL('./password-thread.ts', import.meta.url)
const THREADS = 2
const MAX_WAITING = 16
const SALT_BYTES = 16
const KEY_BYTES = 32

export function openPasswordHasher(options: PasswordHasherOptions = {}): PasswordHasher & AsyncDisposable {
  const { parameters = PARAMETERS, waiting = MAX_WAITING } = options
  const pool = new ThreadPool<PasswordMethods>({
    entry: ENTRY,
    name: 'password hashing',
    threads: THREADS,
    callsPerThread: 1,
    maxWaiting: waiting,
    decodeError: (message: string) => new Error(`a password could not be hashed: ${message}`),
    unavailable: (message, cause) => new Unavailable(message, cause),
  })
  const someSalt = (): string => toUnpadded(randomBytes(SALT_BYTES).toString('base64'))
  /** No password has this hash: comparing with it takes as long as with any other. */
  const nobodys = encodeHash({
    parameters,
    salt: someSalt(),
    key: toUnpadded(Buffer.alloc(KEY_BYTES).toString('base64')),
  })

  return {
    async hash(password) {
      const salt = someSalt()
      const key = await pool.call('derive', [password, salt, KEY_BYTES, parameters])
      return encodeHash({ parameters, salt, key: toUnpadded(key) })
    },

    async verify(password, encoded) {
      const stored = decodeHash(encoded ?? nobodys)
      const wanted = Buffer.from(stored.key, 'base64')
      const derived = await pool.call('derive', [password, stored.salt, wanted.length, stored.parameters])
      if (!timingSafeEqual(Buffer.from(derived, 'base64'), wanted) || encoded === undefined) return 'wrong'
      return haveSameParameters(stored.parameters, parameters) ? 'right' : 'outdated'
    },

    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
