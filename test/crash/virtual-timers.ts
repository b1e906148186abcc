/**
 * Puts the timers of this process on virtual time for as long as `work` lasts, so that the worker
 * loops and the memory engine run as they are. They wait with these three and nothing else.
 */
import type { Agenda, Item } from './agenda.ts'

export async function onVirtualTime<Result>(agenda: Agenda, work: () => Promise<Result>): Promise<Result> {
  const { setTimeout, clearTimeout } = globalThis
  const { timeout } = AbortSignal
  Object.assign(globalThis, toTimers(agenda))
  Object.assign(AbortSignal, { timeout: toTimeout(agenda) })
  try {
    return await work()
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout })
    Object.assign(AbortSignal, { timeout })
  }
}

class Timer {
  readonly item: Item

  constructor(item: Item) {
    this.item = item
  }

  unref(): this {
    return this
  }
}

const toTimers = (agenda: Agenda) => ({
  setTimeout: (run: () => void, waitMs: number): Timer => new Timer(agenda.after(waitMs, run)),
  clearTimeout(timer: Timer | undefined): void {
    if (timer !== undefined) agenda.cancel(timer.item)
  },
})

const toTimeout =
  (agenda: Agenda) =>
  (waitMs: number): AbortSignal => {
    const controller = new AbortController()
    agenda.after(waitMs, () => controller.abort())
    return controller.signal
  }
