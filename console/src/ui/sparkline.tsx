/** A small chart without axes, beside the figure it belongs to, which says what screen readers need. */
import '../styles/sparkline.css'

type SparklineProps = Readonly<{
  /** One value per step; null where there is none. */
  values: readonly (number | null)[]
  /** By default from 0 to the highest value. */
  top?: number
  tone?: 'accent' | 'good' | 'bad' | 'soft'
}>

const [WIDTH, HEIGHT] = [120, 28]

export function Sparkline({ values, top, tone = 'accent' }: SparklineProps) {
  const { lines, dots } = pathsOf(values, top)
  return (
    <svg
      className={`sparkline ${tone}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className="sparkline-ground" d={`M0,${HEIGHT - 0.5}H${WIDTH}`} />
      {lines.map((points) => (
        <path key={points} className="sparkline-area" d={`${toPath(points)}V${HEIGHT}H${points.split(',')[0]}Z`} />
      ))}
      {lines.map((points) => (
        <path key={points} className="sparkline-line" d={toPath(points)} />
      ))}
      {dots.map((point) => (
        <path key={point} className="sparkline-dot" d={`M${point}h0`} />
      ))}
    </svg>
  )
}

const toPath = (points: string): string => `M${points.replaceAll(' ', 'L')}`

/** Runs of neighbours as `x,y x,y`, and values without neighbours. */
function pathsOf(values: SparklineProps['values'], top: number | undefined) {
  const most = top ?? Math.max(1, ...values.map((value) => value ?? 0))
  const stepX = WIDTH / Math.max(1, values.length - 1)
  const runs: string[][] = [[]]
  for (const [nth, value] of values.entries()) {
    if (value === null) runs.push([])
    else runs.at(-1)?.push(`${round(nth * stepX)},${round(HEIGHT - 2 - (value / most) * (HEIGHT - 4))}`)
  }
  return {
    lines: runs.filter(({ length }) => length > 1).map((run) => run.join(' ')),
    dots: runs.filter(({ length }) => length === 1).flat(),
  }
}

const round = (value: number): number => Math.round(10 * value) / 10
