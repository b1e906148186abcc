/** A bell: wakes everyone who waits for something new. */
export type Bell = Readonly<{
  ring(): void
  /** Waits for the next ring, or for the end of the signal. */
  rung(signal: AbortSignal): Promise<void>
}>

export function bell(): Bell {
  const sleepers = new Set<() => void>()

  return {
    ring() {
      for (const wake of [...sleepers]) wake()
    },

    rung(signal) {
      return new Promise((resolve) => {
        const wake = (): void => {
          sleepers.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        sleepers.add(wake)
        signal.addEventListener('abort', wake)
        if (signal.aborted) wake()
      })
    },
  }
}
