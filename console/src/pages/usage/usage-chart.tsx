/** Usage by day, stacked by a dimension. */
import { useMemo } from 'react'
import { USAGE_TEXTS } from '../../texts/usage.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import { toMoment } from '../../ui/chart/clock.ts'
import { peakOf } from '../../ui/chart/lines.ts'
import { sum, toCount } from '../../ui/numbers.ts'
import type { Period, UsageItem } from './data.ts'
import type { Measure } from './measure.ts'
import { daysOf } from './period.ts'
import { seriesOf } from './series.ts'

const T = USAGE_TEXTS
const DAY = 86_400

type ChartProps = Readonly<{ days: readonly UsageItem[]; period: Period; measure: Measure }>

export function UsageChart({ days: items, period, measure }: ChartProps) {
  const { by, metric } = measure
  const { from, to } = period
  const days = useMemo(() => daysOf({ from, to }), [from, to])
  const lines = useMemo(() => seriesOf(items, days, { by, metric }), [items, days, by, metric])
  const span = { from: days[0] ?? 0, to: (days.at(-1) ?? 0) + DAY, step: DAY, zone: 'UTC' as const }
  const totals = days.map((_, place) => sum(lines.map(({ values }) => values[place] ?? 0)))
  const peak = peakOf(totals) ?? 0
  return (
    <Chart
      title={T.chartTitle(T.metrics[metric], T.dimensions[by])}
      summary={T.summary(toCount(sum(totals)), toCount(totals[peak] ?? 0), toMoment(days[peak] ?? 0, span))}
      kind="stack"
      span={span}
      steps={days}
      lines={lines}
      format={toCount}
      totals={lines.map(({ values }) => sum(values.map((value) => value ?? 0)))}
    />
  )
}
