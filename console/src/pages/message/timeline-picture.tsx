/**
 * Attempts, waits and reports on a time axis: a row of ours, and one for each provider. What is drawn is a picture;
 * the marks upon it are buttons, which the arrow keys go along.
 */
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { MessageDetails } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { useSecond } from '../../ui/second.ts'
import { toAxis } from './axis.ts'
import { isInFlight } from './data.ts'
import type { Story } from './story.ts'
import { type Layout, ROW_HEIGHT, toLayout } from './timeline-layout.ts'
import { Marks } from './timeline-marks.tsx'
import { Bands, Bars, Gaps, Now } from './timeline-shapes.tsx'
import { Hatching, Waits } from './timeline-waits.tsx'
import { useNewestEnd } from './use-newest-end.ts'
import { overdueOf } from './waits.ts'

const T = TEXTS.message.timeline

type PictureProps = Readonly<{
  story: Story
  details: MessageDetails
  chosen: number | undefined
  onChoose: (index: number | undefined) => void
  onOpen: (index: number) => void
}>

export function TimelinePicture({ story, details, chosen, onChoose, onOpen }: PictureProps) {
  const [box, room] = useWidth()
  const isRunning = isInFlight(details)
  const second = useSecond(isRunning)
  const now = isRunning ? second : undefined
  const axis = toAxis(story.happenings, timesOf(story, now), room)
  const layout = toLayout(story, axis)
  const [cuts, onScroll] = useNewestEnd(box, axis.width, room)
  return (
    <div className="timeline">
      <RowNames layout={layout} />
      <div className="timeline-scroll" ref={box} data-cut={cuts} onScroll={onScroll}>
        <div className="timeline-ground" style={{ width: axis.width, height: layout.height }}>
          <svg width={axis.width} height={layout.height} role="img" aria-label={T.picture}>
            <Hatching />
            <Bands story={story} layout={layout} />
            <Gaps layout={layout} />
            <Waits story={story} layout={layout} now={now} />
            <Bars story={story} layout={layout} now={now} />
            {now !== undefined && <Now layout={layout} now={now} />}
          </svg>
          <Marks story={story} layout={layout} chosen={chosen} onChoose={onChoose} onOpen={onOpen} />
        </div>
      </div>
    </div>
  )
}

/** What is told on the axis beside events: when waits should have ended, what is still to come, and now. */
function timesOf({ happenings, waits }: Story, now: number | undefined): readonly number[] {
  const lastAt = happenings.at(-1)?.at ?? 0
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

/** How much room there is, as it changes. */
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
