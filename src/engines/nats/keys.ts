/**
 * The keys of messages, apart from the log, with what search may know. A key is written together
 * with the event that names it, and may be seen a moment after it, or never if the broker failed in
 * between; so a key that is missing is not a key that was destroyed: that leaves a mark.
 *
 * Only deleting by sequence overwrites a secret on disk; purging a subject would leave it there.
 */
import { randomBytes } from 'node:crypto'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { Content } from '../../domain/message/message.ts'
import { toSearchable } from '../../domain/message/searchable.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Contents } from './contents.ts'
import { ifLast, type JetStream, type Kept } from './jetstream.ts'
import { pause, persist } from './pause.ts'
import { KEPT, type Names, SHREDDED } from './subjects.ts'
import { decodeKey, encodeKey, type KeptKey, type Sealed } from './wire.ts'

export type Sealing = Readonly<{ sealer: Sealer; indexBodies: boolean }>
export type KeysDeps = Readonly<{ js: JetStream; names: Names; contents: Contents; sealing: Sealing; clock: Clock }>

/** Content under a key of its own: what goes into the log, and what is kept apart from it. */
export type SealedContent = Readonly<{ sealed: Sealed; key: KeptKey }>

/** Where a message was shredded, `searchable` is what was kept of it, if anything. */
export type Found = Readonly<{ kind: 'found'; key: KeptKey }> | Readonly<{ kind: 'shredded'; searchable?: string }>

/** What first events and keys have in common, and where the former lie. */
export type Named = Readonly<{ id: MessageId; kid: string; at: Instant }>

const MAKER_BYTES = 9
/** How far a key may lag behind its event; and an event this old has the key it will ever have. */
const LAG_MS = 2_000
const SETTLED = seconds(60)
const AGAIN_MS = 100
/** No caller waits for much longer than this to learn that the broker is away. */
const AGAIN_WITHIN_MS = 1_000

export class Keys {
  readonly #js: JetStream
  readonly #names: Names
  readonly #contents: Contents
  readonly #sealing: Sealing
  readonly #clock: Clock
  /** No two keys have one name, whoever makes them. */
  readonly #maker = randomBytes(MAKER_BYTES).toString('base64url')
  #made = 0

  constructor({ js, names, contents, sealing, clock }: KeysDeps) {
    this.#js = js
    this.#names = names
    this.#contents = contents
    this.#sealing = sealing
    this.#clock = clock
  }

