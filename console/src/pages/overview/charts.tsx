/** The charts: volume, delivery rate and latency. */
import { useMemo } from 'react'
import { TEXTS } from '../../texts.ts'
import { toCount, toLatency, toShare } from '../../ui/numbers.ts'
import { type Stage, successOf } from '../providers/tally.ts'
import { Chart } from './chart.tsx'
import { type Span, toMoment } from './clock.ts'
import { type Colour, soften } from './colours.ts'
import type { Stats } from './data.ts'
import type { Line } from './plot-options.ts'
import { addUp, type Leg, latenciesOf, pairsOf, peakOf, stagesSeen, stepsOf, talliesOf } from './series.ts'

const T = TEXTS.overview
const GROUP = 'figures'

type Props = Readonly<{ stats: Stats }>

const spanOf = ({ from, to, bucket }: Stats): Span => ({
  from: Date.parse(from) / 1000,
  to: Date.parse(to) / 1000,
  step: bucket,
})

/** Muted colours for success, so that failures stand out. */
const STAGE_COLOURS: Readonly<Record<Stage, Colour>> = {
  delivered: soften('good'),
  sent: soften('info'),
  inProgress: 'var(--line-strong)',
  expired: 'var(--warn)',
  failed: 'var(--bad)',
}

/** The start time of a step. */
const momentOf = (stats: Stats, place: number | undefined): string =>
  place === undefined ? '' : toMoment(stepsOf(stats)[place] ?? 0, spanOf(stats))

export function Volume({ stats }: Props) {
  const tallies = useMemo(() => talliesOf(stats), [stats])
  const all = addUp(stats.buckets)
  const stages = stagesSeen(all)
  const totals = tallies.map(({ messages }) => messages)
  const peak = peakOf(totals)
  return (
    <Chart
      className="wide"
      title={T.volume.title}
      summary={T.volume.summary(toCount(all.messages), toCount(totals[peak ?? 0] ?? 0), momentOf(stats, peak))}
      kind="stack"
      span={spanOf(stats)}
      steps={stepsOf(stats)}
      lines={stages.map((stage) => ({
        name: T.stages[stage],
        colour: STAGE_COLOURS[stage],
        values: tallies.map((counted) => counted[stage]),
      }))}
      format={toCount}
      atRest={{ name: T.chart.inAll, values: stages.map((stage) => all[stage]) }}
      group={GROUP}
    />
  )
}

export function Success({ stats }: Props) {
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
      lines={[{ name: T.success.line, colour: 'var(--good)', values: shares }]}
      format={toShare}
      atRest={{ name: T.chart.inAll, values: [share ?? null] }}
      group={GROUP}
    />
  )
}

const PAIR_COLOURS = ['var(--accent)', 'var(--info)', 'var(--warn)', 'var(--ink-soft)'] as const

function latencyLines(stats: Stats, leg: Leg): readonly Line[] {
  return pairsOf(stats, PAIR_COLOURS.length).flatMap((pair, number) => {
    const measured = latenciesOf(stats, pair, leg)
    if (measured.every((one) => one === null)) return []
    const colour = PAIR_COLOURS[number] ?? 'var(--ink-soft)'
    const lineOf = (name: string, key: 'p50_ms' | 'p95_ms', dashed: boolean): Line => ({
      name: `${pair.name} ${name}`,
      colour,
      dashed,
      // A logarithmic scale has no zero.
      values: measured.map((one) => (one === null ? null : Math.max(1, one[key]))),
    })
    return [lineOf(T.latency.p95, 'p95_ms', false), lineOf(T.latency.p50, 'p50_ms', true)]
  })
}

function slowest(stats: Stats, lines: readonly Line[]): string {
  const peaks = lines
    .filter(({ dashed }) => dashed !== true)
    .map((line) => ({ line, place: peakOf(line.values) ?? 0 }))
    .map(({ line, place }) => ({ line, place, value: line.values[place] ?? 0 }))
    .sort((one, other) => other.value - one.value)
  const [worst] = peaks
  if (worst === undefined) return T.latency.none
  const name = worst.line.name.replace(` ${T.latency.p95}`, '')
  return T.latency.summary(toLatency(worst.value), name, momentOf(stats, worst.place))
}

export function LatencyChart({ stats, leg }: Props & Readonly<{ leg: Leg }>) {
  const lines = useMemo(() => latencyLines(stats, leg), [stats, leg])
  return (
    <Chart
      title={leg === 'accept_to_handoff' ? T.latency.handoff : T.latency.delivery}
      summary={slowest(stats, lines)}
      kind="span"
      span={spanOf(stats)}
      steps={stepsOf(stats)}
      lines={lines}
      format={toLatency}
      atRest={{
        name: T.chart.latest,
        values: lines.map(({ values }) => values.findLast((one) => one !== null) ?? null),
      }}
      group={GROUP}
    />
  )
}
