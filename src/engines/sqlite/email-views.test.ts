import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { History } from '../../ports/email-histories.contract.ts'
import { emailViewsContract, plain, type ViewStore } from '../../ports/email-views.contract.ts'
import { someProjection } from '../../ports/index-samples.contract.ts'
import { createdEntry } from '../../ports/samples.contract.ts'
import { encodeMessage } from '../shared/codec.ts'
import { openWriter } from './database.ts'
import { encodeEvent } from './messages/event-codec.ts'
import { fileNew, openMessages } from './messages/filed-messages.fixture.ts'
import { migrate } from './schema.ts'
import { newFolder } from './store.fixture.ts'

/** Files every history in two parts, as a message that ended late. */
async function open(): Promise<ViewStore> {
  const db = new DatabaseSync(':memory:')
  migrate(db, 'memory')
  const messages = openMessages(db)
  let seq = 0

  function keep({ events, searchable }: History): void {
    const [created] = events
    assert.ok(created !== undefined)
    const { id } = created.state
    const encoded = events.map((event, nth) => encodeEvent(seq + nth + 1, event, events[nth - 1]?.state))
    const first = encoded.slice(0, Math.ceil(encoded.length / 2))
    seq += events.length
    messages.add({ id, facts: encodeMessage(created.state), events: first, searchable, content: undefined })
    const row = messages.find(id)
    assert.ok(row !== undefined)
    messages.extend(row, encoded)
    messages.flush()
  }

  return {
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

emailViewsContract('sqlite', open)

test('the subject, the tags and the recipients of a forgotten mail leave no trace in the file', (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const db = openWriter(path)
  const messages = openMessages(db)
  const cc = [{ address: 'vuvuzela@example.com' as EmailAddress }]
  const { state, searchable } = someProjection({ mail: { subject: 'Xylophone lessons', cc, tags: ['kazoo'] } }, 1)
  fileNew(messages, createdEntry(state).event, searchable)
  const holds = (): readonly string[] => {
    db.exec('pragma wal_checkpoint(truncate)')
    const file = readFileSync(path, 'latin1').toLowerCase()
    return ['xylophone', 'vuvuzela', 'kazoo'].filter((word) => file.includes(word))
  }
  assert.deepEqual(holds(), ['xylophone', 'vuvuzela', 'kazoo'])
  const row = messages.find(state.id)
  assert.ok(row !== undefined)
  messages.forget(row)
  assert.deepEqual(holds(), [])
  db.close()
})
