/**
 * Virtual time: what is to happen and when. Nothing happens but by a step of the agenda, and of what
 * is due at the same instant chance decides which goes first.
 */
import { setImmediate } from 'node:timers/promises'
import { type Instant, instant } from '../../src/lib/time.ts'
import type { Chance } from './chance.ts'

export type Item = Readonly<{ at: Instant; tie: number; run: () => void }>

export class Agenda {
  readonly #items: Item[] = []
  readonly #chance: Chance
  #now: Instant
  #steps = 0

  constructor(start: Instant, chance: Chance) {
    this.#now = start
    this.#chance = chance
  }

  get now(): Instant {
    return this.#now
  }

  get steps(): number {
    return this.#steps
  }

  after(waitMs: number, run: () => void): Item {
    const item = { at: instant(this.#now + Math.max(0, Math.ceil(waitMs))), tie: this.#chance.roll(), run }
    this.#items.push(item)
    return item
  }

  /** False when it has happened already. */
  cancel(item: Item): boolean {
    const place = this.#items.indexOf(item)
    if (place >= 0) this.#items.splice(place, 1)
    return place >= 0
  }

  /**
   * Lets everything go on that can without the agenda, then moves to the next item and runs it. A
   * turn of the event loop comes only after every promise that could go on has gone on.
   */
  async step(): Promise<void> {
    await setImmediate()
    const next = this.#next()
    if (next === undefined) throw new Error('nothing will ever happen again')
    this.cancel(next)
    this.#now = next.at
    this.#steps += 1
    next.run()
  }

  #next(): Item | undefined {
    let next: Item | undefined
    for (const item of this.#items) if (next === undefined || isBefore(item, next)) next = item
    return next
  }
}

const isBefore = (one: Item, other: Item): boolean => one.at < other.at || (one.at === other.at && one.tie < other.tie)
