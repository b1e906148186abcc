/**
 * Batches the items of many callers into one call. Items of the same event-loop turn share a batch, and items that
 * arrive during a batch wait for the next one, so no item joins a batch that began before it.
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

  /**
   * Resolves when the batch with these items is done, and rejects if it failed. Items with equal names are
   * deduplicated.
   */
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
