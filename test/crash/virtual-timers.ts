/**
 * Replaces the global timers with virtual time while `work` runs, so that the worker loops and the memory engine run
 * unchanged. They use only these three timers and the monotonic clock.
 */
import type { Scheduler, Task } from './scheduler.ts'

export async function onVirtualTime<Result>(scheduler: Scheduler, work: () => Promise<Result>): Promise<Result> {
  const { setTimeout, clearTimeout } = globalThis
  const { timeout } = AbortSignal
  const { now } = performance
  Object.assign(globalThis, toTimers(scheduler))
  Object.assign(AbortSignal, { timeout: toTimeout(scheduler) })
  Object.assign(performance, { now: toMonotonic(scheduler) })
  try {
    return await work()
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout })
    Object.assign(AbortSignal, { timeout })
    Object.assign(performance, { now })
  }
}

class Timer {
  readonly item: Task

  constructor(item: Task) {
    this.item = item
  }

  unref(): this {
    return this
  }
}

const toTimers = (scheduler: Scheduler) => ({
  setTimeout: (run: () => void, waitMs: number): Timer => new Timer(scheduler.after(waitMs, run)),
  clearTimeout(timer: Timer | undefined): void {
    if (timer !== undefined) scheduler.cancel(timer.item)
  },
})

/** Later than any time of the schedules before: what they have left behind is old. */
let passed = 0
const YEAR_MS = 366 * 24 * 3_600_000

function toMonotonic(scheduler: Scheduler): () => number {
  passed += YEAR_MS
  const [begun, start] = [passed, scheduler.now]
  return () => begun + scheduler.now - start
}

const toTimeout =
  (scheduler: Scheduler) =>
  (waitMs: number): AbortSignal => {
    const controller = new AbortController()
    scheduler.after(waitMs, () => controller.abort())
    return controller.signal
  }
