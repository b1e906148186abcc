import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type History, toEvents } from '../../ports/email-histories.contract.ts'
import type { Revision } from '../../ports/event-log.ts'
import { at } from '../../ports/index-samples.contract.ts'
import { someMessage, tenant } from '../../ports/samples.contract.ts'
import { SMS_VIEWS, type SmsViewStore, smsViewsContract } from '../../ports/sms-views.contract.ts'
import { postgresChallenges } from './challenges.ts'
import { openStores } from './database.fixture.ts'
import type { Database } from './database.ts'
import { postgresMessageIndex } from './message-index.ts'
import { postgresTimeline } from './timeline.ts'

const { migrated } = await sharePostgres()

const open = () => openStores(migrated, toViews)

function toViews(db: Database): Omit<SmsViewStore, typeof Symbol.asyncDispose> {
  const [index, timeline] = [postgresMessageIndex(db), postgresTimeline(db)]
  let last = 0
  const next = () => {
    last += 1
    return at(last)
  }

  async function keep({ events, searchable }: History): Promise<void> {
    const recorded = events.map((event) => ({ event, position: next(), revision: 1 as Revision }))
    await timeline.keep(recorded)
    const newest = recorded.at(-1)
    if (newest === undefined) return
    const { position } = newest
    await index.apply([omitUndefined({ state: newest.event.state, position, searchable })], position)
  }

  return {
    challenges: postgresChallenges(db),
    async write(histories) {
      for (const history of histories) await keep(history)
    },
    read: (view, tenantId) => db.asTenant(tenantId, `select * from pombo.${view}`, []),
  }
}

smsViewsContract('postgres', open)

test('S3-RLS a tenant sees nothing of another in the views of SMS, and without a tenant nothing is visible', async () => {
  await using store = await open()
  const events = toEvents(someMessage({ tenantId: tenant('north'), lane: 'otp' }), [])
  await store.write([{ events }])
  const { id, tenantId, accountId, createdAt } = events[0]?.state ?? assert.fail()
  await store.challenges.begin({ id, tenantId, accountId, createdAt, expiresAt: createdAt, maxAttempts: 1 })
  for (const view of SMS_VIEWS) {
    assert.equal((await store.read(view, tenant('north'))).length, 1)
    assert.deepEqual(await store.read(view, tenant('south')), [])
    assert.deepEqual(await store.read(view, tenant('')), [])
  }
})
