import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { MessageId } from '../../domain/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type History, sentEmail } from '../../ports/email-histories.contract.ts'
import { emailViewsContract, plain, type ViewStore } from '../../ports/email-views.contract.ts'
import { at, someProjection } from '../../ports/index-samples.contract.ts'
import { encodeEvent, encodeMessage } from '../shared/codec.ts'
import { toStoredEventId } from '../shared/event-ids.ts'
import { openWriter } from './database.ts'
import { ListingTables } from './listing-tables.ts'
import { migrate } from './schema.ts'
import { newFolder } from './store.fixture.ts'
import { toBytes } from './uuid.ts'

async function open(): Promise<ViewStore & { db: DatabaseSync }> {
  const db = new DatabaseSync(':memory:')
  migrate(db, 'memory')
  const numbers = new Map<MessageId, number>()
  const numberOf = (id: MessageId): number => numbers.get(id) ?? numbers.set(id, numbers.size + 1).size
  const listing = new ListingTables(db, numberOf)
  let seq = 0

  function keep({ events, searchable }: History): void {
    const [state] = events.map((event) => event.state).slice(-1)
    assert.ok(state !== undefined)
    const n = numberOf(state.id)
    db.prepare('insert into messages (n, id, facts) values (?, ?, ?)').run(n, toBytes(state.id), encodeMessage(state))
    for (const event of events) {
      seq += 1
      const row = [seq, n, toStoredEventId(event.id), encodeEvent(event)] as const
      db.prepare('insert into events (seq, n, event_id, body) values (?, ?, ?, ?)').run(...row)
    }
    listing.apply([omitUndefined({ state, position: at(seq), searchable })], seq)
  }

  return {
    db,
    write: async (histories) => histories.forEach(keep),
    read: async (view, tenantId) => db.prepare(`select * from ${view} where company_id = ?`).all(tenantId).map(toRow),
    [Symbol.asyncDispose]: async () => db.close(),
  }
}

const toRow = ({ metadata, ...row }: Record<string, unknown>) => ({
  ...Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toPlain(value)])),
  ...(metadata === undefined ? {} : { metadata: JSON.parse(String(metadata), (_, value) => toPlain(value)) }),
})
const toPlain = (value: unknown): unknown => (typeof value === 'string' ? plain(value) : value)

const SENT = sentEmail()

emailViewsContract('sqlite', open)

test('finds a mail by its provider message id through an index', async () => {
  await using store = await open()
  await store.write([SENT])
  const sql = `select n from listing where channel = 'email' and provider_message_id = 'SM1'`
  const [step] = store.db.prepare(`explain query plan ${sql}`).all()
  assert.match(String(step?.['detail']), /using .*index listing_mail_named/i)
  assert.equal(store.db.prepare(sql).all().length, 1)
})

test('migrates the provider message ids of an older file', async () => {
  await using store = await open()
  await store.write([SENT])
  store.db.exec(`
    drop view email_logs; drop view email_events; drop index listing_mail_named; drop table suppressions;
    drop index listing_errors; drop index listing_newest; create index listing_newest on listing (tenant, created_at, n);
    alter table listing drop column provider_message_id;
    drop table erasures;
    create table jobs (n integer primary key, lane text, tenant text, lease_token integer, due_at integer);
    pragma user_version = 4
  `)
  migrate(store.db, 'memory')
  assert.equal(store.db.prepare('select provider_message_id as name from listing').get()?.['name'], 'SM1')
})

test('the subject of a forgotten mail leaves no trace in the file', (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const db = openWriter(path)
  const numberOf = () => 1
  const tables = new ListingTables(db, numberOf)
  const first = someProjection({ message: { channel: 'email', kind: 'email' }, subject: 'Xylophone lessons' }, 1)
  tables.apply([first], 1)
  const holds = (): boolean => {
    db.exec('pragma wal_checkpoint(truncate)')
    return readFileSync(path, 'latin1').toLowerCase().includes('xylophone')
  }
  assert.ok(holds())
  tables.tombstone(first.state.id)
  assert.ok(!holds())
  db.close()
})
