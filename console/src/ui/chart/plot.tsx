/**
 * A uPlot chart whose points can be read with the pointer and with the arrow keys. It is recreated when its series or
 * colours change, and otherwise only updated.
 */
import { type KeyboardEvent, memo, type RefObject, useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import '../../styles/chart.css'
import { CHART_TEXTS } from '../../texts/chart.ts'
import { useColourScheme } from './colours.ts'
import { optionsOf, type PlotProps, valuesOf } from './plot-options.ts'
import { Tooltip, toWords } from './tooltip.tsx'

export const Plot = memo(function Plot(props: PlotProps) {
  const scheme = useColourScheme()
  const lines = props.lines.map(({ name, colour }) => [name, colour])
  const shape = JSON.stringify([props.kind, props.height, lines, scheme])
  return <Drawn key={shape} {...props} />
})

/** The step that is pointed at, and how far it is from the left edge. */
type Point = Readonly<{ place: number; left: number }>

function Drawn(props: PlotProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [point, setPoint] = useState<Point>()
  const [said, setSaid] = useState('')
  /** Charts of a group share a cursor; only the one in use shows a tooltip. */
  const [inUse, setInUse] = useState(false)
  const { box, plot } = usePlot(props, setPoint)

  const leave = (): void => {
    setInUse(false)
    plot.current?.setCursor({ left: -10, top: -10 })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') leave()
    const place = placeAfter(event.key, inUse ? point?.place : undefined, props.steps.length)
    if (place === undefined) return
    event.preventDefault()
    setInUse(true)
    moveTo(plot.current, place)
    setSaid(toWords(props, place))
  }
  return (
    <>
      <div
        ref={frame}
        className="plot"
        role="application"
        aria-label={`${props.label} ${CHART_TEXTS.keys}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its points are read with the arrow keys
        tabIndex={0}
        style={{ height: props.height }}
        onKeyDown={onKeyDown}
        onPointerEnter={() => setInUse(true)}
        onPointerLeave={leave}
        onBlur={leave}
      >
        <div ref={box} />
        {inUse && point !== undefined && <Tooltip {...props} {...point} frame={frame} />}
      </div>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  )
}

function usePlot(props: PlotProps, onPoint: (point: Point | undefined) => void) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(props)
  latest.current = props

  useEffect(() => {
    const element = box.current
    if (element === null) return
    const made = new uPlot(optionsOf(latest, element, pointTo(onPoint)), valuesOf(latest.current), element)
    plot.current = made
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry?.contentRect.width ?? 0)
      if (width > 0) made.setSize({ width, height: latest.current.height })
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
      plot.current = undefined
    }
  }, [onPoint])

  useEffect(() => {
    plot.current?.setData(valuesOf(props))
  }, [props])
  return { box, plot } satisfies Readonly<{ box: RefObject<HTMLDivElement | null>; plot: RefObject<unknown> }>
}

const pointTo =
  (onPoint: (point: Point | undefined) => void) =>
  ({ cursor, bbox, data, valToPos }: uPlot): void => {
    const at = cursor.idx === null || cursor.idx === undefined ? undefined : data[0][cursor.idx]
    const isOutside = at === undefined || (cursor.left ?? -1) < 0
    onPoint(isOutside ? undefined : { place: cursor.idx ?? 0, left: bbox.left / devicePixelRatio + valToPos(at, 'x') })
  }

function moveTo(plot: uPlot | undefined, place: number): void {
  const at = plot?.data[0][place]
  if (plot !== undefined && at !== undefined) plot.setCursor({ left: plot.valToPos(at, 'x'), top: 0 })
}

/** The first arrow key begins with the newest step. */
function placeAfter(key: string, place: number | undefined, steps: number): number | undefined {
  const last = steps - 1
  const next = {
    ArrowLeft: place === undefined ? last : place - 1,
    ArrowRight: place === undefined ? last : place + 1,
    Home: 0,
    End: last,
  }[key]
  return next === undefined || steps === 0 ? undefined : Math.min(last, Math.max(0, next))
}
