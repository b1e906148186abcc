/** A file of disk.ts: what was done to it, and what of that a power cut may leave. */
import { Image } from './image.ts'

/** What a disk writes whole or not at all. */
export const SECTOR = 512

/** Chooses among what the rules of disk.ts leave open. */
export type Fate = Readonly<{
  /** How many entries of the journal are there, from `least` to `most`. */
  entries: (least: number, most: number) => number
  /** Whether a sector that was written by the step `at` has reached the disk by then. */
  keeps: (file: number, at: number, sector: number) => boolean
}>

/** `at` is its step; `entry` the number of its entry in the journal. */
type Operation = Readonly<
  { at: number } & ({ kind: 'write'; offset: number; bytes: Buffer } | { kind: 'resize'; size: number; entry: number })
>

export class StoredFile {
  readonly number: number
  readonly initial: Buffer
  readonly operations: Operation[] = []
  size: number
  /** How many entries of the journal a sync forces now: fsync and fdatasync. */
  forces = { sync: 0, data: 0 }

  constructor(number: number, initial: Buffer) {
    this.number = number
    this.initial = initial
    this.size = initial.length
  }
}

type Extent = Readonly<{
  cut: number
  /** Operations before this step are covered by a sync. */
  covered: number
  /** So many entries of the journal are there, and the first lost one was made by this step. */
  kept: number
  lostFrom: number
}>

/** `memory` is what a reader saw before the cut: every operation. A sector reaches the disk as it is in memory. */
export function contentOf(file: StoredFile, { cut, covered, kept, lostFrom }: Extent, fate: Fate): Buffer {
  const [memory, disk] = [new Image(file.initial), new Image(file.initial)]
  /** Blocks beyond the end of a lost truncation belong to the old content. */
  let writable = Number.POSITIVE_INFINITY
  for (const operation of file.operations) {
    const { at } = operation
    if (at >= cut) break
    if (operation.kind === 'resize') {
      memory.resize(operation.size)
      if (operation.entry <= kept) disk.resize(operation.size)
      else writable = Math.min(writable, operation.size)
      continue
    }
    const { offset, bytes } = operation
    memory.write(offset, bytes)
    if (at < covered) {
      disk.write(offset, bytes)
      continue
    }
    for (let sector = Math.floor(offset / SECTOR); sector * SECTOR < offset + bytes.length; sector += 1) {
      if (!fate.keeps(file.number, at, sector)) continue
      const most = at < lostFrom ? memory.size : Math.min(memory.size, disk.size, writable)
      const [start, end] = [sector * SECTOR, Math.min((sector + 1) * SECTOR, most)]
      if (start < end) disk.write(start, memory.bytes.subarray(start, end))
    }
  }
  return disk.bytes
}
