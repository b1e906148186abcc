/**
 * Attempts, waits and reports on a time axis, with a row for the gateway and one for each provider. The marks are
 * buttons.
 */
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { MessageDetails } from '../../api/client.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { useSecond } from '../../ui/second.ts'
import { toAxis } from './axis.ts'
import { isInFlight } from './data.ts'
import type { History } from './history.ts'
import { type Layout, ROW_HEIGHT, toLayout } from './timeline-layout.ts'
import { Marks } from './timeline-marks.tsx'
import { Bands, Bars, Gaps, Now } from './timeline-shapes.tsx'
import { Hatching, Waits } from './timeline-waits.tsx'
import { useNewestEnd } from './use-newest-end.ts'
import { overdueOf } from './waits.ts'

const T = MESSAGE_TEXTS.timeline

type PictureProps = Readonly<{
  history: History
  details: MessageDetails
  chosen: number | undefined
  onChoose: (index: number | undefined) => void
  onOpen: (index: number) => void
}>

export function TimelinePicture({ history, details, chosen, onChoose, onOpen }: PictureProps) {
  const [box, room] = useWidth()
  const isRunning = isInFlight(details)
  const second = useSecond(isRunning)
  const now = isRunning ? second : undefined
  const axis = toAxis(history.entries, timesOf(history, now), room)
  const layout = toLayout(history, axis)
  const [cuts, onScroll] = useNewestEnd(box, axis.width, room)
  return (
    <div className="timeline">
      <RowNames layout={layout} />
      <div className="timeline-scroll" ref={box} data-cut={cuts} onScroll={onScroll}>
        <div className="timeline-ground" style={{ width: axis.width, height: layout.height }}>
          <svg width={axis.width} height={layout.height} role="img" aria-label={T.picture}>
            <Hatching />
            <Bands history={history} layout={layout} />
            <Gaps layout={layout} />
            <Waits history={history} layout={layout} now={now} />
            <Bars history={history} layout={layout} now={now} />
            {now !== undefined && <Now layout={layout} now={now} />}
          </svg>
          <Marks history={history} layout={layout} chosen={chosen} onChoose={onChoose} onOpen={onOpen} />
        </div>
      </div>
    </div>
  )
}

/** Times to show besides events: missed due times, future due times, and now. */
function timesOf({ entries, waits }: History, now: number | undefined): readonly number[] {
  const lastAt = entries.at(-1)?.at ?? 0
  const ends = waits.flatMap(({ until }) => (until === undefined ? [] : [until]))
  const future = [...ends, ...(now === undefined ? [] : [now])].filter((at) => at > lastAt)
  const missed = waits.flatMap((wait) => {
    const { planned, from } = wait
    return planned === undefined || planned === from.at || overdueOf(wait, now) === undefined ? [] : [planned]
  })
  return [...new Set([...missed, ...future])]
}

const RowNames = ({ layout }: Readonly<{ layout: Layout }>) => (
  <div className="timeline-rows" style={{ paddingTop: layout.top }} aria-hidden="true">
    {layout.rows.map((row) => (
      <div key={row} style={{ height: ROW_HEIGHT }} title={row}>
        {row === '' ? T.gateway : row}
      </div>
    ))}
  </div>
)

/** The width of the container. */
function useWidth(): readonly [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(600)
  useEffect(() => {
    if (box.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 600))
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return [box, width]
}
