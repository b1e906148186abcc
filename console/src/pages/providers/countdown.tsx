/** Durations that update every second. */
import { useSecond } from '../../ui/second.ts'
import { Moment, toSpan } from '../../ui/time.tsx'

const SECOND_MS = 1000

/** Seconds, or `1:05` from one minute on. */
function toClock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS))
  if (seconds < 60) return `${seconds} s`
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

export function Until({ at }: Readonly<{ at: string }>) {
  const left = Date.parse(at) - useSecond()
  return <Moment at={at}>{toClock(left)}</Moment>
}

export function Since({ at }: Readonly<{ at: string }>) {
  const age = Math.max(0, useSecond() - Date.parse(at))
  return <Moment at={at}>{age < SECOND_MS ? '0 s' : toSpan(age)}</Moment>
}
