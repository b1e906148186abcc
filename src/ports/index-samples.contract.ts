/** Projections for the contracts of the index. For tests only. */

import type { MessageId } from '../domain/ids.ts'
import type { Fact } from '../domain/message/events.ts'
import type { Message, SmsContent } from '../domain/message/message.ts'
import { toSearchable } from '../domain/message/searchable.ts'
import type { MessageState } from '../domain/message/state.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import type { Millis } from '../lib/time.ts'
import type { Position } from './event-log.ts'
import type { Filter, MessageIndex, Projection, Row } from './message-index.ts'
import { someContent, someMessage, stateAfter, tenant } from './samples.contract.ts'

export const NORTH = tenant('north')
export const at = (position: number): Position => position as Position

/** A message, the facts about it at a given pace, and its content. */
export type SampleMessage = Readonly<{
  message?: Partial<Message>
  facts?: readonly Fact[]
  pace?: Millis
  content?: Partial<SmsContent>
  /** The subject, if it is an email. */
  subject?: string
  /** The keys of the recipients of copies. */
  copyKeys?: readonly string[]
}>

export type SampleProjection = Projection & Required<Pick<Projection, 'searchable'>>

export function someProjection(
  { message, facts = [], pace, content, subject, copyKeys }: SampleMessage,
  position: number,
): SampleProjection {
  const sealed = someContent(content)
  const mail = omitUndefined({ subject, copyKeys })
  return {
    state: stateAfter(someMessage(message), facts, pace),
    position: at(position),
    searchable: { ...toSearchable(sealed, keyOf, false), ...mail },
  }
}

/** A stand-in for the keyed hash: the index only compares it. */
export const keyOf = (to: string): string => `key of ${to}`

/** Applies some messages to the index, at the next positions of the log. */
export async function applyAll(index: MessageIndex, ...stories: readonly SampleMessage[]): Promise<MessageId[]> {
  const position = await index.position()
  const projections = stories.map((story, offset) => someProjection(story, position + 1 + offset))
  await index.apply(projections, at(position + stories.length))
  return idsOf(projections)
}

export const rowOf = ({ state, searchable }: SampleProjection): Row => ({ state, searchable })
export const idsOf = (rows: readonly Readonly<{ state: MessageState }>[]): MessageId[] =>
  rows.map(({ state }) => state.id)

/** The first page, long enough for every test. */
export async function search(index: MessageIndex, filter: Filter = {}): Promise<readonly Row[]> {
  return (await index.search({ tenantId: NORTH, filter, limit: 100 })).rows
}
