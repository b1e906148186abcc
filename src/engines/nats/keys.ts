/**
 * The keys of messages, apart from the log, with the searchable fields. A key is written together with the event that
 * names it. It may become visible slightly later, or never if the broker failed in between, so a missing key is not a
 * destroyed one: shredding leaves a mark.
 *
 * Only deleting by sequence overwrites a secret on disk; purging a subject does not.
 */
import { randomBytes } from 'node:crypto'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { Content } from '../../domain/message/message.ts'
import { toSearchable } from '../../domain/message/searchable.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { pause } from '../../lib/pause.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Contents } from './contents.ts'
import { retryUntilFound } from './deadlines.ts'
import { ifLast, type JetStream, type Stored } from './jetstream.ts'
import { KEPT_SEARCHABLE, type Names, SHREDDED } from './subjects.ts'
import { decodeKey, encodeKey, type Sealed, type StoredKey } from './wire.ts'

export type Sealing = Readonly<{ sealer: Sealer; indexBodies: boolean }>
export type KeysDeps = Readonly<{ js: JetStream; names: Names; contents: Contents; sealing: Sealing; clock: Clock }>

/** Content sealed under a key of its own: the part for the log, the key stored apart from it, and what was sealed. */
export type SealedContent = Readonly<{ sealed: Sealed; key: StoredKey; plain: Uint8Array }>

/** `searchable` of a shredded message is what was stored of it, if anything. */
export type Found = Readonly<{ kind: 'found'; key: StoredKey }> | Readonly<{ kind: 'shredded'; searchable?: string }>

/** Identifies the key of a first event, and when that event was stored. */
export type KeyRef = Readonly<{ id: MessageId; kid: string; at: Instant }>

const KID_PREFIX_BYTES = 9
/** How long a key may become visible after its event. A key still missing after `SETTLED` was never written. */
const LAG_MS = 2_000
const SETTLED = seconds(60)
const RETRY_EVERY_MS = 100
/** Bounds how much longer a caller waits to learn that the broker is unreachable. */
const RETRY_WITHIN_MS = 1_000

export class Keys {
  readonly #js: JetStream
  readonly #names: Names
  readonly #contents: Contents
  readonly #sealing: Sealing
  readonly #clock: Clock
  /** Random, so that no two processes use the same key id. */
  readonly #kidPrefix = randomBytes(KID_PREFIX_BYTES).toString('base64url')
  #kids = 0

  constructor({ js, names, contents, sealing, clock }: KeysDeps) {
    this.#js = js
    this.#names = names
    this.#contents = contents
    this.#sealing = sealing
    this.#clock = clock
  }

  /** Stores content that is too large for the event. */
  async seal(id: MessageId, tenantId: TenantId, content: Content): Promise<SealedContent> {
    const { sealer, indexBodies } = this.#sealing
    const plain = Buffer.from(JSON.stringify(content))
    const { sealed, secret } = sealer.seal(id, plain)
    const searchable = JSON.stringify(toSearchable(content, (to) => sealer.blind(tenantId, to), indexBodies))
    this.#kids += 1
    const kid = `${this.#kidPrefix}${this.#kids.toString(36)}`
    const bytes = await this.#contents.offload(id, kid, sealed)
    return { sealed: { kid, bytes }, key: { secret, searchable }, plain }
  }

  /** Undefined when the broker has dropped a piece by age. */
  async open(id: MessageId, { bytes }: Sealed, key: StoredKey): Promise<Content | undefined> {
    const sealed = await this.#contents.fetch(id, key.bytes ?? bytes)
    if (sealed === undefined) return undefined
    const plain = this.#sealing.sealer.open(id, sealed, key.secret)
    return JSON.parse(Buffer.from(plain).toString()) as Content
  }

