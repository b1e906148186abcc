/** Waits on the timeline: the planned part and the overdue part. */
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { toPreciseSpan } from './spans.ts'
import type { Layout } from './timeline-layout.ts'
import type { TimedProps } from './timeline-shapes.tsx'
import { endOf, isShown, overdueOf, type Wait } from './waits.ts'

const T = MESSAGE_TEXTS.timeline
/** The minimum width for a label. */
const [WORDS, LONG_WORDS] = [84, 124]

/** Hatch patterns for waits, overdue waits and unknown outcomes. */
export const Hatching = () => (
  <defs>
    {['pause', 'overdue', 'unknown'].map((kind) => (
      <pattern
        key={kind}
        id={`hatched-${kind}`}
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <line className={`hatch ${kind}`} x1="0" y1="0" x2="0" y2="6" />
      </pattern>
    ))}
  </defs>
)

export const Waits = ({ history, layout, now }: TimedProps) => (
  <g>
    {history.waits
      .filter((wait) => isShown(wait, now))
      .map((wait) => (
        <WaitShape key={wait.from.index} wait={wait} layout={layout} now={now} />
      ))}
  </g>
)

type WaitProps = Readonly<{ wait: Wait; layout: Layout; now: number | undefined }>

function WaitShape({ wait, layout: { axis, y: yOf }, now }: WaitProps) {
  const { kind, row, from, end } = wait
  const until = endOf(wait, now)
  const planned = overdueOf(wait, now) === undefined ? until : (wait.planned ?? until)
  const begin = axis.ofEvent(from.index)
  const place = end === undefined ? axis.ofTime(until) : axis.ofEvent(end.index)
  const middle = planned === until ? place : planned === from.at ? begin : axis.ofTime(planned)
  const span = toPreciseSpan(planned - from.at)
  return (
    <g className={`wait ${kind}`}>
      {planned > from.at && (
        <Hatched
          kind={kind}
          from={begin}
          to={middle}
          y={yOf(row)}
          words={kind === 'pause' ? T.waits(span) : T.unknown(span)}
        />
      )}
      {planned < until && <Hatched kind="overdue" from={middle} to={place} y={yOf(row)} words={T.overdue} />}
    </g>
  )
}

type HatchedProps = Readonly<{ kind: string; from: number; to: number; y: number; words: string }>

const Hatched = ({ kind, from, to, y, words }: HatchedProps) => (
  <>
    <rect x={from} y={y - 9} width={Math.max(2, to - from)} height={18} fill={`url(#hatched-${kind})`}>
      <title>{words}</title>
    </rect>
    {to - from >= (kind === 'overdue' ? LONG_WORDS : WORDS) && (
      <text x={(from + to) / 2} y={y + 4}>
        {words}
      </text>
    )}
  </>
)
