/** Draws one state machine: the current state, the states it passed, and the states it can still reach. */
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { toStateText } from '../../ui/state-text.ts'
import type { Machine } from './machine-states.ts'

const T = MESSAGE_TEXTS.machines

type Place = readonly [column: number, row: number]

export type Plan = Readonly<{
  name: string
  /** The position of each state, as column and row. */
  states: Readonly<Record<string, Place>>
  /** The usual transitions. */
  transitions: readonly (readonly [from: string, to: string])[]
}>

const [BOX_WIDTH, BOX_HEIGHT, COLUMN, ROW] = [92, 30, 106, 42]

/** Room for a transition that skips states. */
const TOP = 22
const NOWHERE: Place = [0, 0]

const toPlace = ([column, row]: Place) => ({ x: 2 + column * COLUMN, y: TOP + row * ROW })

type PictureProps = Readonly<{ plan: Plan; machine: Machine; unknown?: boolean }>

export function MachinePicture({ plan, machine, unknown = false }: PictureProps) {
  const places = Object.values(plan.states)
  const width = Math.max(...places.map(([column]) => column)) * COLUMN + BOX_WIDTH + 4
  const height = Math.max(...places.map(([, row]) => row)) * ROW + TOP + BOX_HEIGHT + 4
  return (
    <figure className="machine">
      <figcaption>{plan.name}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={T.picture(plan.name, toName(machine.current))}>
        <Transitions plan={plan} machine={machine} />
        {Object.entries(plan.states).map(([state, place]) => (
          <Box key={state} state={state} {...toPlace(place)} status={stepStatusOf(machine, state)} unknown={unknown} />
        ))}
      </svg>
      <ol className="visually-hidden">
        {Object.keys(plan.states).map((state) => (
          <li key={state}>{T.step(toName(state), T[stepStatusOf(machine, state)])}</li>
        ))}
      </ol>
    </figure>
  )
}

type StepStatus = 'current' | 'passed' | 'open'

function stepStatusOf({ current, passed }: Machine, state: string): StepStatus {
  if (state === current) return 'current'
  return passed.includes(state) ? 'passed' : 'open'
}

/** The provider's `unknown` is called otherwise here: it is not the unknown outcome of an attempt. */
const NAMES: Readonly<Record<string, string>> = T.names
const toName = (state: string): string => NAMES[state] ?? toStateText(state)

const TONES: Readonly<Record<string, string>> = {
  handed_off: 'good',
  delivered: 'good',
  failed: 'bad',
  dropped: 'bad',
  bounced: 'bad',
  complaint: 'bad',
  timed_out: 'warn',
}

type BoxProps = Readonly<{ state: string; x: number; y: number; status: StepStatus; unknown: boolean }>

function Box({ state, x, y, status, unknown }: BoxProps) {
  const isUnknown = unknown && status === 'current'
  const tone = status === 'current' ? (isUnknown ? 'warn' : (TONES[state] ?? 'info')) : ''
  return (
    <g className={`machine-box ${status} ${tone}`}>
      <rect x={x} y={y} width={BOX_WIDTH} height={BOX_HEIGHT} rx={6} />
      <text x={x + BOX_WIDTH / 2} y={y + BOX_HEIGHT / 2 + (isUnknown ? -1 : 4.5)}>
        {toName(state)}
      </text>
      {isUnknown && (
        <text className="small" x={x + BOX_WIDTH / 2} y={y + BOX_HEIGHT / 2 + 10}>
          {T.unknown}
        </text>
      )}
    </g>
  )
}

/** The usual transitions, and those the message took that skip states. */
function Transitions({ plan, machine }: Readonly<{ plan: Plan; machine: Machine }>) {
  const visited = [...machine.passed, machine.current]
  const taken = visited.slice(1).map((to, before) => [visited[before] ?? '', to] as const)
  const isTaken = (from: string, to: string): boolean => taken.some(([one, other]) => one === from && other === to)
  const unusual = taken.filter(([from, to]) => !plan.transitions.some(([one, other]) => one === from && other === to))
  return (
    <g className="machine-ways">
      {[...plan.transitions, ...unusual].map(([from, to]) => (
        <path key={`${from} ${to}`} d={toPath(plan, from, to)} className={isTaken(from, to) ? 'taken' : ''} />
      ))}
    </g>
  )
}

function toPath({ states }: Plan, from: string, to: string): string {
  const [begin, end] = [states[from] ?? NOWHERE, states[to] ?? NOWHERE]
  const [one, other] = [toPlace(begin), toPlace(end)]
  const middle = BOX_WIDTH / 2
  if (begin[0] === end[0]) {
    const [upper, lower] = one.y < other.y ? [one, other] : [other, one]
    return `M${upper.x + middle} ${upper.y + BOX_HEIGHT}V${lower.y}`
  }
  if (end[0] - begin[0] > 1) return toDetour(one, other)
  const [x1, y1, x2, y2] = [one.x + BOX_WIDTH, one.y + BOX_HEIGHT / 2, other.x, other.y + BOX_HEIGHT / 2]
  return `M${x1} ${y1}C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`
}

type Point = Readonly<{ x: number; y: number }>

/** Above the skipped states, or below them when it leads downwards. */
function toDetour(from: Point, to: Point): string {
  const [x1, x2] = [from.x + BOX_WIDTH / 2, to.x + BOX_WIDTH / 2]
  if (to.y > from.y)
    return `M${x1} ${from.y + BOX_HEIGHT}Q${x1} ${to.y + BOX_HEIGHT / 2} ${to.x} ${to.y + BOX_HEIGHT / 2}`
  if (to.y === from.y) {
    const [y, deep] = [from.y + BOX_HEIGHT, from.y + BOX_HEIGHT + 16]
    return `M${x1} ${y}C${x1} ${deep} ${x2} ${deep} ${x2} ${y}`
  }
  return `M${x1} ${from.y}C${x1} -8 ${x2} -8 ${x2} ${to.y}`
}
