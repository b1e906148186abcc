/**
 * The keys of messages, apart from the log, with the searchable fields. A key is written together with the event that
 * names it: in a block with others, or alone if it will be destroyed soon or its content is large. It may become visible
 * slightly later, or never if the broker failed in between, so a missing key is not a destroyed one: shredding leaves a
 * mark.
 *
 * Only deleting by sequence overwrites a secret on disk; purging a subject does not.
 */
import { randomBytes } from 'node:crypto'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { Content, Lane } from '../../domain/message/message.ts'
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
import { blockOf, isInBlock, KeyBlocks, type Member, type Place } from './key-blocks.ts'
import { KEPT_SEARCHABLE, type Names, SHREDDED } from './subjects.ts'
import { decodeKey, encodeKey, type Sealed, type StoredKey } from './wire.ts'

export type Sealing = Readonly<{ sealer: Sealer; indexBodies: boolean }>
export type KeysDeps = Readonly<{ js: JetStream; names: Names; contents: Contents; sealing: Sealing; clock: Clock }>

/** Whose content it is. A one-time code is erased as soon as it ends. */
export type Owner = Readonly<{ id: MessageId; tenantId: TenantId; lane: Lane }>

/**
 * Content sealed under a key of its own: the part for the log, the key stored apart from it and its place if that is in
 * a block, and what was sealed.
 */
export type SealedContent = Readonly<{ sealed: Sealed; key: StoredKey; place?: Place; json: string }>

