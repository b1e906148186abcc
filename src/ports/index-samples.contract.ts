/** Messages for the contracts of the index, and what an index knows about them. For tests only. */
import type { MessageId } from '../domain/ids.ts'
import type { Fact } from '../domain/message/events.ts'
import type { Content, EmailContent, Message, SmsContent } from '../domain/message/message.ts'
import { toSearchable, toSummary } from '../domain/message/searchable.ts'
import type { MessageState } from '../domain/message/state.ts'
import type { Millis } from '../lib/time.ts'
import type { Position } from './event-log.ts'
import type { Filter, MessageIndex, ProjectedIndex, Projection, Row } from './message-index.ts'
import { someContent, someEmail, someMessage, stateAfter, tenant } from './samples.contract.ts'

export const NORTH = tenant('north')
export const at = (position: number): Position => position as Position

/** A message, the facts about it at a given pace, and its content: an SMS, or an email if `mail` is given. */
export type SampleMessage = Readonly<{
  message?: Partial<Message>
  facts?: readonly Fact[]
  pace?: Millis
  content?: Partial<SmsContent>
  mail?: Partial<EmailContent>
}>

export type SampleProjection = Projection & Required<Pick<Projection, 'searchable'>>

export function someProjection(story: SampleMessage, position: number): SampleProjection {
  const { facts = [], pace } = story
  return {
    state: stateAfter(messageOf(story), facts, pace),
    position: at(position),
    searchable: toSearchable(contentOf(story), keyOf, false),
  }
}

/** A new message unless the story names its id. */
export const messageOf = ({ message, mail }: SampleMessage): Message =>
  someMessage(mail === undefined ? message : { channel: 'email', kind: 'email', ...message })

export function contentOf({ content, mail }: SampleMessage): Content {
  if (mail === undefined) return someContent(content)
  const { tags, metadata } = someContent()
  return { ...someEmail(0), tags, metadata, ...mail }
}

/** A stand-in for the keyed hash: the index only compares it. */
export const keyOf = (to: string): string => `key of ${to}`

/** Applies some messages to the index, at the next positions of the log. */
export async function applyAll(index: ProjectedIndex, ...stories: readonly SampleMessage[]): Promise<MessageId[]> {
  const position = await index.position()
  const projections = stories.map((story, offset) => someProjection(story, position + 1 + offset))
  await index.apply(projections, at(position + stories.length))
  return idsOf(projections)
}

export const rowOf = ({ state, searchable }: SampleProjection): Row => ({ state, searchable: toSummary(searchable) })
export const idsOf = (rows: readonly Readonly<{ state: MessageState }>[]): MessageId[] =>
  rows.map(({ state }) => state.id)

/** The first page, long enough for every test. */
export async function search(index: MessageIndex, filter: Filter = {}): Promise<readonly Row[]> {
  return (await index.search({ tenantId: NORTH, filter, limit: 100 })).rows
}

/** On a slow machine figures may leave out the newest messages; a list waits until the index has them. */
export async function untilCurrent(index: MessageIndex): Promise<void> {
  await search(index)
}