  /** The sequence; undefined when the message was shredded, after which no key is accepted. */
  write(id: MessageId, { sealed, key }: Omit<SealedContent, 'plain'>): Promise<number | undefined> {
    const unlessShredded = ifLast(0, this.#names.key(id, SHREDDED))
    return this.#js.publish(this.#names.key(id, sealed.kid), encodeKey(key), unlessShredded)
  }

  /** Retries, because the event is stored and could not be read without its key. */
  async writeWithRetry(id: MessageId, content: SealedContent): Promise<void> {
    for (const began = performance.now(); ; await pause(RETRY_EVERY_MS)) {
      try {
        await this.write(id, content)
        return
      } catch (error) {
        if (!(error instanceof Unavailable) || performance.now() - began > RETRY_WITHIN_MS) throw error
      }
    }
  }

  erase(seq: number): Promise<void> {
    return this.#js.erase(this.#names.keys, seq)
  }

  /** The newest of all keys of a message, for `find`; fetched early to save a round trip. */
  newest(id: MessageId): Promise<Stored | undefined> {
    return this.#js.get(this.#names.keys, { last_by_subj: this.#names.key(id, '*') })
  }

  /** Waits for a key that lags behind its event. Undefined when it was never written. */
  async find(ref: KeyRef, newest?: Stored): Promise<Found | undefined> {
    const found = await this.#look(ref, newest ?? (await this.newest(ref.id)))
    if (found !== undefined || later(ref.at, SETTLED) < this.#clock()) return found
    return retryUntilFound(async () => this.#look(ref, await this.newest(ref.id)), LAG_MS)
  }

  /** Like `find`, without waiting. */
  async findNow(ref: KeyRef): Promise<Found | undefined> {
    return this.#look(ref, await this.newest(ref.id))
  }

  /** Gives an event whose key was never written a new one, with its content; unless it has one by now. */
  async replaceLost(ref: KeyRef, tenantId: TenantId, content: Content): Promise<void> {
    const { id, kid } = ref
    const { sealed, key } = await this.seal(id, tenantId, content)
    const entry = encodeKey({ ...key, bytes: sealed.bytes })
    do {
      const seq = await this.#js.publish(this.#names.key(id, kid), entry, ifLast(0, this.#names.key(id, '*')))
      if (seq !== undefined) return
    } while (await this.#eraseOrphans(ref))
  }

  /** Writes the mark first: after it no key is accepted, so all existing ones can be erased. */
  async shred(id: MessageId): Promise<void> {
    await this.#js.publish(this.#names.key(id, SHREDDED), '')
    for await (const { seq } of this.#keysOf(id)) await this.erase(seq)
  }

  /** Destroys only the secrets. The searchable fields are written before the mark, never after it. */
  async shredSecret(id: MessageId, searchable: string | undefined): Promise<void> {
    const kept = this.#names.key(id, KEPT_SEARCHABLE)
    if (searchable !== undefined && (await this.#readSearchable(id)) === undefined) {
      await this.#js.publish(kept, searchable, ifLast(0, this.#names.key(id, SHREDDED)))
    }
    await this.#js.publish(this.#names.key(id, SHREDDED), '')
    for await (const { subject, seq } of this.#keysOf(id)) if (subject !== kept) await this.erase(seq)
  }

  /** Erases keys that no event names, left by calls that lost the race and never got an answer. Returns whether any were. */
  async #eraseOrphans({ id, kid }: KeyRef): Promise<boolean> {
    let erased = false
    for await (const { subject, seq } of this.#keysOf(id)) {
      if (subject === this.#names.key(id, kid)) continue
      await this.erase(seq)
      erased = true
    }
    return erased
  }

  /** All keys of a message, up to the mark. */
  async *#keysOf(id: MessageId): AsyncIterable<Stored> {
    for (let seq = 1; ; seq += 1) {
      const stored = await this.#js.get(this.#names.keys, { seq, next_by_subj: this.#names.key(id, '*') })
      if (stored === undefined || isShredMark(stored)) return
      seq = stored.seq
      yield stored
    }
  }

  #readSearchable(id: MessageId): Promise<Stored | undefined> {
    return this.#js.get(this.#names.keys, { last_by_subj: this.#names.key(id, KEPT_SEARCHABLE) })
  }

  async #readShredded(id: MessageId): Promise<Found> {
    const stored = await this.#readSearchable(id)
    return omitUndefined({ kind: 'shredded' as const, searchable: stored && Buffer.from(stored.data).toString() })
  }

  async #look({ id, kid }: KeyRef, newest: Stored | undefined): Promise<Found | undefined> {
    if (newest === undefined) return undefined
    if (isShredMark(newest)) return this.#readShredded(id)
    const subject = this.#names.key(id, kid)
    const stored = newest.subject === subject ? newest : await this.#js.get(this.#names.keys, { last_by_subj: subject })
    return stored && { kind: 'found', key: decodeKey(stored.data) }
  }
}

const isShredMark = ({ subject }: Stored): boolean => subject.endsWith(`.${SHREDDED}`)
