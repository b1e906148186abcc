/** The charts: volume and delivery rate. */
import { useMemo } from 'react'
import { OVERVIEW_TEXTS } from '../../texts/overview.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import { type Span, toMoment } from '../../ui/chart/clock.ts'
import type { Colour } from '../../ui/chart/colours.ts'
import { peakOf } from '../../ui/chart/lines.ts'
import type { Line } from '../../ui/chart/plot-options.ts'
import { toCount, toShare } from '../../ui/numbers.ts'
import { type Stage, successOf, type Tally } from '../providers/tally.ts'
import type { Stats } from './data.ts'
import { addUp, stagesSeen, stepsOf, talliesBefore, talliesOf } from './series.ts'

const T = OVERVIEW_TEXTS
export const GROUP = 'figures'

/** `before` is what the charts are compared with, and `beforeName` the words for it. */
type Props = Readonly<{ stats: Stats; before: Stats | undefined; beforeName: string }>

export const spanOf = ({ from, to, bucket }: Stats): Span => ({
  from: Date.parse(from) / 1000,
  to: Date.parse(to) / 1000,
  step: bucket,
})

const STAGE_COLOURS: Readonly<Record<Stage, Colour>> = {
  delivered: 'var(--status-delivered)',
  sent: 'var(--status-sent)',
  inProgress: 'var(--status-sending)',
  expired: 'var(--status-expired)',
  failed: 'var(--status-failed)',
}

/** The start time of a step. */
export const momentOf = (stats: Stats, place: number | undefined): string =>
  place === undefined ? '' : toMoment(stepsOf(stats)[place] ?? 0, spanOf(stats))

const compared = (
  { stats, before, beforeName }: Props,
  figureOf: (tally: Tally) => number | undefined,
): readonly Line[] => {
  if (before === undefined || before.buckets.length === 0) return []
  const values = talliesBefore(before, stats).map((tally) => (tally === null ? null : (figureOf(tally) ?? null)))
  return [{ name: beforeName, colour: 'var(--ink-soft)', values, compared: true }]
}

export function Volume(props: Props) {
  const { stats, before } = props
  const tallies = useMemo(() => talliesOf(stats), [stats])
  const all = addUp(stats.buckets)
  const stages = stagesSeen(all)
  const totals = tallies.map(({ messages }) => messages)
  const peak = peakOf(totals)
  const lines = stages.map((stage) => ({
    name: T.stages[stage],
    colour: STAGE_COLOURS[stage],
    values: tallies.map((counted) => counted[stage]),
  }))
  return (
    <Chart
      className="wide"
      title={T.volume.title}
      summary={T.volume.summary(toCount(all.messages), toCount(totals[peak ?? 0] ?? 0), momentOf(stats, peak))}
      kind="stack"
      span={spanOf(stats)}
      steps={stepsOf(stats)}
      lines={[...lines, ...compared(props, ({ messages }) => messages)]}
      format={toCount}
      totals={[...stages.map((stage) => all[stage]), ...(before === undefined ? [] : [addUp(before.buckets).messages])]}
      group={GROUP}
    />
  )
}

export function Success(props: Props) {
  const { stats, before } = props
  const shares = useMemo(() => talliesOf(stats).map((counted) => successOf(counted) ?? null), [stats])
  const all = addUp(stats.buckets)
  const share = successOf(all)
  const lowest = peakOf(shares.map((one) => (one === null ? null : 1 - one)))
  const summary =
    share === undefined || lowest === undefined
      ? T.success.none
      : T.success.summary(toShare(share), toCount(all.finished), toShare(shares[lowest] ?? 0), momentOf(stats, lowest))
  return (
    <Chart
      title={T.success.title}
      summary={summary}
      kind="share"
      span={spanOf(stats)}
      steps={stepsOf(stats)}
      lines={[
        { name: T.success.line, colour: 'var(--status-delivered)', values: shares },
        ...compared(props, successOf),
      ]}
      format={toShare}
      totals={[share ?? null, ...(before === undefined ? [] : [successOf(addUp(before.buckets)) ?? null])]}
      group={GROUP}
    />
  )
}
