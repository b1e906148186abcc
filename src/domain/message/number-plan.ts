/** What the number plan of its country says of a phone number. A hint: carriers change faster than tables of them. */
import type { Country } from './country.ts'

export const NUMBER_TYPES = [
  'mobile',
  'fixed_line',
  'fixed_line_or_mobile',
  'voip',
  'toll_free',
  'premium_rate',
  'shared_cost',
  'personal',
  'pager',
  'uan',
  'voicemail',
] as const
export type NumberType = (typeof NUMBER_TYPES)[number]

/** `isPossible`: its length fits the plan. `isValid`: its digits do, too. */
export type NumberPlan = Readonly<{ country?: Country; type?: NumberType; isPossible: boolean; isValid: boolean }>

const NO_SMS: ReadonlySet<NumberType> = new Set(['fixed_line', 'toll_free', 'premium_rate', 'shared_cost', 'voicemail'])

/** What is unusual about it as the recipient of an SMS; undefined if nothing is. */
export function numberWarning({ country, type, isPossible, isValid }: NumberPlan): string | undefined {
  const where = country === undefined ? 'any country' : country
  if (!isPossible) return `is not a possible number in ${where}: it has too few or too many digits`
  if (!isValid) return `is not a valid number in ${where}: nobody is known to have numbers that begin like it`
  if (type === undefined || !NO_SMS.has(type)) return undefined
  return `is a ${type.replaceAll('_', ' ')} number in ${where}, which usually cannot receive SMS`
}
