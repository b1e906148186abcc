/**
 * Hashes one-time codes. A code has only a million values, so its hash must be slow, and useless to an attacker who
 * has only the database: bcrypt over an HMAC of challenge and code, keyed from the master key. Threads do the slow
 * part, one per core, started when first needed.
 */
import { createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { availableParallelism } from 'node:os'
import type { MessageId } from '../../domain/ids.ts'
import type { CodeHash } from '../../domain/otp/challenge.ts'
import type { CodeHasher } from '../../ports/code-hasher.ts'
import { HashThreads } from './hash-threads.ts'

export type CodeHasherOptions = Readonly<{
  masterKey: Uint8Array
  /** The cost of bcrypt: each step doubles the time. Hashes of other costs still match. */
  cost: number
  threads?: number
  /** How many calls may wait before further ones are refused. */
  waiting?: number
  /** What the threads run instead of bcrypt; for tests. */
  script?: URL
}>

export type OpenCodeHasher = CodeHasher &
  AsyncDisposable &
  Readonly<{
    /** Rejects when codes cannot be hashed: the native module does not load, or the threads die. */
    check: () => Promise<void>
  }>

const MOST_WAITING = 1_000
const PEPPER_BYTES = 32

export function openCodeHasher(options: CodeHasherOptions): OpenCodeHasher {
  const { masterKey, cost, threads: count = availableParallelism(), waiting = MOST_WAITING } = options
  const pepper = createSecretKey(new Uint8Array(hkdfSync('sha256', masterKey, '', 'pombo pepper v1', PEPPER_BYTES)))
  const threads = new HashThreads({ count, waiting, script: options.script })
  // The id has a fixed length, so the concatenation is unambiguous.
  const keyedOf = (id: MessageId, code: string): string =>
    createHmac('sha256', pepper).update(id).update(code).digest('base64')

  return {
    hash: async (id, code) => (await threads.perform({ keyed: keyedOf(id, code), cost })) as CodeHash,

    async matches(id, code, hash) {
      const matched = await threads.perform({ keyed: keyedOf(id, code), hash: hash ?? nobodysHash(cost) })
      return matched === true && hash !== undefined
    },

    check: () => threads.check(),

    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}

/** A well-formed hash that nothing matches, so that comparing takes as long as with a real one. */
const nobodysHash = (cost: number): string => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`
