/** The overview: what needs attention, key figures and charts. */
import { useMemo } from 'react'
import { Link } from 'wouter'
import { TEXTS } from '../texts.ts'
import { Empty, Failure, Loading, PageHead } from '../ui/parts.tsx'
import { Attention } from './overview/attention.tsx'
import { LatencyChart, Success, Volume } from './overview/charts.tsx'
import { Choices, useChoices } from './overview/choices.tsx'
import {
  type Filter,
  pick,
  type Stats,
  useFreshFigures,
  useStats,
  useStatsBefore,
  useStuck,
  useStuckBefore,
} from './overview/data.ts'
import { Queue } from './overview/queue.tsx'
import type { Range } from './overview/range.ts'
import { addUp } from './overview/series.ts'
import { Tiles } from './overview/tiles.tsx'
import { usePollingError } from './providers/use-polling-error.ts'
import '../styles/overview.css'

const T = TEXTS.overview

export function Overview() {
  const { chosen, change } = useChoices()
  const { range, filter } = chosen
  const stats = useStats(range)
  const { data } = stats
  const error = usePollingError(stats)
  useFreshFigures(range)
  return (
    <>
      <PageHead title={TEXTS.pages.overview} actions={<Choices chosen={chosen} change={change} />} />
      <div className="stack">
        <Attention />
        {error !== null && <Failure error={error} />}
        {data === undefined && error === null && <Loading />}
        {data !== undefined && <Figures all={data} range={range} filter={filter} />}
        <div className="charts">
          {data !== undefined && <Charts all={data} filter={filter} />}
          <Queue />
        </div>
      </div>
    </>
  )
}

type FiguresProps = Readonly<{ all: Stats; range: Range; filter: Filter }>

function Figures({ all, range, filter }: FiguresProps) {
  const { data: before } = useStatsBefore(range)
  const { data: stuck } = useStuck(range, filter)
  const { data: stuckBefore } = useStuckBefore(range, filter)
  const counted = addUp(pick(all, filter).buckets)
  return (
    <>
      <Tiles
        now={{ counted, stuck }}
        before={{ counted: before && addUp(pick(before, filter).buckets), stuck: stuckBefore }}
        range={range}
        filter={filter}
        from={all.from}
      />
      {counted.messages === 0 && <NoMessages range={range} filtered={Object.keys(filter).length > 0} />}
    </>
  )
}

function Charts({ all, filter: { channel, provider } }: Readonly<{ all: Stats; filter: Filter }>) {
  const stats = useMemo(
    () => pick(all, { ...(channel && { channel }), ...(provider && { provider }) }),
    [all, channel, provider],
  )
  if (stats.buckets.length === 0) return null
  return (
    <>
      <Volume stats={stats} />
      <LatencyChart stats={stats} leg="accept_to_handoff" />
      <LatencyChart stats={stats} leg="handoff_to_delivery" />
      <Success stats={stats} />
    </>
  )
}

const NoMessages = ({ range, filtered }: Readonly<{ range: Range; filtered: boolean }>) => (
  <Empty>
    <strong>{(filtered ? T.emptyFiltered : T.empty)(T.rangeWords[range])}</strong>
    <span>
      <Link href="/simulator">{T.emptyHint}</Link>
      {T.emptyOr}
    </span>
  </Empty>
)
