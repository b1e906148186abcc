/** How explanations write times, durations, numbers and errors. */
import { type Instant, type Millis, toIso } from '../../lib/time.ts'
import { toErrorAdvice } from '../message/error-advice.ts'
import type { MessageState } from '../message/state.ts'
import { isHandoffOver } from '../message/states.ts'

/** `12:03:40 UTC`; with the date unless that is today. */
export function toTime(at: Instant, now: Instant): string {
  const [day, time] = [toIso(at).slice(0, 10), toIso(at).slice(11, 19)]
  return day === toIso(now).slice(0, 10) ? `${time} UTC` : `${day} ${time} UTC`
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** `12 ms`, `3.2 s`, `2 min 5 s`, `3 h 20 min`. */
export function toSpan(span: Millis | number): string {
  if (span < SECOND) return `${Math.max(0, Math.round(span))} ms`
  if (span < MINUTE) return `${(span / SECOND).toFixed(1).replace(/\.0$/, '')} s`
  const [whole, rest] =
    span < HOUR
      ? [`${Math.floor(span / MINUTE)} min`, `${Math.floor((span % MINUTE) / SECOND)} s`]
      : [`${Math.floor(span / HOUR)} h`, `${Math.floor((span % HOUR) / MINUTE)} min`]
  return rest.startsWith('0 ') ? whole : `${whole} ${rest}`
}

export const plural = (count: number, noun: string): string => `${toCount(count)} ${noun}${count === 1 ? '' : 's'}`

/** `1,203` */
export const toCount = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** `twilio, smsc or ses` */
export function anyOf(names: readonly string[]): string {
  const [last = 'a provider', ...rest] = names.toReversed()
  return rest.length === 0 ? last : `${rest.toReversed().join(', ')} or ${last}`
}

/**
 * What an error code means, to follow a colon: `The number is blocked.` becomes `the number is blocked`. Names keep their
 * capital letter.
 */
export const toClause = (code: string, willRetry: boolean): string =>
  toErrorAdvice(code, willRetry)
    .meaning.replace(/\. .*$/, '')
    .replace(/\.$/, '')
    .replace(/^(?:The|A|An|No|There) /, (word) => word.toLowerCase())

/** What the error of the message means. */
export const whyOf = ({ errorCode, handoffState }: MessageState): string =>
  errorCode === undefined ? 'no reason was given' : toClause(errorCode, !isHandoffOver(handoffState))
