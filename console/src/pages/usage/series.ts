/** Usage by day as stacked series: the largest groups, and the rest as one. */
import { USAGE_TEXTS } from '../../texts/usage.ts'
import type { Colour } from '../../ui/chart/colours.ts'
import type { Line } from '../../ui/chart/plot-options.ts'
import { sum } from '../../ui/numbers.ts'
import type { UsageItem } from './data.ts'
import { type Measure, nameOf } from './measure.ts'

const COLOURS = [
  'var(--accent)',
  'var(--info)',
  'var(--sent)',
  'var(--warn)',
  'var(--good)',
] as const satisfies Colour[]
const REST = 'var(--line-strong)'

/** `days` are seconds since the epoch. */
export function seriesOf(
  items: readonly UsageItem[],
  days: readonly number[],
  { by, metric }: Measure,
): readonly Line[] {
  const groups = [...Map.groupBy(items, (item) => nameOf(item, by))]
    .map(([name, own]) => ({ name, own, total: sum(own.map((item) => item[metric])) }))
    .filter(({ total }) => total > 0)
    .sort((one, other) => other.total - one.total)
  const valuesOf = (own: readonly UsageItem[]): readonly number[] => {
    const byDay = Map.groupBy(own, ({ day }) => Date.parse(day ?? '') / 1000)
    return days.map((day) => sum((byDay.get(day) ?? []).map((item) => item[metric])))
  }
  const lines = groups
    .slice(0, COLOURS.length)
    .map(({ name, own }, nth): Line => ({ name, colour: COLOURS[nth] ?? REST, values: valuesOf(own) }))
  const rest = groups.slice(COLOURS.length)
  if (rest.length === 0) return lines
  return [
    ...lines,
    { name: USAGE_TEXTS.rest(rest.length), colour: REST, values: valuesOf(rest.flatMap(({ own }) => own)) },
  ]
}
