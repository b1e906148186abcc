/** Spans that run with the clock, second by second. */
import { useEffect, useState } from 'react'
import { toFull, toSpan } from '../../ui/time.tsx'

const SECOND_MS = 1000

function useSecond(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}

/** Whole seconds, `1:05` from a minute on: what counts down must not jump by minutes. */
function toClock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS))
  if (seconds < 60) return `${seconds} s`
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export function Until({ at }: Readonly<{ at: string }>) {
  const left = Date.parse(at) - useSecond()
  return (
    <time dateTime={at} title={toFull(at)} className="nums">
      {toClock(left)}
    </time>
  )
}

export function Since({ at }: Readonly<{ at: string }>) {
  const age = Math.max(0, useSecond() - Date.parse(at))
  return (
    <time dateTime={at} title={toFull(at)} className="nums">
      {age < SECOND_MS ? '0 s' : toSpan(age)}
    </time>
  )
}
