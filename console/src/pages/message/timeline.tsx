/** The timeline: a picture, and below it the list of the events. Pointing at a mark of the picture marks its row. */
import { useMemo, useState } from 'react'
import type { MessageDetails } from '../../api/client.ts'
import { MESSAGE_TEXTS } from '../../texts/message.ts'
import { Card } from '../../ui/parts.tsx'
import { EventList, type Opened, toElementId } from './event-list.tsx'
import { toHistory } from './history.ts'
import { TimelinePicture } from './timeline-picture.tsx'

const T = MESSAGE_TEXTS.timeline

export function Timeline({ details }: Readonly<{ details: MessageDetails }>) {
  const history = useMemo(() => toHistory(details), [details])
  const [chosen, setChosen] = useState<number>()
  const [opened, setOpened] = useOpened(details.cycle)

  const open = (index: number): void => {
    const cycle = history.entries[index]?.event.payload.cycle ?? details.cycle
    setOpened({ events: new Set([...opened.events, index]), cycles: new Set([...opened.cycles, cycle]) })
    // After it has opened, so that all of it scrolls into view.
    requestAnimationFrame(() => document.getElementById(toElementId(index))?.scrollIntoView({ block: 'center' }))
  }
  return (
    <Card title={T.title} className="timeline-card">
      <TimelinePicture history={history} details={details} chosen={chosen} onChoose={setChosen} onOpen={open} />
      <p className="timeline-hint soft">{T.scale}</p>
      <EventList
        entries={history.entries}
        total={details.events_total}
        opened={opened}
        onOpened={setOpened}
        chosen={chosen}
      />
    </Card>
  )
}

const NOTHING_OPEN: ReadonlySet<number> = new Set()

/** A cycle opens when it begins. */
function useOpened(cycle: number): readonly [Opened, (opened: Opened) => void] {
  const [newest, setNewest] = useState(cycle)
  const [opened, setOpened] = useState<Opened>({ events: NOTHING_OPEN, cycles: new Set([cycle]) })
  if (newest !== cycle) {
    setNewest(cycle)
    setOpened({ ...opened, cycles: new Set([cycle]) })
  }
  return [opened, setOpened]
}
