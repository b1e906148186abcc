/** Doubly linked lists of slots. The links are fields of the records, so a list costs its two ends. */
import { type JobRecords, NONE, type Slot } from './job-records.ts'

export type SlotList = { first: Slot; last: Slot }

export const emptyList = (): SlotList => ({ first: NONE, last: NONE })

export class SlotLinks {
  readonly #records: JobRecords
  readonly #next: number
  readonly #previous: number

  constructor(records: JobRecords, next: number, previous: number) {
    this.#records = records
    this.#next = next
    this.#previous = previous
  }

  next(slot: Slot): Slot {
    return this.#records.get(slot, this.#next)
  }

  previous(slot: Slot): Slot {
    return this.#records.get(slot, this.#previous)
  }

  append(list: SlotList, slot: Slot): void {
    this.#join(list, list.last, slot)
    this.#join(list, slot, NONE)
  }

  prepend(list: SlotList, slot: Slot): void {
    this.#join(list, slot, list.first)
    this.#join(list, NONE, slot)
  }

  remove(list: SlotList, slot: Slot): void {
    this.#join(list, this.previous(slot), this.next(slot))
  }

  /** Makes two slots neighbours; `NONE` is either end of the list. */
  #join(list: SlotList, before: Slot, after: Slot): void {
    if (before === NONE) list.first = after
    else this.#records.set(before, this.#next, after)
    if (after === NONE) list.last = before
    else this.#records.set(after, this.#previous, before)
  }
}
