/** The events of a message in order, each with its provider. */
import type { TimelineEvent } from '../../api/client.ts'

export type TimelineEntry = Readonly<{
  index: number
  kind: string
  /** Monotonic, even if the clocks of two processes disagree. */
  at: number
  event: TimelineEvent
  /** The provider of the event's attempt, if any. */
  provider?: string | undefined
  /** The event belongs to a cycle that was already over and changed nothing. */
  isLate: boolean
  /** How much later than planned it happened, if significantly. */
  overdueMs?: number | undefined
}>

/** A string field of the payload. */
export function payloadText({ event }: TimelineEntry, name: string): string | undefined {
  const value = event.payload[name]
  return typeof value === 'string' ? value : undefined
}

export function toEntries(events: readonly TimelineEvent[]): readonly TimelineEntry[] {
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

export const isSameAttempt = (one: TimelineEntry, other: TimelineEntry): boolean =>
  one.event.payload.cycle === other.event.payload.cycle && one.event.payload.attempt === other.event.payload.attempt
