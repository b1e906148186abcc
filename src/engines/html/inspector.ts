/**
 * Reads html in a thread of its own, started when there is some to read: the largest takes a tenth of a second. What is
 * short is read at once, because handing it over would take longer. A gateway that sends no mail loads no parser.
 */
import type { MessageId } from '../../domain/ids.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import type { HtmlFlaw, HtmlInspector } from '../../ports/html-inspector.ts'
import { Reader } from './reader.ts'

export type HtmlInspectorOptions = Readonly<{
  /** So many letters are still short: they take a fifth of a millisecond. */
  short?: number
  /** How many may wait before others are turned away. */
  waiting?: number
  /** How much the thread may use. */
  memoryMb?: number
}>

const SHORT = 4_096
/** As many as the hands of a process with many providers. */
const MOST_WAITING = 5_000
/** More than the largest mail needs, whatever is in it. */
const MEMORY_MB = 512
const MOST_REMEMBERED = 10_000

export function openHtmlInspector(options: HtmlInspectorOptions = {}): HtmlInspector & AsyncDisposable {
  const { short = SHORT, waiting = MOST_WAITING, memoryMb = MEMORY_MB } = options
  const reader = new Reader({ waiting, memoryMb })
  const remembered = new LruCache<MessageId, readonly HtmlFlaw[]>(MOST_REMEMBERED)
  return {
    async inspect(html, of) {
      if (html.length <= short) return readHere(html)
      if (of === undefined) return reader.read(html)
      const found = remembered.get(of) ?? (await reader.read(html))
      remembered.set(of, found)
      return found
    },

    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
}

async function readHere(html: string): Promise<readonly HtmlFlaw[]> {
  const { findFlaws } = await import('./flaws.ts')
  return findFlaws(html)
}
