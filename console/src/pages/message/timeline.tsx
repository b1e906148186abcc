/** The timeline, the details of the selected event, and the list of events. */
import { useMemo, useState } from 'react'
import type { MessageDetails } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { Badge, Card } from '../../ui/parts.tsx'
import { EventList, toElementId } from './event-list.tsx'
import { toDetail, toTitle, toTone } from './event-text.ts'
import { toHistory } from './history.ts'
import { toClock } from './spans.ts'
import type { TimelineEntry } from './timeline-entries.ts'
import { TimelinePicture } from './timeline-picture.tsx'

const T = TEXTS.message.timeline

export function Timeline({ details }: Readonly<{ details: MessageDetails }>) {
  const history = useMemo(() => toHistory(details), [details])
  const [chosen, setChosen] = useState<number>()
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())

  const open = (index: number): void => {
    setOpened(new Set([...opened, index]))
    // After it has opened, so that all of it scrolls into view.
    requestAnimationFrame(() => document.getElementById(toElementId(index))?.scrollIntoView({ block: 'center' }))
  }
  return (
    <>
      <Card title={T.title}>
        <TimelinePicture history={history} details={details} chosen={chosen} onChoose={setChosen} onOpen={open} />
        <SelectedEvent entry={history.entries[chosen ?? -1]} />
      </Card>
      <EventList entries={history.entries} opened={opened} onOpened={setOpened} chosen={chosen} />
    </>
  )
}

function SelectedEvent({ entry }: Readonly<{ entry: TimelineEntry | undefined }>) {
  if (entry === undefined) {
    return (
      <p className="timeline-said soft">
        {T.scale} {T.point}
      </p>
    )
  }
  return (
    <p className="timeline-said">
      <span className="mono nums">{toClock(entry.event.at)}</span> <Badge tone={toTone(entry)}>{toTitle(entry)}</Badge>{' '}
      <span className="soft">{toDetail(entry)}</span>
    </p>
  )
}
