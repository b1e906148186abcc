/** Messages told to the index, for its contracts. For tests only. */

import type { MessageId } from '../domain/ids.ts'
import type { Fact } from '../domain/message/events.ts'
import type { Message, SmsContent } from '../domain/message/message.ts'
import { toSearchable } from '../domain/message/searchable.ts'
import type { MessageState } from '../domain/message/state.ts'
import type { Millis } from '../lib/time.ts'
import type { Position } from './event-log.ts'
import type { Filter, MessageIndex, Projection, Row } from './message-index.ts'
import { someContent, someMessage, stateAfter, tenant } from './samples.contract.ts'

export const NORTH = tenant('north')
export const at = (position: number): Position => position as Position

/** What a message is, what happened to it and how fast, and what it says. */
export type Story = Readonly<{
  message?: Partial<Message>
  facts?: readonly Fact[]
  pace?: Millis
  content?: Partial<SmsContent>
  /** What it is about, where it is a mail. */
  subject?: string
  /** Who got a copy of it, by key. */
  copyKeys?: readonly string[]
}>

export type Told = Projection & Required<Pick<Projection, 'searchable'>>

export function told({ message, facts = [], pace, content, subject, copyKeys }: Story, position: number): Told {
  const sealed = someContent(content)
  const mail = { ...(subject === undefined ? {} : { subject }), ...(copyKeys === undefined ? {} : { copyKeys }) }
  return {
    state: stateAfter(someMessage(message), facts, pace),
    position: at(position),
    searchable: { ...toSearchable(sealed, keyOf, false), ...mail },
  }
}

/** A stand-in for the keyed hash: the index only compares it. */
export const keyOf = (to: string): string => `key of ${to}`

/** Tells the index of some messages, as the next in the log. */
export async function tell(index: MessageIndex, ...stories: readonly Story[]): Promise<MessageId[]> {
  const position = await index.position()
  const projections = stories.map((story, offset) => told(story, position + 1 + offset))
  await index.apply(projections, at(position + stories.length))
  return idsOf(projections)
}

export const rowOf = ({ state, searchable }: Told): Row => ({ state, searchable })
export const idsOf = (rows: readonly Readonly<{ state: MessageState }>[]): MessageId[] =>
  rows.map(({ state }) => state.id)

/** The first page, long enough for all that a test tells. */
export async function search(index: MessageIndex, filter: Filter = {}): Promise<readonly Row[]> {
  return (await index.search({ tenantId: NORTH, filter, limit: 100 })).rows
}