type Made = Readonly<{ bytes: Uint8Array; key: StoredKey; json: string }>

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
  readonly #blocks: KeyBlocks
  /** Random, so that no two processes use the same key id. */
  readonly #kidPrefix = randomBytes(KID_PREFIX_BYTES).toString('base64url')
  #kids = 0

  constructor({ js, names, contents, sealing, clock }: KeysDeps) {
    this.#js = js
    this.#names = names
    this.#contents = contents
    this.#sealing = sealing
    this.#clock = clock
    this.#blocks = new KeyBlocks(js, names)
  }

  /** Stores content that is too large for the event. */
  async seal(owner: Owner, content: Content): Promise<SealedContent> {
    const { id, lane } = owner
    const made = this.#seal(owner, content)
    if (lane === 'otp' || this.#contents.isLarge(made.bytes)) return this.#sealAlone(id, made)
    const place = this.#blocks.add(id, made.key)
    return { sealed: { kid: place.kid, bytes: made.bytes }, key: made.key, place, json: made.json }
  }

  /** Undefined when the broker has dropped a piece by age. */
  async open(id: MessageId, { bytes }: Sealed, key: StoredKey): Promise<Content | undefined> {
    const sealed = await this.#contents.fetch(id, key.bytes ?? bytes)
    if (sealed === undefined) return undefined
    const plain = this.#sealing.sealer.open(id, sealed, key.secret)
    return JSON.parse(Buffer.from(plain).toString()) as Content
  }

  write(id: MessageId, { sealed, key, place }: SealedContent): Promise<unknown> {
    return place === undefined ? this.#writeAlone(id, sealed.kid, key) : this.#blocks.written(place)
  }

  /** Retries, because the event is stored and could not be read without its key. */
  async writeWithRetry(id: MessageId, content: SealedContent): Promise<void> {
    const { sealed, key, place } = content
    for (const began = performance.now(); ; await pause(RETRY_EVERY_MS)) {
      try {
        await (place === undefined ? this.#writeAlone(id, sealed.kid, key) : this.#blocks.writeAgain(place))
        return
      } catch (error) {
        if (!(error instanceof Unavailable) || performance.now() - began > RETRY_WITHIN_MS) throw error
      }
    }
  }

  /** Destroys the key of a message that the log refused. */
  async discard(id: MessageId, { sealed: { kid, bytes }, place }: SealedContent): Promise<void> {
    if (place !== undefined) return this.#blocks.refuse(place)
    const stored = await this.#js.get(this.#names.keys, { last_by_subj: this.#names.key(id, kid) })
    if (stored !== undefined) await this.erase(stored.seq)
    if (this.#contents.isOffloaded(bytes)) await this.#contents.purge(id, kid)
  }

  erase(seq: number): Promise<void> {
    return this.#js.erase(this.#names.keys, seq)
  }

  /** Waits for a key that lags behind its event. Undefined when it was never written. */
  async find(ref: KeyRef): Promise<Found | undefined> {
    const found = await this.findNow(ref)
    if (found !== undefined || later(ref.at, SETTLED) < this.#clock()) return found
    return retryUntilFound(() => this.findNow(ref), LAG_MS)
  }

  /** Like `find`, without waiting. */
  async findNow({ id, kid }: KeyRef): Promise<Found | undefined> {
    const key = isInBlock(kid) ? await this.#blocks.find(id, kid) : undefined
    return key === undefined ? this.#findAlone(id, kid) : { kind: 'found', key }
  }

  /** Whether there are keys of a message apart from blocks, or marks of destroyed ones. */
  async hasAny(id: MessageId): Promise<boolean> {
    return (await this.#newest(id)) !== undefined
  }

  /** Whether the broker stores this key, or the block it is in, according to its index of subjects. */
  isStored(id: MessageId, kid: string): Promise<boolean> {
    const { keyBlock, key, keys } = this.#names
    return this.#js.holds(keys, isInBlock(kid) ? keyBlock(blockOf(kid)) : key(id, kid))
  }

  /** Gives an event whose key was never written a new one, with its content; unless it has one by now. */
  async replaceLost(ref: KeyRef, owner: Owner, content: Content): Promise<void> {
    const { id, kid } = ref
    const { sealed, key } = await this.#sealAlone(id, this.#seal(owner, content))
    const entry = encodeKey({ ...key, bytes: sealed.bytes })
    do {
      const seq = await this.#js.publish(this.#names.key(id, kid), entry, ifLast(0, this.#names.key(id, '*')))
      if (seq !== undefined) return
    } while (await this.#eraseOrphans(ref))
  }

  /** Writes the mark first: after it no key is accepted, so all existing ones can be erased. `kid` is the event's. */
  async shred(id: MessageId, kid: string | undefined): Promise<void> {
    await this.#js.publish(this.#names.key(id, SHREDDED), '')
    await this.#removeFromBlock(kid)
    for await (const { seq } of this.#keysOf(id)) await this.erase(seq)
  }

  /** Destroys only the secrets. The searchable fields are written before the mark, never after it. */
  async shredSecret(id: MessageId, kid: string | undefined, searchable: string | undefined): Promise<void> {
    const kept = this.#names.key(id, KEPT_SEARCHABLE)
    if (searchable !== undefined && (await this.#readSearchable(id)) === undefined) {
      await this.#js.publish(kept, searchable, ifLast(0, this.#names.key(id, SHREDDED)))
    }
    await this.#js.publish(this.#names.key(id, SHREDDED), '')
    await this.#removeFromBlock(kid)
    for await (const { subject, seq } of this.#keysOf(id)) if (subject !== kept) await this.erase(seq)
  }

  /** Deletes the keys of messages that are no longer kept, and the marks: those would forbid keys for a new message. */
  async purge(ids: readonly MessageId[], kids: readonly string[]): Promise<void> {
    const path = `STREAM.PURGE.${this.#names.keys}`
    await Promise.all(ids.map((id) => this.#js.api(path, { filter: this.#names.key(id, '*') })))
    await this.#blocks.remove(kids.filter(isInBlock), 'purge')
  }

  /** The messages whose keys are in a block, as far as these are not destroyed. */
  membersOf(seq: number): Promise<readonly Member[]> {
    return this.#blocks.members(seq)
  }

  /** Destroys one key that opens nothing. */
  destroy(kid: string, seq: number): Promise<void> {
    return isInBlock(kid) ? this.#removeFromBlock(kid) : this.erase(seq)
  }

  async #removeFromBlock(kid: string | undefined): Promise<void> {
    if (kid !== undefined && isInBlock(kid)) await this.#blocks.remove([kid], 'destroy')
  }

  #seal({ id, tenantId }: Owner, content: Content): Made {
    const { sealer, indexBodies } = this.#sealing
    const json = JSON.stringify(content)
    const { sealed: bytes, secret } = sealer.seal(id, Buffer.from(json))
    const searchable = JSON.stringify(toSearchable(content, (to) => sealer.blind(tenantId, to), indexBodies))
    return { bytes, key: { secret, searchable }, json }
  }

  async #sealAlone(id: MessageId, { bytes, key, json }: Made): Promise<SealedContent> {
    this.#kids += 1
    const kid = `${this.#kidPrefix}${this.#kids.toString(36)}`
    return { sealed: { kid, bytes: await this.#contents.offload(id, kid, bytes) }, key, json }
  }

  /** Refused when the message was shredded. */
  #writeAlone(id: MessageId, kid: string, key: StoredKey): Promise<unknown> {
    return this.#js.publish(this.#names.key(id, kid), encodeKey(key), ifLast(0, this.#names.key(id, SHREDDED)))
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

  /** The newest of all keys of a message. */
  #newest(id: MessageId): Promise<Stored | undefined> {
    return this.#js.get(this.#names.keys, { last_by_subj: this.#names.key(id, '*') })
  }

  async #findAlone(id: MessageId, kid: string): Promise<Found | undefined> {
    const newest = await this.#newest(id)
    if (newest === undefined) return undefined
    if (isShredMark(newest)) return this.#readShredded(id)
    const subject = this.#names.key(id, kid)
    const stored = newest.subject === subject ? newest : await this.#js.get(this.#names.keys, { last_by_subj: subject })
    return stored && { kind: 'found', key: decodeKey(stored.data) }
  }
}

const isShredMark = ({ subject }: Stored): boolean => subject.endsWith(`.${SHREDDED}`)
