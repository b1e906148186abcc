/**
 * What a disk may hold after a power cut, by the rules of ext4 and xfs with ordered data:
 *
 * - A sync that has ended covers what was written to its file before it began.
 * - Of later writes, every sector of 512 bytes is there or not by itself: a write may be torn, and writes may reach the
 *   disk in any order, within a file and between files. A sector holds what it held at one moment, never the bytes of a
 *   later write without those of an earlier one.
 * - Creating, linking, renaming, removing, truncating and allocating are entries of one journal: a power cut leaves the first so
 *   many of them. Syncing a file forces the entries up to the last one about it (fdatasync: only those about its
 *   existence and size), and syncing a folder those up to the last one about its names.
 * - A longer file is an entry too, made when the data is written back: a write that lengthens its file is there only
 *   with all entries before it. A gap that nothing was written to reads as zeros.
 *
 * A disk that lies about syncs, damages sectors nearby, or tears a sector is not part of the model. The -shm files are
 * left out: SQLite builds them anew.
 */
import { dirname } from 'node:path'
import type { Step } from './recording.ts'
import { contentOf, type Fate, StoredFile } from './stored-file.ts'

export type Files = ReadonlyMap<string, Buffer>

type Names = Map<string, StoredFile>
type Entry = Readonly<{ at: number; apply: (names: Names) => void }>
type Sync = { begun: number; ended: number; forces: number; file?: StoredFile }

/** `initial` was on disk before the first step. */
export class Disk {
  readonly #initial: ReadonlyMap<string, StoredFile>
  readonly #names: Names
  readonly #entries: Entry[] = []
  readonly #syncs: Sync[] = []
  readonly #folders = new Map<string, number>()
  #descriptors = new Map<number, StoredFile | string>()
  #open = new Map<number, Sync>()
  #files = 0

  constructor(initial: Files, steps: readonly Step[]) {
    this.#initial = new Map([...initial].map(([path, bytes]) => [path, this.#newFile(bytes)]))
    this.#names = new Map(this.#initial)
    for (const [at, step] of steps.entries()) this.#follow(step, at)
  }

  /** The files after the first `cut` steps. */
  cut(cut: number, fate: Fate): Files {
    const synced = this.#syncs.filter(({ ended }) => ended < cut)
    const least = Math.max(0, ...synced.map(({ forces }) => forces))
    const most = this.#entries.findLastIndex(({ at }) => at < cut) + 1
    const kept = fate.entries(least, most)
    if (kept < least || kept > most) throw new Error('no such state of the journal')
    const names: Names = new Map(this.#initial)
    for (const { apply } of this.#entries.slice(0, kept)) apply(names)
    const lostFrom = this.#entries[kept]?.at ?? Number.POSITIVE_INFINITY
    const files = new Map<string, Buffer>()
    for (const [path, file] of names) {
      if (path.endsWith('-shm')) continue
      const covered = synced.reduce((begun, sync) => (sync.file === file ? Math.max(begun, sync.begun) : begun), 0)
      files.set(path, contentOf(file, { cut, covered, kept, lostFrom }, fate))
    }
    return files
  }

  #follow(step: Step, at: number): void {
    switch (step.kind) {
      case 'started':
        this.#descriptors = new Map()
        this.#open = new Map()
        break
      case 'opened':
        this.#opened(step, at)
        break
      case 'written':
        this.#written(this.#fileOf(step.file), at, step.at, step.bytes)
        break
      case 'truncated':
        this.#resized(this.#fileOf(step.file), at, step.size)
        break
      case 'allocated': {
        const file = this.#fileOf(step.file)
        if (step.size > file.size) this.#resized(file, at, step.size)
        break
      }
      case 'renamed':
      case 'linked':
        this.#named(step, at)
        break
      case 'removed':
        this.#removed(step.path, at)
        break
      case 'sync-begun':
        this.#begun(step, at)
        break
      case 'sync-ended': {
        const sync = this.#open.get(step.sync)
        if (sync === undefined) throw new Error('a sync has ended that was not begun')
        sync.ended = at
        break
      }
      case 'marked':
        break
    }
  }

  #opened({ file, path, creates, truncates }: Extract<Step, { kind: 'opened' }>, at: number): void {
    const existing = this.#names.get(path)
    if (existing === undefined && creates) {
      const created = this.#newFile(Buffer.alloc(0))
      this.#enter(at, [path], (names) => names.set(path, created))
      created.forces = { sync: this.#entries.length, data: this.#entries.length }
    } else if (existing !== undefined && truncates && existing.size > 0) this.#resized(existing, at, 0)
    // What is not a file is a folder.
    this.#descriptors.set(file, this.#names.get(path) ?? (path === '' ? '.' : path))
  }

  #written(file: StoredFile, at: number, offset: number, bytes: Buffer): void {
    file.operations.push({ at, kind: 'write', offset, bytes })
    const end = offset + bytes.length
    if (end <= file.size) return
    file.size = end
    file.forces = { sync: this.#entries.length, data: this.#entries.length }
  }

  #resized(file: StoredFile, at: number, size: number): void {
    this.#entries.push({ at, apply: () => undefined })
    file.operations.push({ at, kind: 'resize', size, entry: this.#entries.length })
    file.size = size
    file.forces = { sync: this.#entries.length, data: this.#entries.length }
  }

  #named({ kind, from, to }: Extract<Step, { kind: 'renamed' | 'linked' }>, at: number): void {
    const file = this.#names.get(from)
    if (file === undefined) throw new Error(`${from} was ${kind} and is unknown`)
    this.#enter(at, [from, to], (names) => {
      if (kind === 'renamed') names.delete(from)
      names.set(to, file)
    })
    file.forces.sync = this.#entries.length
  }

  #removed(path: string, at: number): void {
    if (!this.#names.has(path)) throw new Error(`${path} was removed and is unknown`)
    this.#enter(at, [path], (names) => names.delete(path))
  }

  #begun({ sync, file, isData }: Extract<Step, { kind: 'sync-begun' }>, at: number): void {
    const target = this.#descriptors.get(file)
    if (target === undefined) throw new Error('an unknown file was synced')
    const begun = { begun: at, ended: Number.POSITIVE_INFINITY }
    const made: Sync =
      typeof target === 'string'
        ? { ...begun, forces: this.#folders.get(target) ?? 0 }
        : { ...begun, forces: isData ? target.forces.data : target.forces.sync, file: target }
    this.#open.set(sync, made)
    this.#syncs.push(made)
  }

  #enter(at: number, paths: readonly string[], apply: (names: Names) => void): void {
    this.#entries.push({ at, apply })
    apply(this.#names)
    for (const path of paths) this.#folders.set(dirname(path), this.#entries.length)
  }

  #newFile(initial: Buffer): StoredFile {
    this.#files += 1
    return new StoredFile(this.#files, initial)
  }

  #fileOf(descriptor: number): StoredFile {
    const file = this.#descriptors.get(descriptor)
    if (file instanceof StoredFile) return file
    throw new Error('an unknown file was written')
  }
}
