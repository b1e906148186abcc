/** Relative and absolute times. */
import type { PropsWithChildren } from 'react'
import { makeStore, useStore } from '../store.ts'
import { COMMON_TEXTS } from '../texts/common.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const now = makeStore(Date.now())
setInterval(() => now.set(Date.now()), 5 * SECOND)

/** `3 s`, `12 min`, `5 h`, `2 d` */
export function toSpan(ms: number): string {
  const size = Math.abs(ms)
  if (size < SECOND) return `${Math.round(ms)} ms`
  if (size < MINUTE) return `${Math.round(ms / SECOND)} s`
  if (size < HOUR) return `${Math.round(ms / MINUTE)} min`
  return size < DAY ? `${Math.round(ms / HOUR)} h` : `${Math.round(ms / DAY)} d`
}

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
export const toFull = (at: string): string => FULL.format(new Date(at))

/** Content with the exact time as a tooltip. */
export const Moment = ({ at, children }: PropsWithChildren<{ at: string }>) => (
  <time dateTime={at} title={toFull(at)} className="nums">
    {children}
  </time>
)

const useAge = (at: string): number => Math.max(0, useStore(now) - Date.parse(at))

/** `5 min`, for columns of ages. */
export function Age({ at }: Readonly<{ at: string }>) {
  const age = useAge(at)
  return <Moment at={at}>{age < SECOND ? COMMON_TEXTS.now : toSpan(age)}</Moment>
}

/** `5 min ago` */
export function Ago({ at }: Readonly<{ at: string }>) {
  const age = useAge(at)
  return <Moment at={at}>{age < SECOND ? COMMON_TEXTS.justNow : COMMON_TEXTS.ago(toSpan(age))}</Moment>
}

export const FullTime = ({ at }: Readonly<{ at: string }>) => (
  <time dateTime={at} className="nums">
    {toFull(at)}
  </time>
)
