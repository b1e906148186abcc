/** Messages in the tables, without a journal. For tests only. */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageEvent } from '../../../domain/message/events.ts'
import type { Searchable } from '../../../domain/message/message.ts'
import { encodeMessage } from '../../shared/codec.ts'
import { openSealed } from '../store.fixture.ts'
import { encodeEvent } from './event-codec.ts'
import { FiledMessages } from './filed-messages.ts'
import { IdFilters } from './id-filters.ts'

export const openMessages = (db: DatabaseSync): FiledMessages => new FiledMessages(db, openSealed, new IdFilters(db))

/** Files a new message by its first event, and returns its number. */
export function fileNew(messages: FiledMessages, created: MessageEvent, searchable?: Searchable): number {
  const { state } = created
  const events = [encodeEvent(1, created, undefined)]
  const n = messages.add({ id: state.id, facts: encodeMessage(state), events, searchable, content: undefined })
  messages.flush()
  return n
}
