/** All events of a message, each with its exact time, the time since the one before, and its data. */
import { TEXTS } from '../../texts.ts'
import { Badge, Button } from '../../ui/parts.tsx'
import { useParams } from '../../ui/query-string.ts'
import type { Happening } from './happenings.ts'
import { toClock, toDay, toPreciseSpan } from './spans.ts'
import { rowOf } from './timeline-layout.ts'
import { toDetail, toTitle, toTone } from './words.ts'

const T = TEXTS.message.timeline

/** What the row of an event is called on the page. */
export const toElementId = (index: number): string => `event-${index}`

type ListProps = Readonly<{
  happenings: readonly Happening[]
  chosen: number | undefined
  opened: ReadonlySet<number>
  onOpened: (opened: ReadonlySet<number>) => void
}>

export function EventList({ happenings, chosen, opened, onOpened }: ListProps) {
  const [{ order }, setParams] = useParams(['order'])
  const isNewestFirst = order === 'newest'
  const isAllOpen = opened.size === happenings.length
  const turn = (index: number, isOpen: boolean): void => {
    if (isOpen === opened.has(index)) return
    onOpened(new Set(isOpen ? [...opened, index] : [...opened].filter((one) => one !== index)))
  }
  return (
    <section className="card">
      <div className="events-head">
        <h2>
          {T.events} <span className="soft nums">{happenings.length}</span>
        </h2>
        <Button onClick={() => setParams({ order: isNewestFirst ? undefined : 'newest' })}>
          {isNewestFirst ? T.oldestFirst : T.newestFirst}
        </Button>
        <Button onClick={() => onOpened(new Set(isAllOpen ? [] : happenings.map(({ index }) => index)))}>
          {isAllOpen ? T.closeAll : T.openAll}
        </Button>
      </div>
      <ol className="events" reversed={isNewestFirst}>
        {(isNewestFirst ? happenings.toReversed() : happenings).map((happening) => (
          <EventRow
            key={happening.index}
            happening={happening}
            before={happenings[happening.index - 1]}
            isChosen={happening.index === chosen}
            isOpen={opened.has(happening.index)}
            onTurn={(isOpen) => turn(happening.index, isOpen)}
          />
        ))}
      </ol>
    </section>
  )
}

type RowProps = Readonly<{
  happening: Happening
  before: Happening | undefined
  isChosen: boolean
  isOpen: boolean
  onTurn: (isOpen: boolean) => void
}>

function EventRow({ happening, before, isChosen, isOpen, onTurn }: RowProps) {
  const { at, payload } = happening.event
  const isNewDay = before === undefined || toDay(before.event.at) !== toDay(at)
  return (
    <li id={toElementId(happening.index)} className="event" data-chosen={isChosen ? '' : undefined}>
      <details open={isOpen} onToggle={(event) => onTurn(event.currentTarget.open)}>
        <summary>
          <span className="event-time mono nums">
            {isNewDay && <span className="event-day soft">{toDay(at)}</span>}
            <time dateTime={at}>{toClock(at)}</time>
          </span>
          <span className="event-delta mono nums soft">
            {before === undefined ? T.first : `+${toPreciseSpan(happening.at - before.at)}`}
          </span>
          <span className="event-words">
            <Badge tone={toTone(happening)}>{toTitle(happening)}</Badge>{' '}
            <span className="soft">{toDetail(happening)}</span>
          </span>
          <span className="event-turn soft nums">
            {T.turn(payload.cycle, rowOf(happening) === '' ? 0 : payload.attempt)}
          </span>
        </summary>
        <pre className="event-data">{JSON.stringify({ event_type: happening.kind, at, payload }, null, 2)}</pre>
      </details>
    </li>
  )
}
