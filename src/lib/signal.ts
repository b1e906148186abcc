/** A bell: wakes everyone who waits for something new. */
import { type Millis, millis } from './time.ts'

export type Bell = Readonly<{
  ring(): void
  /** Waits for the next ring, the end of the signal, or for `atMost`, whichever comes first. */
  rung(signal: AbortSignal, atMost?: Millis): Promise<void>
}>

/** The longest wait a timer takes; a longer one would end at once. */
const LONGEST = millis(2 ** 31 - 1)

export function bell(): Bell {
  const sleepers = new Set<() => void>()

  return {
    ring() {
      for (const wake of sleepers) wake()
    },

    async rung(signal, atMost) {
      if (signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const wake = (): void => resolve()
      const timer = atMost === undefined ? undefined : setTimeout(wake, Math.min(atMost, LONGEST))
      sleepers.add(wake)
      signal.addEventListener('abort', wake)
      await promise
      signal.removeEventListener('abort', wake)
      sleepers.delete(wake)
      clearTimeout(timer)
    },
  }
}
