/**
 * Parses html in a thread, because the largest takes a tenth of a second. Short html is parsed at once, because a call
 * to the thread would take longer. The parser is not loaded before there is html.
 */
import type { MessageId } from '../../domain/ids.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import { ThreadPool } from '../../lib/thread-pool.ts'
import type { HtmlFlaw, HtmlInspector } from '../../ports/html-inspector.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { HtmlMethods } from './reading-thread.ts'

export type HtmlInspectorOptions = Readonly<{
  /** Up to this length html is parsed at once, which takes a fifth of a millisecond. */
  short?: number
  /** How many calls may wait for the thread before others are refused. */
  waiting?: number
  /** The heap of the thread. */
  memoryMb?: number
}>

const SHORT = 4_096
/** As many as a process with many providers sends at once. */
const MAX_WAITING = 5_000
/** More than any mail needs. */
const MEMORY_MB = 512
const YOUNG_MB = 32
const MAX_CACHED = 10_000

export function openHtmlInspector(options: HtmlInspectorOptions = {}): HtmlInspector & AsyncDisposable {
  const { short = SHORT, waiting = MAX_WAITING, memoryMb = MEMORY_MB } = options
  const pool = new ThreadPool<HtmlMethods>({
    entry: new URL('./reading-thread.ts', import.meta.url),
    name: 'html parsing',
    threads: 1,
    // One at a time, so that html which kills the thread fails no other call.
    callsPerThread: 1,
    maxWaiting: waiting,
    limits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: YOUNG_MB },
    decodeError: (name: string) => new Error(`html could not be parsed: ${name}`),
    unavailable: (message, cause) => new Unavailable(message, cause),
  })
  const cached = new LruCache<MessageId, readonly HtmlFlaw[]>(MAX_CACHED)
  return {
    async inspect(html, of) {
      if (html.length <= short) return findFlawsHere(html)
      if (of === undefined) return pool.call('findFlaws', [html])
      const flaws = cached.get(of) ?? (await pool.call('findFlaws', [html]))
      cached.set(of, flaws)
      return flaws
    },

    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

async function findFlawsHere(html: string): Promise<readonly HtmlFlaw[]> {
  const { findFlaws } = await import('./flaws.ts')
  return findFlaws(html)
}
