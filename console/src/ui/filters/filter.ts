/** The filters of a list. Their values are in the URL, under the names of the API parameters. */
import type { LucideIcon } from 'lucide-react'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { toFull } from '../time.tsx'

const T = COMMON_TEXTS.filters

export type Filter = Readonly<{ label: string; icon: LucideIcon }> &
  Readonly<
    | { kind: 'choice'; name: string; choices: readonly string[]; nameOf: (choice: string) => string }
    /** The choices are the names of the providers. */
    | { kind: 'provider'; name: string }
    | { kind: 'text'; name: string; hint: string; about?: string; toValue?: (typed: string) => string }
    | { kind: 'times'; from: string; to: string }
  >

export type FilterValues = Readonly<Partial<Record<string, string>>>
export type ChangeValues = (changes: Record<string, string | undefined>) => void

export const keyOf = (filter: Filter): string => (filter.kind === 'times' ? filter.from : filter.name)

const namesOf = (filter: Filter): readonly string[] =>
  filter.kind === 'times' ? [filter.from, filter.to] : [filter.name]

export const isActive = (filter: Filter, values: FilterValues): boolean =>
  namesOf(filter).some((name) => values[name] !== undefined)

/** The changes that remove a filter. */
export const without = (...filters: readonly Filter[]): Record<string, undefined> =>
  Object.fromEntries(filters.flatMap(namesOf).map((name) => [name, undefined]))

/** What a filter is set to, such as `SMS` or `after 1 Jan 2030, 12:00`. */
export function toValueText(filter: Filter, values: FilterValues): string {
  if (filter.kind === 'times') return toTimesText(values[filter.from], values[filter.to])
  const value = values[filter.name] ?? ''
  return filter.kind === 'choice' ? filter.nameOf(value) : value
}

function toTimesText(from: string | undefined, to: string | undefined): string {
  if (from === undefined) return T.before(toTimeText(to ?? ''))
  return to === undefined ? T.after(toTimeText(from)) : T.between(toTimeText(from), toTimeText(to))
}

/** The URL may contain invalid values. */
const toTimeText = (at: string): string => (Number.isNaN(Date.parse(at)) ? at : toFull(at))
