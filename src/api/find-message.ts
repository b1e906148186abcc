/** One message of the caller. Another tenant's message is as unknown as one that never was. */
import type { MessageEvent } from '../domain/events.ts'
import { type MessageId, parseMessageId } from '../domain/ids.ts'
import type { Channel, Content } from '../domain/message.ts'
import type { MessageState } from '../domain/state.ts'
import { refuse } from '../errors.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { Timeline } from '../ports/timeline.ts'
import type { Caller } from './context.ts'

/** `timeline` is where messages are still known that the log has forgotten, if there is such a place. */
export type FindDeps = Readonly<{ log: EventLog; timeline?: Timeline }>

export type Found = Readonly<{ state: MessageState; content: Content | undefined; events: readonly MessageEvent[] }>

/** Of any channel, unless one is named. */
export async function findMessage(
  { log, timeline }: FindDeps,
  { tenantId }: Caller,
  text: string,
  channel?: Channel,
): Promise<Found> {
  const id = readMessageId(text)
  const [loaded, recorded] = await Promise.all([log.load(id), log.read(id)])
  const events = loaded === undefined ? await timeline?.read(tenantId, id) : recorded.map(({ event }) => event)
  const state = loaded?.event.state ?? events?.at(-1)?.state
  if (state?.tenantId !== tenantId || events === undefined) throw refuse('NOT_FOUND', 'no such message')
  if (channel !== undefined && state.channel !== channel) throw refuse('NOT_FOUND', 'no such message')
  return { state, content: loaded?.content, events }
}

export function readMessageId(text: string): MessageId {
  const id = parseMessageId(text)
  if (id === undefined) throw refuse('NOT_FOUND', 'no such message')
  return id
}
