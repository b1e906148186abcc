/**
 * Throttles a task: it runs at most once per interval, never concurrently, and once more after the last request,
 * because the index may lag an event by a moment.
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
    // The shell reports a lost connection; this only keeps retrying.
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
