/** All events of a message with their exact time, the time since the previous event, and their data. */
import { TEXTS } from '../../texts.ts'
import { Badge, Button } from '../../ui/parts.tsx'
import { useParams } from '../../ui/query-string.ts'
import { toDetail, toTitle, toTone } from './event-text.ts'
import { toClock, toDay, toPreciseSpan } from './spans.ts'
import type { TimelineEntry } from './timeline-entries.ts'
import { rowOf } from './timeline-layout.ts'

const T = TEXTS.message.timeline

/** The element id of an event row. */
export const toElementId = (index: number): string => `event-${index}`

type ListProps = Readonly<{
  entries: readonly TimelineEntry[]
  chosen: number | undefined
  opened: ReadonlySet<number>
  onOpened: (opened: ReadonlySet<number>) => void
}>

export function EventList({ entries, chosen, opened, onOpened }: ListProps) {
  const [{ order }, setParams] = useParams(['order'])
  const isNewestFirst = order === 'newest'
  const isAllOpen = opened.size === entries.length
  const toggle = (index: number, isOpen: boolean): void => {
    if (isOpen === opened.has(index)) return
    onOpened(new Set(isOpen ? [...opened, index] : [...opened].filter((one) => one !== index)))
  }
  return (
    <section className="card">
      <div className="events-head">
        <h2>
          {T.events} <span className="soft nums">{entries.length}</span>
        </h2>
        <Button onClick={() => setParams({ order: isNewestFirst ? undefined : 'newest' })}>
          {isNewestFirst ? T.oldestFirst : T.newestFirst}
        </Button>
        <Button onClick={() => onOpened(new Set(isAllOpen ? [] : entries.map(({ index }) => index)))}>
          {isAllOpen ? T.closeAll : T.openAll}
        </Button>
      </div>
      <ol className="events" reversed={isNewestFirst}>
        {(isNewestFirst ? entries.toReversed() : entries).map((entry) => (
          <EventRow
            key={entry.index}
            entry={entry}
            before={entries[entry.index - 1]}
            isChosen={entry.index === chosen}
            isOpen={opened.has(entry.index)}
            onToggle={(isOpen) => toggle(entry.index, isOpen)}
          />
        ))}
      </ol>
    </section>
  )
}

type RowProps = Readonly<{
  entry: TimelineEntry
  before: TimelineEntry | undefined
  isChosen: boolean
  isOpen: boolean
  onToggle: (isOpen: boolean) => void
}>

function EventRow({ entry, before, isChosen, isOpen, onToggle }: RowProps) {
  const { at, payload } = entry.event
  const isNewDay = before === undefined || toDay(before.event.at) !== toDay(at)
  return (
    <li id={toElementId(entry.index)} className="event" data-chosen={isChosen ? '' : undefined}>
      <details open={isOpen} onToggle={(event) => onToggle(event.currentTarget.open)}>
        <summary>
          <span className="event-time mono nums">
            {isNewDay && <span className="event-day soft">{toDay(at)}</span>}
            <time dateTime={at}>{toClock(at)}</time>
          </span>
          <span className="event-delta mono nums soft">
            {before === undefined ? T.first : `+${toPreciseSpan(entry.at - before.at)}`}
          </span>
          <span className="event-words">
            <Badge tone={toTone(entry)}>{toTitle(entry)}</Badge> <span className="soft">{toDetail(entry)}</span>
          </span>
          <span className="event-attempt soft nums">
            {T.attempt(payload.cycle, rowOf(entry) === '' ? 0 : payload.attempt)}
          </span>
        </summary>
        <pre className="event-data">{JSON.stringify({ event_type: entry.kind, at, payload }, null, 2)}</pre>
      </details>
    </li>
  )
}
