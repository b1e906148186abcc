/** Times as people read them: how long ago, with the exact time for whoever asks. */
import { useSyncExternalStore } from 'react'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const watchers = new Set<() => void>()
let now = Date.now()
setInterval(() => {
  now = Date.now()
  for (const watcher of watchers) watcher()
}, 5 * SECOND)

const useNow = (): number =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => now,
  )

/** `3 s`, `12 min`, `5 h`, `2 d`. */
export function toSpan(ms: number): string {
  const size = Math.abs(ms)
  if (size < SECOND) return `${Math.round(ms)} ms`
  if (size < MINUTE) return `${Math.round(ms / SECOND)} s`
  if (size < HOUR) return `${Math.round(ms / MINUTE)} min`
  return size < DAY ? `${Math.round(ms / HOUR)} h` : `${Math.round(ms / DAY)} d`
}

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
export const toFull = (at: string): string => FULL.format(new Date(at))

/** How long ago, or in how long. */
export function Ago({ at }: Readonly<{ at: string }>) {
  const age = Math.max(0, useNow() - Date.parse(at))
  return (
    <time dateTime={at} title={toFull(at)} className="nums">
      {age < SECOND ? 'now' : toSpan(age)}
    </time>
  )
}

export const FullTime = ({ at }: Readonly<{ at: string }>) => (
  <time dateTime={at} className="nums">
    {toFull(at)}
  </time>
)
