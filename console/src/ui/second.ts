/** The current time, updated every second while running. */
import { useEffect, useState } from 'react'

export function useSecond(isRunning = true): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}
