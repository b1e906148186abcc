/**
 * The delayed and parked jobs as a binary heap, the next due one first; of those due at the same time, the one that has
 * waited longest. Each record has its position, so any job can be removed.
 */
import { HEAP_POSITION, type JobRecords, NONE, type Slot } from './job-records.ts'
import { SlotBlocks } from './slot-blocks.ts'

const TOP = 1

export class DueHeap {
  readonly #records: JobRecords
  /** The children of the slot at `n` are at `2n` and `2n + 1`. */
  readonly #slots = new SlotBlocks()
  #size = 0

  constructor(records: JobRecords) {
    this.#records = records
    this.#slots.set(0, NONE)
  }

  get bytes(): number {
    return this.#slots.bytes
  }

  first(): Slot {
    return this.#size === 0 ? NONE : this.#slots.get(TOP)
  }

  add(slot: Slot): void {
    this.#size += 1
    this.#rise(slot, this.#size)
  }

  /** Fills the gap with the last slot. */
  remove(slot: Slot): void {
    const gap = this.#records.get(slot, HEAP_POSITION)
    const last = this.#slots.get(this.#size)
    this.#size -= 1
    if (last === slot) return
    if (gap > TOP && this.#isBefore(last, this.#slots.get(gap >>> 1))) this.#rise(last, gap)
    else this.#sink(last, gap)
  }

  #rise(slot: Slot, from: number): void {
    let at = from
    while (at > TOP) {
      const parent = this.#slots.get(at >>> 1)
      if (!this.#isBefore(slot, parent)) break
      this.#put(parent, at)
      at >>>= 1
    }
    this.#put(slot, at)
  }

  #sink(slot: Slot, from: number): void {
    let at = from
    for (;;) {
      let below = at * 2
      if (below > this.#size) break
      let child = this.#slots.get(below)
      const other = below < this.#size ? this.#slots.get(below + 1) : NONE
      if (other !== NONE && this.#isBefore(other, child)) {
        child = other
        below += 1
      }
      if (!this.#isBefore(child, slot)) break
      this.#put(child, at)
      at = below
    }
    this.#put(slot, at)
  }

  #put(slot: Slot, at: number): void {
    this.#slots.set(at, slot)
    this.#records.set(slot, HEAP_POSITION, at)
  }

  #isBefore(one: Slot, other: Slot): boolean {
    const earlier = this.#records.wakeAt(one) - this.#records.wakeAt(other)
    return earlier < 0 || (earlier === 0 && this.#records.leaseToken(one) < this.#records.leaseToken(other))
  }
}
