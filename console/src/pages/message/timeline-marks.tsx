/**
 * The events on the timeline. One mark is in the tab order, arrow keys move between marks, Enter opens the event in the
 * list.
 */
import { type KeyboardEvent, useRef } from 'react'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import type { Tone } from '../../ui/parts.tsx'
import { toDetail, toTitle, toTone } from './event-text.ts'
import type { History } from './history.ts'
import { toClock } from './spans.ts'
import type { TimelineEntry } from './timeline-entries.ts'
import { type Layout, rowOf } from './timeline-layout.ts'

const T = MESSAGE_TEXTS.timeline
const SIZE = 24

/** 16×16 icons, so that a tone is never shown by colour alone. */
const SIGNS: Readonly<Record<Tone, string>> = {
  good: 'M4.5 8.5l2.5 2.5 4.5-5.5',
  bad: 'M5 5l6 6M11 5l-6 6',
  warn: 'M8 4v5M8 11.4v.6',
  info: 'M6.5 4.5l4 3.5-4 3.5',
  sent: 'M6.5 4.5l4 3.5-4 3.5',
  quiet: 'M8 7.6v.8',
}

type MarksProps = Readonly<{
  history: History
  layout: Layout
  chosen: number | undefined
  onChoose: (index: number | undefined) => void
  onOpen: (index: number) => void
}>

export function Marks({ history: { entries }, layout, chosen, onChoose, onOpen }: MarksProps) {
  const list = useRef<HTMLOListElement>(null)
  const go = (event: KeyboardEvent): void => {
    const last = entries.length - 1
    const here = chosen ?? last
    const next = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: last }[event.key]
    if (next === undefined) return
    event.preventDefault()
    list.current?.querySelectorAll('button')[Math.min(last, Math.max(0, next))]?.focus()
  }
  return (
    <ol className="timeline-marks" aria-label={T.marks} ref={list}>
      {entries.map((entry) => (
        <li key={entry.index} style={toPosition(entry, layout)}>
          <button
            type="button"
            className={`mark ${toTone(entry)}`}
            tabIndex={entry.index === (chosen ?? entries.length - 1) ? 0 : -1}
            aria-label={toLabel(entry)}
            data-chosen={entry.index === chosen ? '' : undefined}
            onMouseEnter={() => onChoose(entry.index)}
            onFocus={() => onChoose(entry.index)}
            onKeyDown={go}
            onClick={() => onOpen(entry.index)}
          >
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d={SIGNS[toTone(entry)]} />
            </svg>
          </button>
        </li>
      ))}
    </ol>
  )
}

const toPosition = (entry: TimelineEntry, { axis, y }: Layout) => ({
  left: axis.ofEvent(entry.index) - SIZE / 2,
  top: y(rowOf(entry)) - SIZE / 2,
})

const toLabel = (entry: TimelineEntry): string =>
  [toClock(entry.event.at), toTitle(entry), toDetail(entry)].filter((part) => part !== '').join(', ')
