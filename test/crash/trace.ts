/** A log of the simulation. Two runs with the same digest were identical. */
import { createHash } from 'node:crypto'
import type { Instant } from '../../src/lib/time.ts'

export class Trace {
  readonly #hash = createHash('sha256')
  readonly #start: Instant
  readonly #print: ((line: string) => void) | undefined

  constructor(start: Instant, print?: (line: string) => void) {
    this.#start = start
    this.#print = print
  }

  note(now: Instant, what: string): void {
    const line = `${((now - this.#start) / 1000).toFixed(3).padStart(10)} ${what}\n`
    this.#hash.update(line)
    this.#print?.(line)
  }

  /** Call it once, at the end. */
  digest(): string {
    return this.#hash.digest('hex')
  }
}
