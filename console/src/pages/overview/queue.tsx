/** Queue depth by lane over the last minutes, sampled while the page is open. */
import { useQuery } from '@tanstack/react-query'
import { api, unwrap } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.d.ts'
import { OVERVIEW_TEXTS } from '../../texts/overview.ts'
import { Chart } from '../../ui/chart/chart.tsx'
import type { Line } from '../../ui/chart/plot-options.ts'
import { sum, toCount } from '../../ui/numbers.ts'
import { Failure } from '../../ui/parts.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { usePollingError } from '../providers/use-polling-error.ts'

const T = OVERVIEW_TEXTS.queue
/** Of a chart with its title, legend and table. */
export const CHART_HEIGHT = 372
const EVERY_MS = 2_000
const MAX_SAMPLES = 150

type LaneDepth = components['schemas']['LaneDepth']
type Sample = Readonly<{ at: number; lanes: readonly LaneDepth[] }>

let history: readonly Sample[] = []

async function sample(): Promise<readonly Sample[]> {
  const { lanes } = await unwrap(api.GET('/v1/queue'))
  history = [...history, { at: Math.round(Date.now() / 1000), lanes }].slice(-MAX_SAMPLES)
  return history
}

const LANE_COLOURS = { otp: 'var(--accent)', transactional: 'var(--info)', bulk: 'var(--warn)' } as const

/** Delayed messages get their own line once there are any. */
function linesOf(samples: readonly Sample[], lane: LaneDepth['lane']): readonly Line[] {
  const colour = LANE_COLOURS[lane]
  const valuesOf = (key: 'ready' | 'delayed') =>
    samples.map(({ lanes }) => lanes.find((one) => one.lane === lane)?.[key] ?? null)
  const later = valuesOf('delayed')
  return [
    { name: T.lanes[lane], colour, values: valuesOf('ready') },
    ...(later.some((count) => count !== null && count > 0)
      ? [{ name: T.later(T.lanes[lane]), colour, values: later, dashed: true }]
      : []),
  ]
}

export function Queue() {
  const query = useQuery({ queryKey: ['queue'], queryFn: sample, refetchInterval: EVERY_MS })
  const error = usePollingError(query)
  if (error === null && query.data !== undefined) return <Depths samples={query.data} />
  if (error === null) return <Skeleton height={CHART_HEIGHT} />
  return (
    <section className="card">
      <h2>{T.title}</h2>
      <Failure error={error} />
    </section>
  )
}

function Depths({ samples }: Readonly<{ samples: readonly Sample[] }>) {
  const latest = samples.at(-1)
  const lanes = latest?.lanes ?? []
  const total = (key: 'ready' | 'delayed' | 'taken'): string => toCount(sum(lanes.map((lane) => lane[key])))
  const to = latest?.at ?? 0
  const lines = lanes.flatMap(({ lane }) => linesOf(samples, lane))
  return (
    <Chart
      title={T.title}
      summary={T.summary(total('ready'), total('delayed'), total('taken'))}
      kind="count"
      span={{ from: to - (MAX_SAMPLES * EVERY_MS) / 1000, to, step: 0 }}
      steps={samples.map(({ at }) => at)}
      lines={lines}
      format={toCount}
      totals={lines.map(({ values }) => values.at(-1) ?? null)}
    />
  )
}
