/** One message of the caller. Another tenant's message is as unknown as one that never was. */
import type { MessageEvent } from '../domain/events.ts'
import { type MessageId, parseMessageId } from '../domain/ids.ts'
import type { Content } from '../domain/message.ts'
import type { MessageState } from '../domain/state.ts'
import { refuse } from '../errors.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { Caller } from './context.ts'

export type FindDeps = Readonly<{ log: EventLog }>

export type Found = Readonly<{ state: MessageState; content: Content | undefined; events: readonly MessageEvent[] }>

export async function findMessage({ log }: FindDeps, { tenantId }: Caller, text: string): Promise<Found> {
  const id = readMessageId(text)
  const [loaded, recorded] = await Promise.all([log.load(id), log.read(id)])
  if (loaded?.event.state.tenantId !== tenantId) throw refuse('NOT_FOUND', 'no such message')
  return { state: loaded.event.state, content: loaded.content, events: recorded.map(({ event }) => event) }
}

export function readMessageId(text: string): MessageId {
  const id = parseMessageId(text)
  if (id === undefined) throw refuse('NOT_FOUND', 'no such message')
  return id
}
