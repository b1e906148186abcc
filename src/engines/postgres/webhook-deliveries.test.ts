import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import { endpointsContract } from '../../ports/endpoints.contract.ts'
import { noticesContract } from '../../ports/webhook-deliveries.contract.ts'
import {
  addEndpoint,
  lineOf,
  NORTH_SHOP,
  place,
  someChange,
  soon,
  takeAll,
} from '../../ports/webhook-delivery-samples.contract.ts'
import { openStores } from './database.fixture.ts'
import { postgresEndpoints } from './endpoints.ts'
import { postgresNotices } from './webhook-deliveries.ts'

const { migrated } = await sharePostgres()

const open = () => openStores(migrated, (db) => ({ endpoints: postgresEndpoints(db), notices: postgresNotices(db) }))

endpointsContract('postgres', open)
noticesContract('postgres', open)

test('a notice that was wanted while its endpoint was removed is told to nobody and listed by nobody', async () => {
  await using opened = await open()
  const { endpoints, notices } = opened
  await addEndpoint(endpoints)
  await notices.want([someChange(1)])
  const admin = new Client({ connectionString: opened.database.adminUrl })
  await admin.connect()
  await admin.query('delete from pombo.endpoints')
  await admin.end()
  assert.deepEqual(await takeAll(notices, soon(9)), [])
  assert.deepEqual(await notices.list({ ...NORTH_SHOP, limit: 10 }), { notices: [] })
})

test('those who want, replay and resume the same notices at once are not in each other’s way', async () => {
  await using opened = await open()
  const { endpoints, notices } = opened
  const [one, other] = [await addEndpoint(endpoints), await addEndpoint(endpoints)]
  const changes = Array.from({ length: 300 }, (_, nth) => someChange(nth + 1))
  await notices.want(changes)
  const again = (round: number) => changes.map((change) => ({ ...change, position: place(1_000 * round) }))
  for (let round = 1; round < 10; round += 1) {
    await Promise.all([
      notices.want(again(round)),
      notices.replay(lineOf(one), soon(0), soon(1_000)),
      notices.want(again(round).toReversed()),
      notices.resume(lineOf(one), soon(500)),
      notices.replay(lineOf(other), soon(0), soon(1_000)),
    ])
  }
  const { notices: listed } = await notices.list({ ...NORTH_SHOP, limit: 1_000 })
  assert.deepEqual(new Set(listed.map(({ wanted }) => wanted)), new Set([9_000]))
})

test('a tenant makes no notices, and the system changes nothing that a tenant has set up', async () => {
  await using opened = await open()
  const { db, endpoints, notices } = opened
  const { tenantId } = await addEndpoint(endpoints)
  await notices.want([someChange(1)])
  const refused = { code: '42501' }
  const insert = 'insert into pombo.notices select * from pombo.notices'
  await assert.rejects(db.asTenant(tenantId, insert, []), refused)
  await assert.rejects(db.asTenant(tenantId, 'update pombo.notices set message = gen_random_uuid()', []), refused)
  for (const sql of [`update pombo.endpoints set url = ''`, 'delete from pombo.endpoints']) {
    await assert.rejects(db.asSystem(sql), refused)
  }
})
