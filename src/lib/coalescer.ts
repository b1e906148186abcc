/**
 * Many callers who want something done with their items, done with all of them in one go. What comes in
 * the same turn of the loop goes together, and what comes while a round is under way waits for the next:
 * nobody's items are in a round that began before they were named.
 */
import { setImmediate } from 'node:timers/promises'

export class Coalescer<Item> {
  readonly #act: (items: readonly Item[]) => Promise<void>
  #gathered = new Map<string, Item>()
  #next: Promise<void> | undefined
  #underWay: Promise<void> = Promise.resolve()

  constructor(act: (items: readonly Item[]) => Promise<void>) {
    this.#act = act
  }

  /** Resolves when the round with these items is over, and rejects if it failed. An item of a name is taken once. */
  join(items: readonly (readonly [name: string, item: Item])[]): Promise<void> {
    for (const [name, item] of items) this.#gathered.set(name, item)
    this.#next ??= this.#start(this.#underWay)
    return this.#next
  }

  async #start(before: Promise<void>): Promise<void> {
    await Promise.all([before.catch(() => undefined), setImmediate()])
    const items = [...this.#gathered.values()]
    this.#gathered = new Map()
    this.#next = undefined
    this.#underWay = this.#act(items)
    return this.#underWay
  }
}
