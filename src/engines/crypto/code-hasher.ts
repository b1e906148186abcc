/**
 * Hashes one-time codes. A code has only a million values, so its hash must be slow, and useless to somebody who has
 * nothing but the database: bcrypt over an HMAC of challenge and code, whose key is derived from the master key. Bcrypt
 * runs in threads, one for each core, started when they are first needed.
 */
import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { MessageId } from '../../domain/ids.ts'
import type { CodeHash } from '../../domain/otp/challenge.ts'
import { ThreadPool } from '../../lib/thread-pool.ts'
import type { CodeHasher } from '../../ports/code-hasher.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { HashMethods } from './code-hash-thread.ts'

export type CodeHasherOptions = Readonly<{
  masterKey: Uint8Array
  /** The cost of bcrypt: one more doubles the time. Hashes of any cost can be compared. */
  cost: number
  threads?: number
  /** How many calls may wait before others are refused. */
  waiting?: number
  /** What the threads run; for tests. */
  entry?: URL
}>

export type OpenCodeHasher = CodeHasher &
  AsyncDisposable &
  Readonly<{
    /** Rejects when codes cannot be hashed: the native module does not load, or the threads die. */
    check: () => Promise<void>
  }>

const ENTRY = new URL('./code-hash-thread.ts', import.meta.url)
const MAX_WAITING = 1_000
const PEPPER_BYTES = 32
const TRIAL_MS = 2_000
/** Takes about a millisecond. */
const TRIAL_COST = 4

export function openCodeHasher(options: CodeHasherOptions): OpenCodeHasher {
  const { masterKey, cost, threads = availableParallelism(), waiting = MAX_WAITING, entry = ENTRY } = options
  const pepper = createSecretKey(new Uint8Array(hkdfSync('sha256', masterKey, '', 'pombo pepper v1', PEPPER_BYTES)))
  const pool = new ThreadPool<HashMethods>({
    entry,
    name: 'code hashing',
    threads,
    callsPerThread: 2,
    maxWaiting: waiting,
    decodeError: (message: string) => new Error(`a code could not be hashed: ${message}`),
    unavailable: (message, cause) => new Unavailable(message, cause),
  })
  // The id has a fixed length, so no two pairs of id and code read the same.
  const keyedOf = (id: MessageId, code: string): string =>
    createHmac('sha256', pepper).update(id).update(code).digest('base64')

  return {
    hash: async (id, code) => (await pool.call('hash', [keyedOf(id, code), cost])) as CodeHash,

    async matches(id, code, hash) {
      const matched = await pool.call('verify', [keyedOf(id, code), hash ?? nobodysHash(cost)])
      return matched && hash !== undefined
    },

    check: toCheck(pool),

    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

/** Hashes nothing while the last call succeeded. Checks made at the same time share one trial. */
function toCheck(pool: ThreadPool<HashMethods>): () => Promise<void> {
  let trial: Promise<unknown> | undefined
  return async () => {
    if (pool.isProven) return
    trial ??= pool.call('hash', ['trial', TRIAL_COST]).finally(() => {
      trial = undefined
    })
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Unavailable(`nothing was hashed within ${TRIAL_MS} ms`)), TRIAL_MS)
    await Promise.race([trial, timeout]).finally(() => clearTimeout(timer))
  }
}

/** A well-formed hash of nothing: comparing with it takes as long as with any other. */
const nobodysHash = (cost: number): string => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`
