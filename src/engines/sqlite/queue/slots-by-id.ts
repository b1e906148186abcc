/**
 * Finds the slot of a message by its id. The ids are in the records, as the four words of a UUID. Many small hash
 * tables instead of a large one: each grows by itself, in a fraction of a millisecond.
 *
 * An id that is not a lowercase UUID does not fit into a record and is kept in a map.
 */
import type { MessageId } from '../../../domain/ids.ts'
import { parseUuid, toUuid } from '../../../lib/uuid-words.ts'
import { ID, type JobRecords, NONE, type Slot } from './job-records.ts'
import { SlotTable } from './slot-table.ts'

export type Hash = (first: number, second: number, third: number, fourth: number) => number

const TABLE_BITS = 8

export class SlotsById {
  readonly #records: JobRecords
  readonly #hash: Hash
  readonly #tables = Array.from({ length: 2 ** TABLE_BITS }, () => new SlotTable())
  readonly #others = new Map<MessageId, Slot>()
  readonly #othersBySlot = new Map<Slot, MessageId>()
  /** The UUID that was parsed last. */
  readonly #words = new Int32Array(4)
  readonly #hasWords = (slot: Slot): boolean =>
    this.#word(slot, 0) === this.#words[0] &&
    this.#word(slot, 1) === this.#words[1] &&
    this.#word(slot, 2) === this.#words[2] &&
    this.#word(slot, 3) === this.#words[3]

  constructor(records: JobRecords, hash: Hash = mix) {
    this.#records = records
    this.#hash = hash
  }

  get bytes(): number {
    return this.#tables.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  find(id: MessageId): Slot {
    if (!parseUuid(id, this.#words)) return this.#others.get(id) ?? NONE
    const hash = this.#hashOfWords()
    return this.#tableOf(hash).find(hash, this.#hasWords)
  }

  /** The slot of the id; if it has none, a new one in the state `FREE`. */
  claim(id: MessageId): Slot {
    if (!parseUuid(id, this.#words)) return this.#others.get(id) ?? this.#addOther(id)
    const hash = this.#hashOfWords()
    const found = this.#tableOf(hash).find(hash, this.#hasWords)
    return found === NONE ? this.#add(hash) : found
  }

  idOf(slot: Slot): MessageId {
    const other = this.#othersBySlot.size > 0 ? this.#othersBySlot.get(slot) : undefined
    if (other !== undefined) return other
    return toUuid(this.#word(slot, 0), this.#word(slot, 1), this.#word(slot, 2), this.#word(slot, 3)) as MessageId
  }

  /** Frees the slot. */
  remove(slot: Slot): void {
    const other = this.#othersBySlot.size > 0 ? this.#othersBySlot.get(slot) : undefined
    if (other !== undefined) this.#removeOther(other, slot)
    else {
      const hash = this.#hash(this.#word(slot, 0), this.#word(slot, 1), this.#word(slot, 2), this.#word(slot, 3))
      this.#tableOf(hash).remove(hash, slot)
    }
    this.#records.free(slot)
  }

  #add(hash: number): Slot {
    const slot = this.#records.allocate()
    for (let n = 0; n < 4; n += 1) this.#records.set(slot, ID + n, this.#words[n] as number)
    this.#tableOf(hash).add(hash, slot)
    return slot
  }

  #addOther(id: MessageId): Slot {
    const slot = this.#records.allocate()
    this.#others.set(id, slot)
    this.#othersBySlot.set(slot, id)
    return slot
  }

  #removeOther(id: MessageId, slot: Slot): void {
    this.#others.delete(id)
    this.#othersBySlot.delete(slot)
  }

  #word(slot: Slot, n: number): number {
    return this.#records.get(slot, ID + n)
  }

  #hashOfWords(): number {
    const words = this.#words
    return this.#hash(words[0] as number, words[1] as number, words[2] as number, words[3] as number)
  }

  /** The tables themselves use the lower bits. */
  #tableOf(hash: number): SlotTable {
    return this.#tables[hash >>> (32 - TABLE_BITS)] as SlotTable
  }
}

/** Mixes all bits, because UUIDs may have a time, a version or zeros in any word. */
function mix(first: number, second: number, third: number, fourth: number): number {
  let hash = Math.imul(first, 0x9e3779b1)
  hash = Math.imul(hash ^ (hash >>> 15) ^ second, 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13) ^ third, 0xc2b2ae35)
  hash = Math.imul(hash ^ (hash >>> 16) ^ fourth, 0x27d4eb2f)
  return hash ^ (hash >>> 15)
}
