/**
 * A hash table of slots with open addressing and linear probing. The hashes are in the table, so growing and removing
 * touch no records. Removing closes the gap, so there are no tombstones.
 */
import { NONE, type Slot } from './job-records.ts'

/** Each cell is a slot and its hash. */
const CELL = 2
const FIRST_CELLS = 16
const FULLEST = 0.75

export class SlotTable {
  #cells = new Int32Array(FIRST_CELLS * CELL)
  #mask = FIRST_CELLS - 1
  #size = 0

  get bytes(): number {
    return this.#cells.byteLength
  }

  /** The slot with this hash that is the one; `isWanted` is only called for equal hashes. */
  find(hash: number, isWanted: (slot: Slot) => boolean): Slot {
    for (let cell = hash & this.#mask; ; cell = (cell + 1) & this.#mask) {
      const slot = this.#slotAt(cell)
      if (slot === NONE || (this.#hashAt(cell) === hash && isWanted(slot))) return slot
    }
  }

  add(hash: number, slot: Slot): void {
    this.#size += 1
    if (this.#size > (this.#mask + 1) * FULLEST) this.#grow()
    this.#insert(hash, slot)
  }

  /** Moves later slots back into the gap, unless they would come before the cell where their probing begins. */
  remove(hash: number, slot: Slot): void {
    let gap = hash & this.#mask
    while (this.#slotAt(gap) !== slot) gap = (gap + 1) & this.#mask
    for (let cell = (gap + 1) & this.#mask; this.#slotAt(cell) !== NONE; cell = (cell + 1) & this.#mask) {
      const probed = (cell - this.#hashAt(cell)) & this.#mask
      if (probed < ((cell - gap) & this.#mask)) continue
      this.#set(gap, this.#hashAt(cell), this.#slotAt(cell))
      gap = cell
    }
    this.#set(gap, 0, NONE)
    this.#size -= 1
  }

  #insert(hash: number, slot: Slot): void {
    let cell = hash & this.#mask
    while (this.#slotAt(cell) !== NONE) cell = (cell + 1) & this.#mask
    this.#set(cell, hash, slot)
  }

  #grow(): void {
    const old = this.#cells
    this.#cells = new Int32Array(old.length * 2)
    this.#mask = (old.length / CELL) * 2 - 1
    for (let at = 0; at < old.length; at += CELL) {
      const slot = old[at] as Slot
      if (slot !== NONE) this.#insert(old[at + 1] as number, slot)
    }
  }

  #slotAt(cell: number): Slot {
    return this.#cells[cell * CELL] as Slot
  }

  #hashAt(cell: number): number {
    return this.#cells[cell * CELL + 1] as number
  }

  #set(cell: number, hash: number, slot: Slot): void {
    this.#cells[cell * CELL] = slot
    this.#cells[cell * CELL + 1] = hash
  }
}
