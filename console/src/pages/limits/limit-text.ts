/** Limits in plain words. */
import { LIMITS_TEXTS } from '../../texts/limits.ts'
import { EACH, type Key, type Rule, type Scope } from './data.ts'

const T = LIMITS_TEXTS

export const UNITS = { s: 1, min: 60, h: 3_600, d: 86_400 } as const
export type Unit = keyof typeof UNITS

/** The largest unit that divides it. One minute stays `60 s`. */
export function toWindow(seconds: number): Readonly<{ count: number; unit: Unit }> {
  const unit = (['d', 'h', 'min'] as const).find(
    (one) => seconds % UNITS[one] === 0 && (seconds > UNITS.min || one !== 'min'),
  )
  return unit === undefined ? { count: seconds, unit: 's' } : { count: seconds / UNITS[unit], unit }
}

export const windowOf = (seconds: number): string => {
  const { count, unit } = toWindow(seconds)
  return `${count} ${unit}`
}

/** `100 messages per 60 s, sliding window` */
export const ruleOf = ({ limit, window_seconds: seconds, algorithm }: Rule): string =>
  T.rule(limit, windowOf(seconds), T.algorithms[algorithm])

/** `Each account`, `Account shop` */
export const whoOf = ({ scope, key }: Key): string =>
  key === EACH && isForMany(scope) ? T.each[scope] : T.one[scope](key)

const isForMany = (scope: Scope): scope is Exclude<Scope, 'tenant'> => scope !== 'tenant'
