/**
 * Events as frames of server-sent events. An event is encoded once, however many streams get it; streams with the same
 * filter share the text of a whole page.
 *
 * Of several events at one position only the last has the id, so a client that reconnects with `Last-Event-ID` misses
 * nothing.
 */
import type { MessageId, TenantId } from '../../domain/ids.ts'
import { toIntegrationEvents } from '../../domain/message/integration-events.ts'
import type { Channel } from '../../domain/message/message.ts'
import type { Followed, Position } from '../../ports/event-log.ts'

/** What a stream leaves out. */
export type EventFilter = Readonly<{ channel?: Channel; messageId?: MessageId; event?: string }>

/** One event of the log with what is published about it, encoded. */
export type Frame = Readonly<{
  position: Position
  tenantId: TenantId
  messageId: MessageId
  channel: Channel
  events: readonly Readonly<{ name: string; text: string }>[]
}>

/** Undefined for an event about which nothing is published. */
export function toFrame({ position, messageId, event }: Followed): Frame | undefined {
  const events = toIntegrationEvents(event).map(({ name, data }) => ({
    name,
    text: `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`,
  }))
  const { tenantId, channel } = event.state
  return events.length === 0 ? undefined : { position, messageId, tenantId, channel, events }
}

type ToId = (position: Position) => string

/** The frames that pass the filter; empty if none do. */
export function writeFrames(frames: readonly Frame[], filter: EventFilter, toId: ToId): string {
  let text = ''
  for (const frame of frames) {
    const { position, messageId, channel, events } = frame
    if ((filter.messageId ?? messageId) !== messageId || (filter.channel ?? channel) !== channel) continue
    const wanted = filter.event === undefined ? events : events.filter(({ name }) => name === filter.event)
    const last = wanted.at(-1)
    for (const one of wanted) text += one === last ? `id: ${toId(position)}\n${one.text}` : one.text
  }
  return text
}

/** A comment, and an id without data: it moves Last-Event-ID past events that the filter leaves out. */
export const heartbeatAt = (id: string): string => `: keep-alive\nid: ${id}\n\n`

/** Equal for filters that let the same through. */
export const keyOf = ({ channel, messageId, event }: EventFilter): string => `${channel} ${messageId} ${event}`
