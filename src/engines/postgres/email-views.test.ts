import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type History, sentEmail } from '../../ports/email-histories.contract.ts'
import { EMAIL_VIEWS, emailViewsContract, type ViewStore } from '../../ports/email-views.contract.ts'
import type { Position, Revision } from '../../ports/event-log.ts'
import { at } from '../../ports/index-samples.contract.ts'
import type { Projection } from '../../ports/message-index.ts'
import { tenant } from '../../ports/samples.contract.ts'
import { openStores } from './database.fixture.ts'
import type { Database } from './database.ts'
import { postgresMessageIndex } from './message-index.ts'
import { postgresTimeline } from './timeline.ts'

const { migrated } = await sharePostgres()

const SENT = sentEmail()

const open = () => openStores(migrated, (db) => ({ ...toViews(db), db }))

function toViews(db: Database): Omit<ViewStore, typeof Symbol.asyncDispose> {
  const [index, timeline] = [postgresMessageIndex(db), postgresTimeline(db)]
  let position = 0

  const toRecorded = (event: MessageEvent) => ({ event, position: next(), revision: position as Revision })
  const next = (): Position => {
    position += 1
    return at(position)
  }

  return {
    async write(histories) {
      const recorded = histories.flatMap(({ events }) => events.map(toRecorded))
      await timeline.keep(recorded)
      await index.apply(
        histories.map((history) => toProjection(history, next())),
        at(position),
      )
    },
    read: (view, tenantId) => db.asTenant(tenantId, `select * from pombo.${view}`, []),
  }
}

function toProjection({ events, searchable }: History, position: Position): Projection {
  const state = events.at(-1)?.state
  assert.ok(state !== undefined)
  return omitUndefined({ state, position, searchable })
}

emailViewsContract('postgres', open)

test('S3-RLS a tenant sees nothing of another in the views of mail, and without a tenant nothing is visible', async () => {
  await using store = await open()
  await store.write([SENT])
  for (const view of EMAIL_VIEWS) {
    assert.ok((await store.read(view, tenant('north'))).length > 0)
    assert.deepEqual(await store.read(view, tenant('south')), [])
    assert.deepEqual(await store.read(view, tenant('')), [])
  }
})
