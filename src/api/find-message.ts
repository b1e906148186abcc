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

/** What happened to it, without what it says. */
export type Story = Readonly<{ state: MessageState; events: readonly MessageEvent[] }>
export type Found = Story & Readonly<{ content: Content | undefined }>

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
  return { ...toStory({ tenantId, channel }, state, events), content: loaded?.content }
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
  return toStory({ tenantId, channel }, events?.at(-1)?.state, events)
}

function toStory(
  wanted: Readonly<{ tenantId: Caller['tenantId']; channel: Channel | undefined }>,
  state: Story['state'] | undefined,
  events: Story['events'] | undefined,
): Story {
  const isTheirs = state?.tenantId === wanted.tenantId
  if (!isTheirs || events === undefined) throw refuse('NOT_FOUND', 'no such message')
  if (state.channel !== (wanted.channel ?? state.channel)) throw refuse('NOT_FOUND', 'no such message')
  return { state, events }
}

export function readMessageId(text: string): MessageId {
  const id = parseMessageId(text)
  if (id === undefined) throw refuse('NOT_FOUND', 'no such message')
  return id
}