  /** What is too large to travel with its event is stored on the way. */
  async seal(id: MessageId, tenantId: TenantId, content: Content): Promise<SealedContent> {
    const { sealer, indexBodies } = this.#sealing
    const { sealed, secret } = sealer.seal(id, Buffer.from(JSON.stringify(content)))
    const searchable = JSON.stringify(toSearchable(content, (to) => sealer.blind(tenantId, to), indexBodies))
    this.#made += 1
    const kid = `${this.#maker}${this.#made.toString(36)}`
    return { sealed: { kid, bytes: await this.#contents.stow(id, kid, sealed) }, key: { secret, searchable } }
  }

  /** Undefined where the broker has forgotten a part of it, for its age. */
  async open(id: MessageId, { bytes }: Sealed, key: KeptKey): Promise<Content | undefined> {
    const sealed = await this.#contents.fetch(id, key.bytes ?? bytes)
    if (sealed === undefined) return undefined
    const plain = this.#sealing.sealer.open(id, sealed, key.secret)
    return JSON.parse(Buffer.from(plain).toString()) as Content
  }

  /** Its sequence; undefined when the message has been shredded, after which no key is taken. */
  write(id: MessageId, { sealed, key }: SealedContent): Promise<number | undefined> {
    const unlessShredded = ifLast(0, this.#names.key(id, SHREDDED))
    return this.#js.publish(this.#names.key(id, sealed.kid), encodeKey(key), unlessShredded)
  }

  /** For a key whose event is stored: without it the event could never be read. */
  async writeAgain(id: MessageId, content: SealedContent): Promise<void> {
    for (const began = performance.now(); ; await pause(AGAIN_MS)) {
      try {
        await this.write(id, content)
        return
      } catch (error) {
        if (!(error instanceof Unavailable) || performance.now() - began > AGAIN_WITHIN_MS) throw error
      }
    }
  }

  erase(seq: number): Promise<void> {
    return this.#js.erase(this.#names.keys, seq)
  }

  /** The newest of all keys of a message, to be looked at by `find`; asked for early to save time. */
  newest(id: MessageId): Promise<Kept | undefined> {
    return this.#js.get(this.#names.keys, { last_by_subj: this.#names.key(id, '*') })
  }

  /** Waits for one that lags behind its event. Undefined when it was never written. */
  async find(named: Named, newest?: Kept): Promise<Found | undefined> {
    const found = await this.#look(named, newest ?? (await this.newest(named.id)))
    if (found !== undefined || later(named.at, SETTLED) < this.#clock()) return found
    return persist(async () => this.#look(named, await this.newest(named.id)), LAG_MS)
  }

  /** Does not wait. */
  async findNow(named: Named): Promise<Found | undefined> {
    return this.#look(named, await this.newest(named.id))
  }

  /** Gives an event whose key was never written a new one, with the content that belongs to it; unless it has one by now. */
  async mend(named: Named, tenantId: TenantId, content: Content): Promise<void> {
    const { id, kid } = named
    const { sealed, key } = await this.seal(id, tenantId, content)
    const entry = encodeKey({ ...key, bytes: sealed.bytes })
    do {
      const seq = await this.#js.publish(this.#names.key(id, kid), entry, ifLast(0, this.#names.key(id, '*')))
      if (seq !== undefined) return
    } while (await this.#eraseOrphans(named))
  }

  /** The mark goes first: from then on nobody writes a key, and those that are there can be gone through. */
  async shred(id: MessageId): Promise<void> {
    await this.#js.publish(this.#names.key(id, SHREDDED), '')
    for await (const { seq } of this.#keysOf(id)) await this.erase(seq)
  }

  /** Destroys the secrets alone. What search may know is noted before the mark, and never after it. */
  async shredSecret(id: MessageId, searchable: string | undefined): Promise<void> {
    const kept = this.#names.key(id, KEPT)
    if (searchable !== undefined && (await this.#kept(id)) === undefined) {
      await this.#js.publish(kept, searchable, ifLast(0, this.#names.key(id, SHREDDED)))
    }
    await this.#js.publish(this.#names.key(id, SHREDDED), '')
    for await (const { subject, seq } of this.#keysOf(id)) if (subject !== kept) await this.erase(seq)
  }

  /**
   * Keys of calls that came too late, and never learned whether their key was stored: no event names
   * them. Whether there were any.
   */
  async #eraseOrphans({ id, kid }: Named): Promise<boolean> {
    let erased = false
    for await (const { subject, seq } of this.#keysOf(id)) {
      if (subject === this.#names.key(id, kid)) continue
      await this.erase(seq)
      erased = true
    }
    return erased
  }

  /** All keys of a message, up to the mark that none may follow. */
  async *#keysOf(id: MessageId): AsyncIterable<Kept> {
    for (let seq = 1; ; seq += 1) {
      const kept = await this.#js.get(this.#names.keys, { seq, next_by_subj: this.#names.key(id, '*') })
      if (kept === undefined || isMark(kept)) return
      seq = kept.seq
      yield kept
    }
  }

  #kept(id: MessageId): Promise<Kept | undefined> {
    return this.#js.get(this.#names.keys, { last_by_subj: this.#names.key(id, KEPT) })
  }

  async #shredded(id: MessageId): Promise<Found> {
    const kept = await this.#kept(id)
    return kept === undefined
      ? { kind: 'shredded' }
      : { kind: 'shredded', searchable: Buffer.from(kept.data).toString() }
  }

  async #look({ id, kid }: Named, newest: Kept | undefined): Promise<Found | undefined> {
    if (newest === undefined) return undefined
    if (isMark(newest)) return this.#shredded(id)
    const subject = this.#names.key(id, kid)
    const kept = newest.subject === subject ? newest : await this.#js.get(this.#names.keys, { last_by_subj: subject })
    return kept && { kind: 'found', key: decodeKey(kept.data) }
  }
}

const isMark = ({ subject }: Kept): boolean => subject.endsWith(`.${SHREDDED}`)
