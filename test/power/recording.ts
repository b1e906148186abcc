/**
 * What record-writes.c has recorded: every change to the files of a folder, every sync, and between them the marks of
 * the workload. A record is a header of 24 bytes (kind, descriptor, value, length, flags) and its bytes.
 */
import { closeSync, constants, openSync, writeSync } from 'node:fs'

/** `file` is a descriptor; it means the file of the latest `open` that returned it. */
export type Step = Readonly<
  /** The descriptors of the process before are gone. */
  | { kind: 'started' }
  | { kind: 'opened'; file: number; path: string; creates: boolean; truncates: boolean }
  | { kind: 'written'; file: number; at: number; bytes: Buffer }
  | { kind: 'truncated' | 'allocated'; file: number; size: number }
  | { kind: 'renamed' | 'linked'; from: string; to: string }
  | { kind: 'removed'; path: string }
  /** It covers what came before its begin, once its end is there. `isData`: fdatasync. */
  | { kind: 'sync-begun'; sync: number; file: number; isData: boolean }
  | { kind: 'sync-ended'; sync: number }
  | { kind: 'marked'; text: string }
>

const HEADER_BYTES = 24

/** The steps of one process. A last record that is cut off was never complete. */
export function parseSteps(log: Buffer): readonly Step[] {
  const steps: Step[] = [{ kind: 'started' }]
  for (let at = 0; at + HEADER_BYTES <= log.length; ) {
    const end = at + HEADER_BYTES + log.readUInt32LE(at + 16)
    if (end > log.length) break
    steps.push(toStep(log.subarray(at, at + HEADER_BYTES), log.subarray(at + HEADER_BYTES, end)))
    at = end
  }
  return steps
}

function toStep(header: Buffer, bytes: Buffer): Step {
  const kind = String.fromCharCode(header.readUInt32LE(0))
  const [file, value, flags] = [header.readInt32LE(4), Number(header.readBigUInt64LE(8)), header.readUInt32LE(20)]
  switch (kind) {
    case 'O':
      return { kind: 'opened', file, path: bytes.toString(), ...toOpening(flags) }
    case 'W':
      return { kind: 'written', file, at: value, bytes }
    case 'T':
      return { kind: 'truncated', file, size: value }
    case 'A':
      return { kind: 'allocated', file, size: value }
    case 'R':
    case 'L': {
      const [from = '', to = ''] = bytes.toString().split('\0')
      return { kind: kind === 'R' ? 'renamed' : 'linked', from, to }
    }
    case 'U':
      return { kind: 'removed', path: bytes.toString() }
    case 'B':
      return { kind: 'sync-begun', sync: value, file, isData: flags === 1 }
    case 'E':
      return { kind: 'sync-ended', sync: value }
    case 'M':
      return { kind: 'marked', text: bytes.toString() }
    default:
      throw new Error(`the log has a record of kind ${kind}`)
  }
}

const toOpening = (flags: number) => ({
  creates: (flags & constants.O_CREAT) !== 0,
  truncates: (flags & constants.O_TRUNC) !== 0,
})

/** A line per step, with the names of files; the length of what was written, and nothing of it. */
export function toLines(steps: readonly Step[]): readonly string[] {
  const paths = new Map<number, string>()
  return steps.map((step) => {
    if (step.kind === 'opened') paths.set(step.file, step.path)
    const { kind, bytes, file, ...rest } = { bytes: undefined, file: undefined, ...step }
    const path = file === undefined ? [] : [paths.get(file)]
    const words = Object.entries(rest).map(([name, value]) => `${name}=${value}`)
    return [kind, ...path, ...words, ...(bytes === undefined ? [] : [`length=${bytes.length}`])].join(' ')
  })
}

/** Writes marks between the records of the process that is recorded, from any process. */
export class Marker implements Disposable {
  readonly #log: number

  constructor(path: string) {
    this.#log = openSync(path, 'a')
  }

  /** One write, so that it is never inside another record. */
  mark(mark: object): void {
    const text = Buffer.from(JSON.stringify(mark))
    const header = Buffer.alloc(HEADER_BYTES)
    header.writeUInt32LE('M'.charCodeAt(0), 0)
    header.writeUInt32LE(text.length, 16)
    writeSync(this.#log, Buffer.concat([header, text]))
  }

  [Symbol.dispose](): void {
    closeSync(this.#log)
  }
}
