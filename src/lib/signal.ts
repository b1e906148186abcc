/** Wakes everyone who waits for a notification. */
import { type Millis, millis } from './time.ts'

export type Signal = Readonly<{
  notify(): void
  /** Waits for the next notification, the abort of `signal`, or `atMost`, whichever comes first. */
  wait(signal: AbortSignal, atMost?: Millis): Promise<void>
}>

/** The longest delay of a timer; a longer one would fire at once. */
const LONGEST = millis(2 ** 31 - 1)

export function signal(): Signal {
  const waiters = new Set<() => void>()

  return {
    notify() {
      for (const wake of waiters) wake()
    },

    async wait(signal, atMost) {
      if (signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = (): void => resolve()
      const timer = atMost === undefined ? undefined : setTimeout(wake, Math.min(atMost, LONGEST))
      waiters.add(wake)
      signal.addEventListener('abort', wake)
      await promise
      signal.removeEventListener('abort', wake)
      waiters.delete(wake)
      clearTimeout(timer)
    },
  }
}
