/** Durations that update every second, and times of the day. */
import { toShortMoment } from '../../ui/chart/clock.ts'
import { useSecond } from '../../ui/second.ts'
import { Moment } from '../../ui/time.tsx'

const SECOND_MS = 1000

/** Seconds, or `1:05` from one minute on, and `1:00:05` from an hour on. */
function toClock(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS))
  if (seconds < 60) return `${seconds} s`
  const two = (count: number): string => String(count % 60).padStart(2, '0')
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)]
  return hours === 0 ? `${minutes}:${two(seconds)}` : `${hours}:${two(minutes)}:${two(seconds)}`
}

export function Until({ at }: Readonly<{ at: string }>) {
  const left = Date.parse(at) - useSecond()
  return <Moment at={at}>{toClock(left)}</Moment>
}

/** `9:04 PM`, with the date if it is not today. */
export const ShortTime = ({ at }: Readonly<{ at: string }>) => <Moment at={at}>{toShortMoment(Date.parse(at))}</Moment>
