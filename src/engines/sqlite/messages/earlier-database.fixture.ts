/** A database as the release before this one wrote it. For tests only. */
import { DatabaseSync } from 'node:sqlite'
import type { MessageEvent } from '../../../domain/message/events.ts'
import type { Content, Searchable } from '../../../domain/message/message.ts'
import { toSearchable } from '../../../domain/message/searchable.ts'
import type { Sealer } from '../../../ports/sealer.ts'
import { encodeEvent, encodeMessage } from '../../shared/codec.ts'
import { toStoredEventId } from '../../shared/event-ids.ts'
import { EARLIER_VERSIONS } from '../earlier-schemas.ts'

/** A message to write. `shredded`: its content, or also what search may see. */
export type Earlier = Readonly<{
  events: readonly [MessageEvent, ...MessageEvent[]]
  content: Content
  shredded?: 'content' | 'all' | undefined
}>

/** What was written of it. */
export type Written = Readonly<{
  events: readonly (readonly [position: number, event: MessageEvent])[]
  content: Content | undefined
  searchable: Searchable | undefined
}>

/**
 * The events of the messages take turns in the log: all first ones, then all second ones, and so on. `indexed` is how
 * far the index has read it.
 */
export function writeEarlier(
  path: string,
  messages: readonly Earlier[],
  sealer: Sealer,
  indexed = 1_000,
): readonly Written[] {
  using db = new DatabaseSync(path)
  const sql = prepare(db, sealer.mark, indexed)
  const positions = toPositions(messages)
  return messages.map(({ events, content, shredded }, nth) => {
    const [n, [first]] = [2 * nth + 3, events]
    const { id, tenantId } = first.state
    const searchable = toSearchable(content, (to) => sealer.blind(tenantId, to), false)
    const { sealed, secret } = sealer.seal(id, Buffer.from(JSON.stringify(content)))
    sql.message.run(n, Buffer.from(id.replaceAll('-', ''), 'hex'), encodeMessage(first.state))
    const placed = events.map((event) => [positions.get(event) ?? 0, event] as const)
    for (const [seq, event] of placed) {
      sql.event.run(seq, n, toStoredEventId(event.id), encodeEvent(event), event === first ? sealed : null)
    }
    const left = shredded === undefined ? secret : new Uint8Array()
    if (shredded !== 'all') sql.key.run(n, left, JSON.stringify(searchable))
    return {
      events: placed,
      content: shredded === undefined ? content : undefined,
      searchable: shredded === 'all' ? undefined : searchable,
    }
  })
}

function toPositions(messages: readonly Earlier[]): ReadonlyMap<MessageEvent, number> {
  const turns = Math.max(...messages.map(({ events }) => events.length))
  const inOrder = Array.from({ length: turns }, (_, turn) => messages.flatMap(({ events }) => events[turn] ?? []))
  return new Map(inOrder.flat().map((event, nth) => [event, nth + 1]))
}

/** Numbers have gaps: a job without a message had one too. */
function prepare(db: DatabaseSync, mark: string, indexed: number) {
  db.exec(`${EARLIER_VERSIONS.join(';')}; pragma user_version = ${EARLIER_VERSIONS.length}`)
  db.prepare('insert into identity (mark) values (?)').run(mark)
  db.prepare(`insert into progress (name, position) values ('index', ?)`).run(indexed)
  db.exec(`insert into messages (n, id) values (1, x'00')`)
  return {
    message: db.prepare('insert into messages (n, id, facts) values (?, ?, ?)'),
    event: db.prepare('insert into events (seq, n, event_id, body, sealed) values (?, ?, ?, ?, ?)'),
    key: db.prepare('insert into keys (n, secret, searchable) values (?, ?, ?)'),
  }
}
