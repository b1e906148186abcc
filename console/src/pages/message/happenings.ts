/** The events of a message as they are told: in order, each with whom it is about. */
import type { TimelineEvent } from '../../api/client.ts'

export type Happening = Readonly<{
  index: number
  kind: string
  /** Never before the one before it, whatever the clocks of two processes say. */
  at: number
  event: TimelineEvent
  /** Whom it is about, where an attempt was made. */
  provider?: string | undefined
  /** Of a cycle that was over by then: it changed nothing. */
  isLate: boolean
  /** How much later than planned it came, where that is long. */
  overdueMs?: number | undefined
}>

/** A text of the payload, or nothing. */
export function said({ event }: Happening, name: string): string | undefined {
  const value = event.payload[name]
  return typeof value === 'string' ? value : undefined
}

export function toHappenings(events: readonly TimelineEvent[]): readonly Happening[] {
  const providers = new Map<string, string>()
  let [latest, newest] = [0, 0]
  return events.map((event, index) => {
    const { cycle, attempt, provider } = event.payload
    const key = `${cycle}/${attempt}`
    if (event.event_type === 'HandoffAttempted' && typeof provider === 'string') providers.set(key, provider)
    latest = Math.max(latest, Date.parse(event.at))
    newest = Math.max(newest, cycle)
    return { index, kind: event.event_type, at: latest, event, provider: providers.get(key), isLate: cycle < newest }
  })
}

export const isSameAttempt = (one: Happening, other: Happening): boolean =>
  one.event.payload.cycle === other.event.payload.cycle && one.event.payload.attempt === other.event.payload.attempt
