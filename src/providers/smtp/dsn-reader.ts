/** Reads bounces in a thread: many short lines take seconds, and these bounces come from strangers. */
import type { AttemptRef } from '../../domain/ids.ts'
import { ThreadPool } from '../../lib/thread-pool.ts'
import type { Receipt } from '../../ports/provider.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { DsnMethods } from './dsn-thread.ts'

export type DsnReader = AsyncDisposable &
  Readonly<{
    /** What a bounce that came to the address of an attempt reports about it. */
    read: (raw: Uint8Array, ref: AttemptRef) => Promise<readonly Receipt[]>
  }>

const MAX_WAITING = 200
const MEMORY_MB = 64
const YOUNG_MB = 8

/** The thread starts with the first bounce. */
export function openDsnReader(): DsnReader {
  const pool = new ThreadPool<DsnMethods>({
    entry: new URL('./dsn-thread.ts', import.meta.url),
    name: 'bounce reading',
    threads: 1,
    // One at a time, so that a bounce which kills the thread fails no other.
    callsPerThread: 1,
    maxWaiting: MAX_WAITING,
    limits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    decodeError: (name: string) => new Error(`a bounce could not be read: ${name}`),
    unavailable: (message, cause) => new Unavailable(message, cause),
  })
  return {
    read: (raw, ref) => pool.call('read', [raw, ref]),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
