/**
 * Reads the stream of keys alongside the log, for a follower that needs the searchable fields of every message: a page
 * of keys costs one request, and asking for each of them one each.
 */
import type { MessageId } from '../../domain/ids.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import { type Instant, later, millis } from '../../lib/time.ts'
import type { JetStream } from './jetstream.ts'
import { membersOf } from './key-blocks.ts'
import type { KeyRef } from './keys.ts'
import type { Delivery } from './pulls.ts'
import { openSource, type StreamSource } from './stream-source.ts'
import { isKeyBlock, type Names, parseOwned, SHREDDED } from './subjects.ts'
import { readSearchable } from './wire.ts'

type Read = Readonly<{ kid: string; searchable: string }>

const PAGE = 512
/** Keys that were read before their events. */
const REMEMBERED = 16_384
/** A key is written with its event, but the two streams may store them in either order. */
const EARLIER = millis(10_000)

export class KeyReader implements AsyncDisposable {
  readonly #js: JetStream
  readonly #names: Names
  readonly #read = new LruCache<MessageId, Read>(REMEMBERED)
  #source: StreamSource | undefined

  constructor(js: JetStream, names: Names) {
    this.#js = js
    this.#names = names
  }

  /** Reads the keys that belong to the events of this time, as far as they are stored. */
  async readFor(first: Instant, last: Instant): Promise<void> {
    this.#source ??= await openSource(this.#js, this.#names.keys, { since: later(first, millis(-EARLIER)) })
    for (;;) {
      const page = await this.#source.available(PAGE)
      if (page === undefined) return this.#close()
      for (const delivery of page) this.#remember(delivery)
      const newest = page.at(-1)
      if (newest === undefined || newest.at > last) return
    }
  }

  /** The searchable fields under this key, once; undefined if they were not read. */
  take({ id, kid }: KeyRef): string | undefined {
    const read = this.#read.get(id)
    if (read?.kid !== kid) return undefined
    this.#read.delete(id)
    return read.searchable
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
  }

  #remember(delivery: Delivery): void {
    const { subject, data } = delivery
    if (isKeyBlock(subject)) {
      for (const { id, kid, key } of membersOf(delivery)) this.#read.set(id, { kid, searchable: key.searchable })
      return
    }
    const { id, kid } = parseOwned(subject)
    if (kid === SHREDDED) this.#read.delete(id)
    else this.#read.set(id, { kid, searchable: readSearchable(data) })
  }

  async #close(): Promise<void> {
    const source = this.#source
    this.#source = undefined
    await source?.[Symbol.asyncDispose]()
  }
}
