/** The shapes behind the marks of the timeline. */
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { type History, TONES } from './history.ts'
import { toPreciseSpan } from './spans.ts'
import { type Layout, ROW_HEIGHT } from './timeline-layout.ts'

const T = MESSAGE_TEXTS.timeline
const BAR_HEIGHT = 14

type ShapeProps = Readonly<{ history: History; layout: Layout }>

export type TimedProps = ShapeProps & Readonly<{ now: number | undefined }>

/** Bands for cycles, if there are several, and a line for each row. */
export function Bands({ history: { cycles }, layout }: ShapeProps) {
  const { axis, rows, top, height } = layout
  const starts = cycles.map(({ first }, index) => (index === 0 ? 0 : axis.ofEvent(first) - 14))
  return (
    <g>
      {cycles.length > 1 &&
        cycles.map(({ cycle }, index) => {
          const [from, to] = [starts[index] ?? 0, starts[index + 1] ?? axis.width]
          return (
            <g key={cycle}>
              <rect
                className={index % 2 === 0 ? 'band' : 'band odd'}
                x={from}
                y={0}
                width={to - from}
                height={height}
              />
              <text className="band-name" x={from + 8} y={15}>
                {MESSAGE_TEXTS.cycle(cycle)}
              </text>
            </g>
          )
        })}
      {rows.map((row, index) => (
        <line
          key={row}
          className="rail"
          x1={0}
          x2={axis.width}
          y1={top + (index + 0.5) * ROW_HEIGHT}
          y2={top + (index + 0.5) * ROW_HEIGHT}
        />
      ))}
    </g>
  )
}

/** The duration between two neighbouring stops. */
export const Gaps = ({ layout: { axis, height } }: Pick<ShapeProps, 'layout'>) => (
  <g className="gaps">
    {axis.gaps.map(({ x, width, ms }) => (
      <g key={x}>
        <line x1={x} x2={x} y1={height - 26} y2={height - 20} />
        <text x={x + width / 2} y={height - 8}>
          {toPreciseSpan(ms)}
        </text>
      </g>
    ))}
    <line x1={0} x2={axis.width} y1={height - 23} y2={height - 23} />
  </g>
)

export const Bars = ({ history, layout, now }: TimedProps) => (
  <g>
    {history.attempts.map(({ provider, begin, end, ending }) => {
      const from = layout.axis.ofEvent(begin.index)
      const to = end === undefined ? layout.axis.ofTime(now ?? begin.at) : layout.axis.ofEvent(end.index)
      return (
        <rect
          key={begin.index}
          className={`bar ${TONES[ending]}`}
          x={from}
          y={layout.y(provider) - BAR_HEIGHT / 2}
          width={Math.max(2, to - from)}
          height={BAR_HEIGHT}
          rx={4}
        />
      )
    })}
  </g>
)

export function Now({ layout, now }: Readonly<{ layout: Layout; now: number }>) {
  const x = layout.axis.ofTime(now)
  return (
    <g className="now">
      <line x1={x} x2={x} y1={0} y2={layout.height - 22} />
      <text x={x} y={layout.height - 8}>
        {T.now}
      </text>
    </g>
  )
}
