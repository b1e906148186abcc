/** The events upon a timeline: one can be tabbed to, the arrows go from one to the next, Enter opens it in the list. */
import { type KeyboardEvent, useRef } from 'react'
import { TEXTS } from '../../texts.ts'
import type { Tone } from '../../ui/parts.tsx'
import type { Happening } from './happenings.ts'
import { toClock } from './spans.ts'
import type { Story } from './story.ts'
import { type Layout, rowOf } from './timeline-layout.ts'
import { toDetail, toTitle, toTone } from './words.ts'

const T = TEXTS.message.timeline
const SIZE = 24

/** Drawn in a square of 16, so that a tone is never told by colour alone. */
const SIGNS: Readonly<Record<Tone, string>> = {
  good: 'M4.5 8.5l2.5 2.5 4.5-5.5',
  bad: 'M5 5l6 6M11 5l-6 6',
  warn: 'M8 4v5M8 11.4v.6',
  info: 'M6.5 4.5l4 3.5-4 3.5',
  quiet: 'M8 7.6v.8',
}

type MarksProps = Readonly<{
  story: Story
  layout: Layout
  chosen: number | undefined
  onChoose: (index: number | undefined) => void
  onOpen: (index: number) => void
}>

export function Marks({ story: { happenings }, layout, chosen, onChoose, onOpen }: MarksProps) {
  const list = useRef<HTMLOListElement>(null)
  const go = (event: KeyboardEvent): void => {
    const last = happenings.length - 1
    const here = chosen ?? last
    const next = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: last }[event.key]
    if (next === undefined) return
    event.preventDefault()
    list.current?.querySelectorAll('button')[Math.min(last, Math.max(0, next))]?.focus()
  }
  return (
    <ol className="timeline-marks" aria-label={T.marks} ref={list}>
      {happenings.map((happening) => (
        <li key={happening.index} style={toPosition(happening, layout)}>
          <button
            type="button"
            className={`mark ${toTone(happening)}`}
            tabIndex={happening.index === (chosen ?? happenings.length - 1) ? 0 : -1}
            aria-label={toLabel(happening)}
            data-chosen={happening.index === chosen ? '' : undefined}
            onMouseEnter={() => onChoose(happening.index)}
            onFocus={() => onChoose(happening.index)}
            onKeyDown={go}
            onClick={() => onOpen(happening.index)}
          >
            <svg viewBox="0 0 16 16" aria-hidden="true">
              <path d={SIGNS[toTone(happening)]} />
            </svg>
          </button>
        </li>
      ))}
    </ol>
  )
}

const toPosition = (happening: Happening, { axis, y }: Layout) => ({
  left: axis.ofEvent(happening.index) - SIZE / 2,
  top: y(rowOf(happening)) - SIZE / 2,
})

const toLabel = (happening: Happening): string =>
  [toClock(happening.event.at), toTitle(happening), toDetail(happening)].filter((part) => part !== '').join(', ')
