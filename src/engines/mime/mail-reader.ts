/**
 * Reads mails in a thread, because the largest take longer than anything else may wait. Small ones are read at once,
 * which takes less than a call to the thread. The parser is not loaded before there is a mail.
 */
import { ThreadPool } from '../../lib/thread-pool.ts'
import type { MailReader } from '../../ports/mail-reader.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { MailMethods } from './reading-thread.ts'

/** Up to this size a mail is read at once, which takes about a millisecond. */
const SMALL_BYTES = 4 * 1024
const SMALL_LINES = 100
const LINE_FEED = 0x0a
const MAX_WAITING = 1_000
/** For the largest mail in several forms. */
const MEMORY_MB = 512
const YOUNG_MB = 32

/** Lines cost more than bytes. */
function isSmall(raw: Uint8Array): boolean {
  if (raw.length > SMALL_BYTES) return false
  let lines = 0
  for (const byte of raw) if (byte === LINE_FEED) lines += 1
  return lines <= SMALL_LINES
}

export function openMailReader(): MailReader & AsyncDisposable {
  const pool = new ThreadPool<MailMethods>({
    entry: new URL('./reading-thread.ts', import.meta.url),
    name: 'mail reading',
    threads: 1,
    // One at a time, so that a mail which kills the thread fails no other.
    callsPerThread: 1,
    maxWaiting: MAX_WAITING,
    limits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    decodeError: (name: string) => new Error(`a mail could not be read: ${name}`),
    unavailable: (message, cause) => new Unavailable(message, cause),
  })
  return {
    async read(raw, defaults, of) {
      if (!isSmall(raw)) return pool.call('read', [raw, defaults], { lane: 0, key: of })
      const { readMail } = await import('./read-mail.ts')
      return readMail(raw, defaults)
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}
