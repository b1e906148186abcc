/** Events that an earlier release has written, a row each, beside those of this one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import { EMPTY, type Position } from '../../ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  createdEntry,
  delivered,
  nextEntry,
  someEmail,
  someMessage,
} from '../../ports/samples.contract.ts'
import { encodeEvent, encodeMessage } from '../shared/codec.ts'
import { toStoredEventId } from '../shared/event-ids.ts'
import { openStores } from './database.fixture.ts'
import type { Database } from './database.ts'
import { postgresTimeline } from './timeline.ts'

const { migrated } = await sharePostgres()
const open = () => openStores(migrated, (db) => ({ timeline: postgresTimeline(db) }))

/** As an earlier release kept it. */
const keepEarlier = (db: Database, event: MessageEvent, position: number) =>
  db.asSystem(
    'insert into pombo.message_events (message, event_id, tenant, position, facts, body) values ($1, $2, $3, $4, $5, $6)',
    [
      event.state.id,
      toStoredEventId(event.id),
      event.state.tenantId,
      position,
      encodeMessage(event.state),
      encodeEvent(event),
    ],
  )

test('each event appears once, whichever release has written it', async () => {
  await using opened = await open()
  const { db, timeline } = opened
  const message = someMessage({ channel: 'email', kind: 'email' })
  const events = [createdEntry(message, someEmail(100)).event]
  for (const fact of [ATTEMPTED, ACCEPTED, delivered()]) {
    events.push(nextEntry({ revision: EMPTY, event: events.at(-1) as MessageEvent }, fact).event)
  }
  for (const [nth, event] of events.slice(0, 3).entries()) await keepEarlier(db, event, nth + 1)
  const recorded = events.map((event, nth) => ({ revision: EMPTY, position: (nth + 1) as Position, event }))
  await timeline.keep(recorded.slice(1))
  await timeline.keep(recorded.slice(2))
  assert.deepEqual(await timeline.read(message.tenantId, message.id), events)
  const listed = await db.asTenant(message.tenantId, 'select position from pombo.events order by position', [])
  assert.deepEqual(
    listed.map(({ position }) => Number(position)),
    [1, 2, 3, 4],
  )
  const pipeline = await db.asTenant(
    message.tenantId,
    'select type from pombo.email_events order by created_at, type',
    [],
  )
  assert.deepEqual(
    pipeline.map(({ type }) => type),
    ['RECEIVED', 'SENT_ATTEMPT', 'SENT'],
  )
})
