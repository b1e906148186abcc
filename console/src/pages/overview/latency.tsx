/** Latencies of each channel and provider: a small chart for each, all with one scale, so that they can be compared. */
import { lazy, Suspense, useState } from 'react'
import { OVERVIEW_TEXTS } from '../../texts/overview.ts'
import type { Bounds, Line } from '../../ui/chart/plot-options.ts'
import { toLatency } from '../../ui/latency.ts'
import { Button } from '../../ui/parts.tsx'
import { GROUP, spanOf } from './charts.tsx'
import type { Stats } from './data.ts'
import { type Leg, latenciesOf, type Pair, pairsOf, stepsOf } from './series.ts'

const T = OVERVIEW_TEXTS.latency
const Plot = lazy(async () => ({ default: (await import('../../ui/chart/plot.tsx')).Plot }))
const [HEIGHT, SHOWN] = [120, 6]
const LEGS = ['accept_to_handoff', 'handoff_to_delivery'] as const satisfies readonly Leg[]

export function Latency({ stats }: Readonly<{ stats: Stats }>) {
  const [leg, setLeg] = useState<Leg>('accept_to_handoff')
  const [all, setAll] = useState(false)
  const measured = pairsOf(stats)
    .map((pair) => ({ pair, lines: linesOf(stats, pair, leg) }))
    .filter(({ lines }) => lines.some(({ values }) => values.some((value) => value !== null)))
  const values = measured.flatMap(({ lines }) => lines.flatMap((line) => line.values.filter((value) => value !== null)))
  const bounds = { low: Math.min(...values), top: Math.max(...values) }
  return (
    <section className="card chart wide">
      <div className="latency-head">
        <div>
          <h2>{T.title}</h2>
          <p className="soft">{measured.length === 0 ? T.none : T.about}</p>
        </div>
        <fieldset className="segments">
          <legend className="visually-hidden">{T.leg}</legend>
          {LEGS.map((one) => (
            <label key={one}>
              <input
                type="radio"
                name="leg"
                className="visually-hidden"
                checked={one === leg}
                onChange={() => setLeg(one)}
              />
              {T.legs[one]}
            </label>
          ))}
        </fieldset>
      </div>
      <ul className="latencies">
        {measured.slice(0, all ? measured.length : SHOWN).map(({ pair, lines }) => (
          <PairLatency key={pair.name} stats={stats} name={pair.name} lines={lines} bounds={bounds} />
        ))}
      </ul>
      {measured.length > SHOWN && !all && (
        <Button className="latency-all" onClick={() => setAll(true)}>
          {T.all(measured.length)}
        </Button>
      )}
    </section>
  )
}

function linesOf(stats: Stats, pair: Pair, leg: Leg): readonly Line[] {
  const measured = latenciesOf(stats, pair, leg)
  const lineOf = (key: 'p50_ms' | 'p95_ms', dashed: boolean): Line => ({
    name: T[key],
    colour: 'var(--accent)',
    dashed,
    // A logarithmic scale has no zero.
    values: measured.map((one) => (one === null ? null : Math.max(1, one[key]))),
  })
  return [lineOf('p95_ms', false), lineOf('p50_ms', true)]
}

type PairProps = Readonly<{ stats: Stats; name: string; lines: readonly Line[]; bounds: Bounds }>

function PairLatency({ stats, name, lines, bounds }: PairProps) {
  const newest = lines.map(({ values }) => values.findLast((value) => value !== null) ?? 0)
  const [p95 = 0, p50 = 0] = newest
  const words = T.newest(toLatency(p50), toLatency(p95))
  return (
    <li>
      <h3>{name}</h3>
      <p className="soft nums">{words}</p>
      <Suspense fallback={<div className="plot" style={{ height: HEIGHT }} />}>
        <Plot
          kind="band"
          label={`${T.title}, ${name}. ${words}.`}
          height={HEIGHT}
          span={spanOf(stats)}
          steps={stepsOf(stats)}
          lines={lines}
          format={toLatency}
          group={GROUP}
          bounds={bounds}
        />
      </Suspense>
    </li>
  )
}
