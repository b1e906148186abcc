/**
 * Whether an id may be that of a stored message: a Bloom filter, so that a new id costs no look-up. It grows by chapters
 * of a fixed size, so the cost of adding an id does not depend on how many there are.
 */
import type { MessageId } from '../../../domain/ids.ts'

/** How many ids a chapter holds. */
export const CHAPTER_IDS = 2 ** 18
const BITS = CHAPTER_IDS * 16
const PROBES = 8
const CHAPTER_WORDS = BITS / 32

/** The chapters, and the number of ids in the last one. */
export type IdFilterParts = Readonly<{ chapters: readonly Uint32Array[]; count: number }>

export class IdFilter {
  readonly #chapters: Uint32Array[]
  #count: number

  /** `count` is the number of ids in the last chapter. */
  constructor(chapters: readonly Uint32Array[] = [], count = CHAPTER_IDS) {
    this.#chapters = [...chapters]
    this.#count = count
  }

  add(id: MessageId): void {
    if (this.#count >= CHAPTER_IDS || this.#chapters.length === 0) {
      this.#chapters.push(new Uint32Array(CHAPTER_WORDS))
      this.#count = 0
    }
    this.#count += 1
    const chapter = this.#chapters.at(-1)
    if (chapter === undefined) return
    const [start, step] = [startOf(id), stepOf(id)]
    for (let probe = 0, bit = start; probe < PROBES; probe += 1, bit = bit + step) {
      const at = (bit >>> 0) % BITS
      chapter[at >>> 5] = (chapter[at >>> 5] ?? 0) | (1 << (at & 31))
    }
  }

  /** False only if the id was never added. */
  mayHave(id: MessageId): boolean {
    const [start, step] = [startOf(id), stepOf(id)]
    return this.#chapters.some((chapter) => hasAll(chapter, start, step))
  }

  get parts(): IdFilterParts {
    return { chapters: this.#chapters, count: this.#count }
  }
}

function hasAll(chapter: Uint32Array, start: number, step: number): boolean {
  for (let probe = 0, bit = start; probe < PROBES; probe += 1, bit = bit + step) {
    const at = (bit >>> 0) % BITS
    if (((chapter[at >>> 5] ?? 0) & (1 << (at & 31))) === 0) return false
  }
  return true
}

/** The random digits of a UUID: of version 7 only the last ones are. */
const startOf = (id: MessageId): number => Number.parseInt(id.slice(28), 16)
const stepOf = (id: MessageId): number => Number.parseInt(id.slice(19, 23) + id.slice(24, 28), 16) | 1
