import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharePostgres } from '../../../../test/support/postgres-server.ts'
import { later, seconds } from '../../../lib/time.ts'
import { NOON } from '../../../ports/samples.contract.ts'
import { HASHED, someSession, someUser, usersContract } from '../../../ports/users.contract.ts'
import { openStores } from '../database.fixture.ts'
import { postgresSessions, postgresUsers } from './users.ts'

const { migrated } = await sharePostgres()

const open = () => openStores(migrated, (db) => ({ users: postgresUsers(db), sessions: postgresSessions(db) }))

usersContract('postgres', open)

test('sessions that have expired are deleted when another begins', async () => {
  await using opened = await open()
  const { users, sessions, db } = opened
  const ana = someUser({ signIn: HASHED })
  await users.add(ana)
  const [old, kept] = [someSession(ana), someSession(ana, { expiresAt: later(NOON, seconds(9_999)) })]
  for (const session of [old, kept]) await sessions.begin(session, ana.version)
  const fresh = someSession(ana, { createdAt: old.expiresAt, expiresAt: later(old.expiresAt, seconds(60)) })
  await sessions.begin(fresh, ana.version)
  const hashes = await db.asSystem('select hash from pombo.sessions')
  assert.deepEqual(hashes.map(({ hash }) => hash).toSorted(), [kept.hash, fresh.hash].toSorted())
})

test('a tenant sees neither the users of others nor any session', async () => {
  await using opened = await open()
  const { users, db } = opened
  const [ana, bob] = [someUser(), someUser()]
  for (const user of [ana, bob]) await users.add(user)
  const seen = await db.asTenant(ana.tenantId, 'select id from pombo.users where true', [])
  assert.deepEqual(
    seen.map(({ id }) => id),
    [ana.id],
  )
  await assert.rejects(db.asTenant(ana.tenantId, 'select hash from pombo.sessions', []), /permission denied/)
})
