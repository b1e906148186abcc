/**
 * Runs at most once in a while however often it is asked to, never twice at a time, and once more after the asking has
 * ended: what an event told of may reach the index a moment later.
 */
export type Pace = Readonly<{ ask: () => void; stop: () => void }>

export function openPace(run: () => Promise<unknown>, everyMs: number): Pace {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isRunning = false
  let isStopped = false
  let askedAt = Number.NEGATIVE_INFINITY
  let ranAt = Number.NEGATIVE_INFINITY

  const plan = (): void => {
    if (timer !== undefined || isRunning || isStopped) return
    timer = setTimeout(() => void go(), Math.min(everyMs, Math.max(0, ranAt + everyMs - Date.now())))
  }
  const go = async (): Promise<void> => {
    timer = undefined
    isRunning = true
    ranAt = Date.now()
    // Whether the gateway can be reached is told by the shell; here it is enough to go on trying.
    const isDone = await run().then(
      () => true,
      () => false,
    )
    isRunning = false
    if (!isDone || askedAt > ranAt - everyMs) plan()
  }
  return {
    ask: () => {
      askedAt = Date.now()
      plan()
    },
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
