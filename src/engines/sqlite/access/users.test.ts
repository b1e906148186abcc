import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { later, seconds } from '../../../lib/time.ts'
import { NOON, stopped } from '../../../ports/samples.contract.ts'
import { HASHED, someSession, someUser, usersContract } from '../../../ports/users.contract.ts'
import { remote } from '../driver.ts'
import { newFile, openDriver } from '../limits.fixture.ts'

function open() {
  const file = newFile()
  const driver = openDriver(file.path, stopped)
  return {
    users: remote(driver, 'users'),
    sessions: remote(driver, 'sessions'),
    path: file.path,
    async [Symbol.asyncDispose]() {
      await driver[Symbol.asyncDispose]()
      file[Symbol.dispose]()
    },
  }
}

usersContract('sqlite', async () => open())

test('sessions that have expired are deleted when another begins', async () => {
  await using opened = open()
  const { users, sessions, path } = opened
  const ana = someUser({ signIn: HASHED })
  await users.add(ana)
  const [old, kept] = [someSession(ana), someSession(ana, { expiresAt: later(NOON, seconds(9_999)) })]
  for (const session of [old, kept]) await sessions.begin(session, ana.version)
  const fresh = someSession(ana, { createdAt: old.expiresAt, expiresAt: later(old.expiresAt, seconds(60)) })
  await sessions.begin(fresh, ana.version)
  using db = new DatabaseSync(path, { readOnly: true })
  const hashes = db.prepare('select hash from sessions').all()
  assert.deepEqual(hashes.map(({ hash }) => hash).toSorted(), [kept.hash, fresh.hash].toSorted())
})
