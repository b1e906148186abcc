/** Finds one message of the caller's tenant. A message of another tenant is not found. */

import { type Static, Type } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { type MessageId, parseMessageId } from '../../domain/ids.ts'
import type { Channel, Content, Searchable } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { notFound, refuse } from '../../flows/errors.ts'
import type { EventLog, EventsPage, EventsQuery } from '../../ports/event-log.ts'
import type { Timeline } from '../../ports/timeline.ts'
import { queryText } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'

/** `timeline` keeps messages that the log has dropped by age, where the profile has one. */
export type FindDeps = Readonly<{ log: EventLog; timeline?: Timeline }>

/** Some of the events of a message, and its state after all of them. */
export type MessageHistory = EventsPage
/** `searchable` outlives the content of a message with a one-time code. */
export type FoundMessage = MessageHistory &
  Readonly<{ content: Content | undefined; searchable?: Searchable | undefined }>

/** Of any channel unless one is given. Without `events` the newest. */
export type Wanted = Readonly<{ channel?: Channel; events?: EventsQuery }>

/** More than almost any message has. */
const MOST_EVENTS = 200
const NEWEST: EventsQuery = { limit: MOST_EVENTS }

/** The content may be newer than the events, which were read a moment before. */
export async function findMessage(
  deps: FindDeps,
  caller: Caller,
  text: string,
  wanted: Wanted = {},
): Promise<FoundMessage> {
  const history = await findHistory(deps, caller, text, wanted)
  const loaded = await deps.log.load(history.state.id)
  return { ...history, content: loaded?.content, searchable: loaded?.searchable }
}

/** Without the content, which may be large. */
export async function findHistory(
  { log, timeline }: FindDeps,
  { tenantId }: Caller,
  text: string,
  { channel, events = NEWEST }: Wanted = {},
): Promise<MessageHistory> {
  const id = readMessageId(text)
  const found = (await log.page(id, events)) ?? (await timeline?.page(tenantId, id, events))
  if (found?.state.tenantId !== tenantId) throw notFound('message', id)
  if (channel !== undefined && found.state.channel !== channel) throw notFound('message', id)
  return found
}

/** Only its state. */
export const findState = async (deps: FindDeps, caller: Caller, text: string): Promise<MessageState> =>
  (await findHistory(deps, caller, text, { events: { limit: 1 } })).state

export const EventsFields = {
  events_limit: Type.Optional(
    Type.Integer({
      title: 'EventsLimit',
      minimum: 1,
      maximum: MOST_EVENTS,
      default: MOST_EVENTS,
      description: 'The number of events.',
    }),
  ),
  events_cursor: Type.Optional(queryText('The `events_next_cursor` of the previous call, for earlier events.', 20)),
}
export const EventsQueryString = Type.Object(EventsFields, { additionalProperties: false })

export function toEventsQuery(query: Static<typeof EventsQueryString>): EventsQuery {
  const { events_limit: limit = MOST_EVENTS, events_cursor: cursor } = query
  return cursor === undefined ? { limit } : { limit, before: readEventsCursor('events_cursor', cursor) }
}

/** The number of the oldest event that the caller has. */
export function readEventsCursor(field: string, cursor: string): number {
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor)
  throw refuseFields([{ path: `/${field}`, message: 'must be the cursor of a page of events' }])
}

/** Null if there are no earlier events. */
export const toEventsCursor = ({ first }: Pick<EventsPage, 'first'>): string | null =>
  first === 0 ? null : String(first)

export function readMessageId(text: string): MessageId {
  const id = parseMessageId(text)
  if (id === undefined) throw refuse('NOT_FOUND', 'No message with this id: message ids are UUIDs')
  return id
}
