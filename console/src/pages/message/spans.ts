/** Durations and times with millisecond precision. */
import { toSpan } from '../../ui/time.tsx'

/** `7 ms`, `1.03 s`, `31.1 s`, `4 min` */
export function toPreciseSpan(ms: number): string {
  if (ms < 1000 || ms >= 60_000) return toSpan(ms)
  return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
}

const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** `22:33:11.767` */
export const toClock = (at: string): string => CLOCK.format(new Date(at))

export const toDay = (at: string): string => DAY.format(new Date(at))
