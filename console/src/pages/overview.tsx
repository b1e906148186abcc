/** The overview: what needs attention, the first steps, key figures and charts. */
import { useMemo } from 'react'
import { Link } from 'wouter'
import { OVERVIEW_TEXTS } from '../texts/overview.ts'
import { PAGES_TEXTS } from '../texts/pages.ts'
import { Empty, Failure, PageHead } from '../ui/parts.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Attention } from './overview/attention.tsx'
import { Success, Volume } from './overview/charts.tsx'
import { Choices, ShownSpan, useChoices } from './overview/choices.tsx'
import {
  type Filter,
  pick,
  type Stats,
  useAge,
  useFreshFigures,
  useStats,
  useStatsBefore,
  useStuck,
  useStuckBefore,
} from './overview/data.ts'
import { GetStarted, useStart } from './overview/get-started.tsx'
import { Latency } from './overview/latency.tsx'
import { CHART_HEIGHT, Queue } from './overview/queue.tsx'
import { autoRange, type Range, type RangeChoice } from './overview/range.ts'
import { addUp, talliesOf } from './overview/series.ts'
import { Tiles } from './overview/tiles.tsx'
import { usePollingError } from './providers/use-polling-error.ts'
import '../styles/overview.css'

const T = OVERVIEW_TEXTS

export function Overview() {
  const { chosen, change } = useChoices()
  const age = useAge()
  const error = usePollingError(age)
  const range = rangeOf(chosen.choice, age.data)
  const isNew = age.data?.hasAny === false
  const isYoung = age.data !== undefined && (isNew || age.data.extent !== undefined)
  const start = useStart(!isNew, isYoung)
  const isSettled = (age.data !== undefined || error !== null) && start.isKnown
  return (
    <>
      <PageHead title={PAGES_TEXTS.overview} actions={isSettled && !isNew && <ShownSpan range={range} />} />
      <div className="stack">
        <Attention />
        {start.steps !== undefined && <GetStarted steps={start.steps} onHide={start.hide} />}
        {error !== null && <Failure error={error} />}
        {isSettled && !isNew && <Choices chosen={chosen} change={change} />}
        {isSettled && !isNew && range !== undefined && (
          <Figures range={range} filter={chosen.filter} isCompared={chosen.isCompared} />
        )}
      </div>
    </>
  )
}

/** Undefined until the gateway has said since when it has messages. */
function rangeOf(choice: RangeChoice, age: ReturnType<typeof useAge>['data']): Range | undefined {
  if (choice !== 'auto') return choice
  if (age === undefined) return undefined
  return age.extent === undefined ? '7d' : autoRange(age.extent, Date.now())
}

const FiguresSkeleton = () => (
  <>
    <div className="tiles-skeleton">
      <Skeleton height={TILES_HEIGHT} />
    </div>
    <Skeleton height={CHART_HEIGHT} />
    <div className="charts">
      <Skeleton height={CHART_HEIGHT} />
      <Skeleton height={CHART_HEIGHT} />
    </div>
  </>
)
const TILES_HEIGHT = 146

type FiguresProps = Readonly<{ range: Range; filter: Filter; isCompared: boolean }>

function Figures({ range, filter, isCompared }: FiguresProps) {
  const stats = useStats(range)
  const error = usePollingError(stats)
  const { data: before } = useStatsBefore(range)
  useFreshFigures(range)
  if (stats.data === undefined) return error === null ? <FiguresSkeleton /> : <Failure error={error} />
  return (
    <>
      {error !== null && <Failure error={error} />}
      <KeyFigures all={stats.data} before={before} range={range} filter={filter} />
      <Charts all={stats.data} before={isCompared ? before : undefined} filter={filter} range={range} />
    </>
  )
}

type ShownProps = Readonly<{ all: Stats; before: Stats | undefined; range: Range; filter: Filter }>

function KeyFigures({ all, before, range, filter }: ShownProps) {
  const { data: stuck } = useStuck(range, filter)
  const { data: stuckBefore } = useStuckBefore(range, filter)
  const picked = pick(all, filter)
  const counted = addUp(picked.buckets)
  return (
    <>
      <Tiles
        now={{ counted, stuck }}
        before={{ counted: before && addUp(pick(before, filter).buckets), stuck: stuckBefore }}
        tallies={talliesOf(picked)}
        range={range}
        filter={filter}
        from={all.from}
      />
      {counted.messages === 0 && <NoMessages range={range} filtered={Object.keys(filter).length > 0} />}
    </>
  )
}

function Charts({ all, before, range, filter: { channel, provider } }: ShownProps) {
  const filter = useMemo(() => ({ ...(channel && { channel }), ...(provider && { provider }) }), [channel, provider])
  const stats = useMemo(() => pick(all, filter), [all, filter])
  const compared = before && pick(before, filter)
  const beforeName = T.before(T.rangeWords[range])
  const isEmpty = stats.buckets.length === 0
  return (
    <div className="charts">
      {!isEmpty && <Volume stats={stats} before={compared} beforeName={beforeName} />}
      {!isEmpty && <Success stats={stats} before={compared} beforeName={beforeName} />}
      <Queue />
      {!isEmpty && <Latency stats={stats} />}
    </div>
  )
}

const NoMessages = ({ range, filtered }: Readonly<{ range: Range; filtered: boolean }>) => (
  <Empty>
    <strong>{(filtered ? T.emptyFiltered : T.empty)(T.rangeWords[range])}</strong>
    <span>
      <Link href="/send">{T.emptyHint}</Link>
      {T.emptyOr}
    </span>
  </Empty>
)
