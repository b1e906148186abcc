/** The key figures, compared with the preceding range, each linked to its messages. */
import { Link } from 'wouter'
import { TEXTS } from '../../texts.ts'
import { toCount, toShare } from '../../ui/numbers.ts'
import { successOf, type Tally } from '../providers/tally.ts'
import { COUNT_LIMIT, type Filter, type Stuck } from './data.ts'
import type { Range } from './range.ts'

const T = TEXTS.overview.tiles

type Figures = Readonly<{ counted: Tally | undefined; stuck: Stuck | undefined }>
type Props = Readonly<{ now: Figures; before: Figures; range: Range; filter: Filter; from: string }>

type TileProps = Readonly<{
  name: string
  href: string
  value: string
  change: Change | undefined
  range: Range
  alarming?: boolean
}>

/** `good`: whether the change is an improvement; undefined when it is neither. */
type Change = Readonly<{ words: string; more: boolean; good: boolean | undefined }> | 'none' | 'new'

function changeOf(now: number | undefined, before: number | undefined, good?: 'more' | 'less'): Change | undefined {
  if (now === undefined || before === undefined) return undefined
  if (now === before) return 'none'
  if (before === 0) return 'new'
  const more = now > before
  const words = changeText(now, before)
  return { words, more, good: good === undefined ? undefined : more === (good === 'more') }
}

/** Small counts change by a number, large ones by a percentage, very large changes by a factor. */
function changeText(now: number, before: number): string {
  if (before < 10) return toCount(Math.abs(now - before))
  return now >= 10 * before ? T.times(toCount(Math.round(now / before))) : toShare(Math.abs(now - before) / before)
}

function pointsOf(now: number | undefined, before: number | undefined): Change | undefined {
  if (now === undefined) return undefined
  if (before === undefined) return 'new'
  const points = Math.round(1000 * (now - before)) / 10
  if (points === 0) return 'none'
  return { words: T.points(toCount(Math.abs(points))), more: points > 0, good: points > 0 }
}

export function Tiles({ now, before, range, filter, from }: Props) {
  const success = now.counted && successOf(now.counted)
  const successBefore = before.counted && successOf(before.counted)
  const link = (page: string, more: Record<string, string> = {}): string =>
    `${page}?${new URLSearchParams({ ...filter, created_from: from, ...more })}`
  const count = (value: number | undefined): string =>
    value === undefined ? TEXTS.overview.chart.nothing : toCount(value)
  const unknown = now.stuck?.unknown
  const tile = { range }
  return (
    <section aria-label={T.title}>
      <ul className="tiles">
        <Tile
          {...tile}
          name={T.messages}
          href={link('/messages')}
          value={count(now.counted?.messages)}
          change={changeOf(now.counted?.messages, before.counted?.messages)}
        />
        <Tile
          {...tile}
          name={T.delivered}
          href={link('/messages', { status: 'delivered' })}
          value={success === undefined ? TEXTS.overview.chart.nothing : toShare(success)}
          change={pointsOf(success, successBefore)}
        />
        <Tile
          {...tile}
          name={T.failed}
          href={link('/messages', { status: 'failed' })}
          value={count(now.counted?.failed)}
          change={changeOf(now.counted?.failed, before.counted?.failed, 'less')}
        />
        <Tile
          {...tile}
          name={T.unknown}
          href={link('/messages', { unknown: 'true' })}
          value={unknown === COUNT_LIMIT ? T.atLeast(count(unknown)) : count(unknown)}
          change={changeOf(unknown, before.stuck?.unknown, 'less')}
          alarming={(unknown ?? 0) > 0}
        />
        <Tile
          {...tile}
          name={T.dead}
          href={link('/dead-letters')}
          value={count(now.stuck?.dead)}
          change={changeOf(now.stuck?.dead, before.stuck?.dead, 'less')}
          alarming={(now.stuck?.dead ?? 0) > 0}
        />
      </ul>
    </section>
  )
}

const Tile = ({ name, href, value, change, range, alarming = false }: TileProps) => (
  <li>
    <Link href={href} className="tile">
      <span className="tile-name">{name}</span>
      <strong className={`tile-value nums ${alarming ? 'alarming' : ''}`}>{value}</strong>
      <ChangeText change={change} range={range} />
    </Link>
  </li>
)

function ChangeText({ change, range }: Readonly<{ change: Change | undefined; range: Range }>) {
  if (change === undefined) return <span className="tile-change">{T.noChange}</span>
  if (typeof change === 'string') {
    return <span className="tile-change">{change === 'none' ? T.none : T.nothingBefore}</span>
  }
  const { words, more, good } = change
  const tone = good === undefined ? '' : good ? 'good' : 'bad'
  return (
    <span className={`tile-change ${tone}`}>
      <span aria-hidden="true">{T.change(more, words)}</span>
      <span className="visually-hidden">{T.changeWords(more, words, TEXTS.overview.rangeWords[range])}</span>
    </span>
  )
}
