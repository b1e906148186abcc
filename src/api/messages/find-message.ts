/** One message of the caller. Another tenant's message is as unknown as one that never was. */

import { type MessageId, parseMessageId } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Channel, Content, Searchable } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { refuse } from '../../flows/errors.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { Timeline } from '../../ports/timeline.ts'
import type { Caller } from '../http/context.ts'

/** `timeline` is where messages are still known that the log has forgotten, if there is such a place. */
export type FindDeps = Readonly<{ log: EventLog; timeline?: Timeline }>

/** What happened to it, without what it says. */
export type Story = Readonly<{ state: MessageState; events: readonly MessageEvent[] }>
/** `kept` is what is still known of a message whose content alone is gone. */
export type Found = Story & Readonly<{ content: Content | undefined; kept?: Searchable | undefined }>

/** Of any channel, unless one is named. How it stands is what its last event says: what is read a moment later may be newer. */
export async function findMessage(deps: FindDeps, caller: Caller, text: string, channel?: Channel): Promise<Found> {
  const id = readMessageId(text)
  const [story, loaded] = await Promise.all([findStory(deps, caller, text, channel), deps.log.load(id)])
  return { ...story, content: loaded?.content, kept: loaded?.searchable }
}

/** The same for those who have no use for the content, which may be large. */
export async function findStory(
  { log, timeline }: FindDeps,
  { tenantId }: Caller,
  text: string,
  channel?: Channel,
): Promise<Story> {
  const id = readMessageId(text)
  const recorded = await log.read(id)
  const events = recorded.length === 0 ? await timeline?.read(tenantId, id) : recorded.map(({ event }) => event)
  const state = events?.at(-1)?.state
  const isTheirs = state?.tenantId === tenantId
  if (!isTheirs || events === undefined) throw refuse('NOT_FOUND', 'no such message')
  if (channel !== undefined && state.channel !== channel) throw refuse('NOT_FOUND', 'no such message')
  return { state, events }
}

export function readMessageId(text: string): MessageId {
  const id = parseMessageId(text)
  if (id === undefined) throw refuse('NOT_FOUND', 'no such message')
  return id
}
