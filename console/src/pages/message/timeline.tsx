/** The timeline as a picture, what the chosen event says, and below all events with their data. */
import { useMemo, useState } from 'react'
import type { MessageDetails } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { Badge, Card } from '../../ui/parts.tsx'
import { EventList, toElementId } from './event-list.tsx'
import type { Happening } from './happenings.ts'
import { toClock } from './spans.ts'
import { toStory } from './story.ts'
import { TimelinePicture } from './timeline-picture.tsx'
import { toDetail, toTitle, toTone } from './words.ts'

const T = TEXTS.message.timeline

export function Timeline({ details }: Readonly<{ details: MessageDetails }>) {
  const story = useMemo(() => toStory(details), [details])
  const [chosen, setChosen] = useState<number>()
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())

  const open = (index: number): void => {
    setOpened(new Set([...opened, index]))
    // Once it is open, so that all of it comes into view.
    requestAnimationFrame(() => document.getElementById(toElementId(index))?.scrollIntoView({ block: 'center' }))
  }
  return (
    <>
      <Card title={T.title}>
        <TimelinePicture story={story} details={details} chosen={chosen} onChoose={setChosen} onOpen={open} />
        <Chosen happening={story.happenings[chosen ?? -1]} />
      </Card>
      <EventList happenings={story.happenings} opened={opened} onOpened={setOpened} chosen={chosen} />
    </>
  )
}

function Chosen({ happening }: Readonly<{ happening: Happening | undefined }>) {
  if (happening === undefined) {
    return (
      <p className="timeline-said soft">
        {T.scale} {T.point}
      </p>
    )
  }
  return (
    <p className="timeline-said">
      <span className="mono nums">{toClock(happening.event.at)}</span>{' '}
      <Badge tone={toTone(happening)}>{toTitle(happening)}</Badge> <span className="soft">{toDetail(happening)}</span>
    </p>
  )
}
