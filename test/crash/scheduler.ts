/**
 * The scheduler of virtual time. Tasks run only in a step of the scheduler; the order of tasks due at the same instant
 * is random.
 */
import { setImmediate } from 'node:timers/promises'
import { type Instant, instant } from '../../src/lib/time.ts'
import type { SeededRandom } from './random.ts'

export type Task = Readonly<{ at: Instant; tie: number; run: () => void }>

export class Scheduler {
  readonly #items: Task[] = []
  readonly #random: SeededRandom
  #now: Instant
  #steps = 0

  constructor(start: Instant, random: SeededRandom) {
    this.#now = start
    this.#random = random
  }

  get now(): Instant {
    return this.#now
  }

  get steps(): number {
    return this.#steps
  }

  after(waitMs: number, run: () => void): Task {
    const item = { at: instant(this.#now + Math.max(0, Math.ceil(waitMs))), tie: this.#random.next(), run }
    this.#items.push(item)
    return item
  }

  /** False if the task has already run. */
  cancel(item: Task): boolean {
    const index = this.#items.indexOf(item)
    if (index >= 0) this.#items.splice(index, 1)
    return index >= 0
  }

  /**
   * Advances to the next task and runs it. `setImmediate` first lets every promise settle that does not depend on the
   * scheduler.
   */
  async step(): Promise<void> {
    await setImmediate()
    const next = this.#next()
    if (next === undefined) throw new Error('no task is scheduled')
    this.cancel(next)
    this.#now = next.at
    this.#steps += 1
    next.run()
  }

  #next(): Task | undefined {
    let next: Task | undefined
    for (const item of this.#items) if (next === undefined || isBefore(item, next)) next = item
    return next
  }
}

const isBefore = (one: Task, other: Task): boolean => one.at < other.at || (one.at === other.at && one.tie < other.tie)
