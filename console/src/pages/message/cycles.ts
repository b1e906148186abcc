/** The cycles of a message: every resend and replay began another one. */
import type { TimelineEvent } from '../../api/client.ts'
import type { TimelineEntry } from './timeline-entries.ts'

/** The numbers of the cycles of which there are events, oldest first. */
export const cyclesOf = (events: readonly TimelineEvent[]): readonly number[] =>
  [...new Set(events.map(({ payload }) => payload.cycle))].sort((one, other) => one - other)

/** The entries of each cycle, oldest first: a report that came after the resend belongs to its own cycle. */
export const byCycle = (
  entries: readonly TimelineEntry[],
): readonly Readonly<{ cycle: number; entries: readonly TimelineEntry[] }>[] =>
  cyclesOf(entries.map(({ event }) => event)).map((cycle) => ({
    cycle,
    entries: entries.filter(({ event }) => event.payload.cycle === cycle),
  }))

/** An earlier cycle was delivered, perhaps after the resend: the recipient may have received the message twice. */
export const wasDeliveredBefore = (events: readonly TimelineEvent[], cycle: number): boolean =>
  events.some(({ event_type, payload }) => event_type === 'ProviderDelivered' && payload.cycle < cycle)
