/**
 * Hashes one-time codes. A code has only a million values, so its hash must be slow, and useless to somebody who has
 * nothing but the database: bcrypt over an HMAC of challenge and code, whose key is derived from the master key. Bcrypt
 * runs in threads, one for each core, started when they are first needed. New codes and guesses take turns, and so do
 * tenants.
 */
import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { TenantId } from '../../domain/ids.ts'
import type { CodeHash } from '../../domain/otp/challenge.ts'
import { Places } from '../../lib/places.ts'
import { ThreadPool, type Turn } from '../../lib/thread-pool.ts'
import type { ChallengeRef } from '../../ports/challenges.ts'
import type { CodeHasher } from '../../ports/code-hasher.ts'
import { TenantOverload, Unavailable } from '../../ports/unavailable.ts'
import type { HashMethods } from './code-hash-thread.ts'

export type CodeHasherOptions = Readonly<{
  masterKey: Uint8Array
  /** The cost of bcrypt: one more doubles the time. Hashes of any cost can be compared. */
  cost: number
  threads?: number
  /** How many calls may wait before others are refused. */
  waiting?: number
  /** How many new codes, and as many guesses, of one tenant may wait. */
  waitingPerTenant?: number
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
const MAX_WAITING = 10_000
/** They take about two seconds. */
const MAX_WAITING_PER_THREAD = 32
/** New codes and guesses. */
const [GENERATING, CHECKING] = [0, 1]
const PEPPER_BYTES = 32
const TRIAL_MS = 2_000
/** Takes about a millisecond. */
const TRIAL_COST = 4

export function openCodeHasher(options: CodeHasherOptions): OpenCodeHasher {
  const { masterKey, cost, threads = availableParallelism(), waiting = MAX_WAITING, entry = ENTRY } = options
  const { waitingPerTenant = threads * MAX_WAITING_PER_THREAD } = options
  const pepper = createSecretKey(new Uint8Array(hkdfSync('sha256', masterKey, '', 'pombo pepper v1', PEPPER_BYTES)))
  const pool = new ThreadPool<HashMethods>({
    entry,
    name: 'code hashing',
    threads,
    callsPerThread: 2,
    maxWaiting: waiting,
    maxWaitingPerKey: waitingPerTenant,
    lanes: 2,
    decodeError: (message: string) => new Error(`a code could not be hashed: ${message}`),
    unavailable: (message, cause) => new Unavailable(message, cause),
    tooMany: tenantOverload,
  })
  const comparisons = new Places<TenantId>(waiting, waitingPerTenant)
  // The id has a fixed length, so no two pairs of id and code read the same.
  const keyedOf = ({ id }: ChallengeRef, code: string): string =>
    createHmac('sha256', pepper).update(id).update(code).digest('base64')

  return {
    hash: async (ref, code) =>
      (await pool.call('hash', [keyedOf(ref, code), cost], turnOf(GENERATING, ref))) as CodeHash,

    reserve(tenantId) {
      const place = comparisons.take(tenantId)
      if (place === 'full') throw new Unavailable('too many one-time codes wait to be checked')
      if (place === 'key-full') throw tenantOverload()
      return place
    },

    matches: (ref, code, hash) => pool.call('verify', [keyedOf(ref, code), hash], turnOf(CHECKING, ref)),

    check: toCheck(pool),

    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

const tenantOverload = (): TenantOverload =>
  new TenantOverload('Too many one-time codes of this tenant wait to be generated or checked')

const turnOf = (lane: number, { tenantId }: ChallengeRef): Turn => ({ lane, key: tenantId })

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
