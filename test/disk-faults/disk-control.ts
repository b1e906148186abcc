/** The control block of fail-writes.c: when writes and syncs fail, and how many there were. Any process may use it. */
import { closeSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs'

/** In the order of fail-writes.c; each takes eight bytes. */
const FIELDS = ['writes', 'fullFrom', 'refused', 'roomAfter', 'isCopying', 'isTorn', 'syncs', 'failsSync'] as const
type Field = (typeof FIELDS)[number]
const FIELD_BYTES = 8

/** What goes wrong, and when. */
export type DiskFault = Readonly<{
  /** Writes fail from this one on; the first is 1. Never by default. */
  fullFrom?: number
  /** After so many failed writes there is room again. By default only when `giveRoom` is called. */
  roomAfter?: number
  /** Overwriting and creating files needs room too, as on a file system that copies on write. */
  isCopying?: boolean
  /** The first write that fails is made in part. */
  isTorn?: boolean
  /** This sync fails; the first is 1. */
  failsSync?: number
}>

export class DiskControl implements Disposable {
  readonly #file: number

  /** The block must exist. */
  constructor(path: string) {
    this.#file = openSync(path, 'r+')
  }

  static create(path: string, fault: DiskFault): void {
    const block = Buffer.alloc(FIELDS.length * FIELD_BYTES)
    for (const [name, value] of Object.entries(fault)) {
      block.writeBigUInt64LE(BigInt(value), FIELDS.indexOf(name as Field) * FIELD_BYTES)
    }
    writeFileSync(path, block)
  }

  /** How many writes needed room so far. */
  get writes(): number {
    return this.#read('writes')
  }

  get refused(): number {
    return this.#read('refused')
  }

  get syncs(): number {
    return this.#read('syncs')
  }

  /** From now on there is room. */
  giveRoom(): void {
    writeSync(this.#file, Buffer.alloc(FIELD_BYTES), 0, FIELD_BYTES, FIELDS.indexOf('fullFrom') * FIELD_BYTES)
  }

  [Symbol.dispose](): void {
    closeSync(this.#file)
  }

  #read(field: Field): number {
    const bytes = Buffer.alloc(FIELD_BYTES)
    readSync(this.#file, bytes, 0, FIELD_BYTES, FIELDS.indexOf(field) * FIELD_BYTES)
    return Number(bytes.readBigUInt64LE())
  }
}
