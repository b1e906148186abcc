/** The key figures, compared with the preceding range, each linked to its messages. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { CHART_TEXTS } from '../../texts/chart.ts'
import { OVERVIEW_TEXTS } from '../../texts/overview.ts'
import { toCount, toShare } from '../../ui/numbers.ts'
import { Sparkline } from '../../ui/sparkline.tsx'
import { successOf, type Tally } from '../providers/tally.ts'
import { type Change, changeOf, pointsOf } from './change.ts'
import { COUNT_LIMIT, type Filter, type Stuck } from './data.ts'
import type { Range } from './range.ts'

const T = OVERVIEW_TEXTS.tiles

type Figures = Readonly<{ counted: Tally | undefined; stuck: Stuck | undefined }>
type Props = Readonly<{
  now: Figures
  before: Figures
  /** One for each step of the range. */
  tallies: readonly Tally[]
  range: Range
  filter: Filter
  from: string
}>

export function Tiles({ now, before, tallies, range, filter, from }: Props) {
  const success = now.counted && successOf(now.counted)
  const successBefore = before.counted && successOf(before.counted)
  const link = (page: string, more: Record<string, string> = {}): string =>
    `${page}?${new URLSearchParams({ ...filter, created_from: from, ...more })}`
  const unknown = now.stuck?.unknown
  return (
    <section aria-label={T.title}>
      <ul className="tiles">
        <Tile
          range={range}
          name={T.messages}
          href={link('/messages')}
          value={toValue(now.counted?.messages)}
          change={changeOf(now.counted?.messages, before.counted?.messages)}
          chart={<Sparkline values={tallies.map(({ messages }) => messages)} />}
        />
        <Tile
          range={range}
          name={T.delivered}
          href={link('/messages', { status: 'delivered' })}
          value={success === undefined ? CHART_TEXTS.nothing : toShare(success)}
          change={pointsOf(success, successBefore)}
          chart={<Sparkline values={tallies.map((tally) => successOf(tally) ?? null)} top={1} tone="good" />}
        />
        <Tile
          range={range}
          name={T.failed}
          href={link('/messages', { status: 'failed' })}
          value={toValue(now.counted?.failed)}
          change={changeOf(now.counted?.failed, before.counted?.failed, 'less')}
          chart={<Sparkline values={tallies.map(({ failed }) => failed)} tone="bad" />}
        />
        <Tile
          range={range}
          name={T.unknown}
          href={link('/messages', { unknown: 'true' })}
          value={unknown === COUNT_LIMIT ? T.atLeast(toValue(unknown)) : toValue(unknown)}
          change={changeOf(unknown, before.stuck?.unknown, 'less')}
          about={T.unknownMeans}
          alarming={(unknown ?? 0) > 0}
        />
        <Tile
          range={range}
          name={T.dead}
          href={link('/dead-letters')}
          value={toValue(now.stuck?.dead)}
          change={changeOf(now.stuck?.dead, before.stuck?.dead, 'less')}
          about={T.deadMeans}
          alarming={(now.stuck?.dead ?? 0) > 0}
        />
      </ul>
    </section>
  )
}

const toValue = (value: number | undefined): string => (value === undefined ? CHART_TEXTS.nothing : toCount(value))

type TileProps = Readonly<{
  name: string
  href: string
  value: string
  change: Change | undefined
  range: Range
  chart?: ReactNode
  about?: string
  alarming?: boolean
}>

const Tile = ({ name, href, value, change, range, chart, about, alarming = false }: TileProps) => (
  <li>
    <Link href={href} className="tile">
      <span className="tile-name">{name}</span>
      <strong className={`tile-value nums ${alarming ? 'alarming' : ''}`}>{value}</strong>
      <ChangeText change={change} range={range} />
      {chart ?? <span className="tile-about">{about}</span>}
    </Link>
  </li>
)

function ChangeText({ change, range }: Readonly<{ change: Change | undefined; range: Range }>) {
  const period = OVERVIEW_TEXTS.rangeWords[range]
  if (change === undefined) return <span className="tile-change">{T.noChange}</span>
  if (typeof change === 'string') {
    return <span className="tile-change">{change === 'none' ? T.none(period) : T.nothingBefore(period)}</span>
  }
  const { words, more, good } = change
  const tone = good === undefined ? '' : good ? 'good' : 'bad'
  return (
    <span className="tile-change">
      <span className={tone} aria-hidden="true">
        {T.change(more, words)}
      </span>
      <span aria-hidden="true">{T.than(period)}</span>
      <span className="visually-hidden">{T.changeWords(more, words, period)}</span>
    </span>
  )
}
