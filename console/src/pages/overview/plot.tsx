/** A uPlot chart. It is recreated when its series or colours change, and otherwise only updated. */
import { memo, useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useColourScheme } from './colours.ts'
import { optionsOf, type PlotProps, valuesOf } from './plot-options.ts'

export const Plot = memo(function Plot(props: PlotProps) {
  const scheme = useColourScheme()
  const shape = JSON.stringify([props.kind, props.lines.map(({ name, colour }) => [name, colour]), scheme])
  return <Drawn key={shape} {...props} />
})

function Drawn(props: PlotProps) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(props)
  latest.current = props

  useEffect(() => {
    const element = box.current
    if (element === null) return
    const made = new uPlot(optionsOf(latest, element), valuesOf(latest.current), element)
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
  }, [])

  useEffect(() => {
    plot.current?.setData(valuesOf(props))
  }, [props])

  return <div ref={box} className="plot" style={{ height: props.height }} role="img" aria-label={props.label} />
}
