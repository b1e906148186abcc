/** A growing array of slots in blocks of 64 kilobytes. Growing copies nothing. */
import type { Slot } from './job-records.ts'

const BLOCK_BITS = 14
const BLOCK = 2 ** BLOCK_BITS
const MASK = BLOCK - 1

export class SlotBlocks {
  readonly #blocks: Int32Array[] = []

  get bytes(): number {
    return this.#blocks.length * BLOCK * Int32Array.BYTES_PER_ELEMENT
  }

  /** At an index that was set before. */
  get(index: number): Slot {
    return (this.#blocks[index >>> BLOCK_BITS] as Int32Array)[index & MASK] as Slot
  }

  /** At most one beyond the highest index that was set before. */
  set(index: number, slot: Slot): void {
    if (index >>> BLOCK_BITS >= this.#blocks.length) this.#blocks.push(new Int32Array(BLOCK))
    ;(this.#blocks[index >>> BLOCK_BITS] as Int32Array)[index & MASK] = slot
  }
}
