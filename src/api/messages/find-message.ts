/** Finds one message of the caller's tenant. A message of another tenant is not found. */

import { type MessageId, parseMessageId } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Channel, Content, Searchable } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { notFound, refuse } from '../../flows/errors.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { Timeline } from '../../ports/timeline.ts'
import type { Caller } from '../http/context.ts'

/** `timeline` keeps messages that the log has dropped by age, where the profile has one. */
export type FindDeps = Readonly<{ log: EventLog; timeline?: Timeline }>

/** The events of a message and its state after the last of them. */
export type MessageHistory = Readonly<{ state: MessageState; events: readonly MessageEvent[] }>
/** `searchable` outlives the content of a message with a one-time code. */
export type FoundMessage = MessageHistory &
  Readonly<{ content: Content | undefined; searchable?: Searchable | undefined }>

/** Of any channel unless one is given. The content may be newer than the events, which were read a moment before. */
export async function findMessage(
  deps: FindDeps,
  caller: Caller,
  text: string,
  channel?: Channel,
): Promise<FoundMessage> {
  const id = readMessageId(text)
  const [history, loaded] = await Promise.all([findHistory(deps, caller, text, channel), deps.log.load(id)])
  return { ...history, content: loaded?.content, searchable: loaded?.searchable }
}

/** Without the content, which may be large. */
export async function findHistory(
  { log, timeline }: FindDeps,
  { tenantId }: Caller,
  text: string,
  channel?: Channel,
): Promise<MessageHistory> {
  const id = readMessageId(text)
  const recorded = await log.read(id)
  const events = recorded.length === 0 ? await timeline?.read(tenantId, id) : recorded.map(({ event }) => event)
  const state = events?.at(-1)?.state
  if (events === undefined || state?.tenantId !== tenantId) throw notFound('message', id)
  if (channel !== undefined && state.channel !== channel) throw notFound('message', id)
  return { state, events }
}

export function readMessageId(text: string): MessageId {
  const id = parseMessageId(text)
  if (id === undefined) throw refuse('NOT_FOUND', 'No message with this id: message ids are UUIDs')
  return id
}
