/**
 * All events of a message with their exact time, the time since the previous event, and their data. With several cycles,
 * each is a section of its own, and those before the newest are closed.
 */
import { ChevronRight } from 'lucide-react'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { Badge, Button, Status } from '../../ui/parts.tsx'
import { useParams } from '../../ui/query-string.ts'
import { byCycle } from './cycles.ts'
import { toDetail, toTitle, toTone } from './event-text.ts'
import { toClock, toDay, toPreciseSpan } from './spans.ts'
import type { TimelineEntry } from './timeline-entries.ts'
import { rowOf } from './timeline-layout.ts'

const T = MESSAGE_TEXTS.timeline

/** The element id of an event row. */
export const toElementId = (index: number): string => `event-${index}`

export type Opened = Readonly<{ events: ReadonlySet<number>; cycles: ReadonlySet<number> }>

type ListProps = Readonly<{
  entries: readonly TimelineEntry[]
  /** More than are listed, if the message has very many. */
  total: number
  chosen: number | undefined
  opened: Opened
  onOpened: (opened: Opened) => void
}>

export function EventList({ entries, total, chosen, opened, onOpened }: ListProps) {
  const [{ order }, setParams] = useParams(['order'])
  const isNewestFirst = order === 'newest'
  const cycles = inOrder(byCycle(entries), isNewestFirst)
  const isAllOpen = opened.events.size === entries.length
  const toggleAll = (): void =>
    onOpened({
      events: new Set(isAllOpen ? [] : entries.map(({ index }) => index)),
      cycles: new Set(isAllOpen ? opened.cycles : cycles.map(({ cycle }) => cycle)),
    })
  const rows = (of: readonly TimelineEntry[]) => (
    <ol className="events" reversed={isNewestFirst}>
      {inOrder(of, isNewestFirst).map((entry) => (
        <EventRow
          key={entry.index}
          entry={entry}
          before={entries[entry.index - 1]}
          isChosen={entry.index === chosen}
          isOpen={opened.events.has(entry.index)}
          onToggle={(isOpen) => onOpened({ ...opened, events: withOne(opened.events, entry.index, isOpen) })}
        />
      ))}
    </ol>
  )
  return (
    <>
      <div className="events-head">
        <h3>
          {T.events} <span className="soft nums">{entries.length}</span>
        </h3>
        <Button onClick={() => setParams({ order: isNewestFirst ? undefined : 'newest' })}>
          {isNewestFirst ? T.oldestFirst : T.newestFirst}
        </Button>
        <Button onClick={toggleAll}>{isAllOpen ? T.closeAll : T.openAll}</Button>
      </div>
      {total > entries.length && <p className="soft">{T.earlier(entries.length, total)}</p>}
      {cycles.length === 1
        ? rows(entries)
        : cycles.map(({ cycle, entries: own }) => (
            <details
              key={cycle}
              className="cycle fold"
              open={opened.cycles.has(cycle)}
              onToggle={({ currentTarget: { open } }) =>
                onOpened({ ...opened, cycles: withOne(opened.cycles, cycle, open) })
              }
            >
              <CycleHead cycle={cycle} entries={own} />
              {rows(own)}
            </details>
          ))}
    </>
  )
}

const inOrder = <Item,>(items: readonly Item[], isNewestFirst: boolean): readonly Item[] =>
  isNewestFirst ? items.toReversed() : items

function withOne(all: ReadonlySet<number>, one: number, isIn: boolean): ReadonlySet<number> {
  if (all.has(one) === isIn) return all
  return new Set(isIn ? [...all, one] : [...all].filter((other) => other !== one))
}

/** The status after the last event of the cycle that changed it. */
function CycleHead({ cycle, entries }: Readonly<{ cycle: number; entries: readonly TimelineEntry[] }>) {
  const last = entries.findLast(({ isLate }) => !isLate) ?? entries.at(-1)
  const attempts = entries.filter(({ kind }) => kind === 'HandoffAttempted').length
  return (
    <summary>
      <ChevronRight aria-hidden="true" />
      <strong>{MESSAGE_TEXTS.cycle(cycle)}</strong>
      {last !== undefined && <Status status={last.event.payload.status} />}
      <span className="soft nums">{COMMON_TEXTS.attempts(attempts)}</span>
    </summary>
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
  const detail = toDetail(entry)
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
            <Badge tone={toTone(entry)}>{toTitle(entry)}</Badge>
            {detail !== '' && <span className="event-detail soft">{detail}</span>}
          </span>
          <span className="event-attempt soft nums">{rowOf(entry) !== '' && T.attempt(payload.attempt)}</span>
        </summary>
        <pre className="event-data">{JSON.stringify({ event_type: entry.kind, at, payload }, null, 2)}</pre>
      </details>
    </li>
  )
}
