import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryUsers } from '../../../test/memory/users.ts'
import { withChanges } from '../../domain/access/user.ts'
import { type Instant, later, type Millis, millis } from '../../lib/time.ts'
import { NOON } from '../../ports/samples.contract.ts'
import { HASHED, someSession, someUser } from '../../ports/users.contract.ts'
import { cachedSessions } from './cached-sessions.ts'

/** A store that another process uses too, with a session in it; `calls` counts what reaches it. */
async function openWorld() {
  let now: Instant = NOON
  let calls = 0
  const store = memoryUsers()
  const find = (...args: Parameters<typeof store.sessions.find>) => {
    calls += 1
    return store.sessions.find(...args)
  }
  const cached = cachedSessions({ users: store.users, sessions: { ...store.sessions, find } }, () => now)
  const ana = someUser({ signIn: HASHED })
  await store.users.add(ana)
  const session = someSession(ana)
  await store.sessions.begin(session, ana.version)
  return {
    store,
    cached,
    ana,
    session,
    isKnown: async () => (await cached.sessions.find(session.hash, now)) !== undefined,
    calls: () => calls,
    pass: (by: number): void => {
      now = later(now, by as Millis)
    },
  }
}

const DISABLED = { state: 'disabled' } as const

test('calls of the same moment ask the store once', async () => {
  const { isKnown, calls, pass } = await openWorld()
  assert.deepEqual(await Promise.all([isKnown(), isKnown(), isKnown()]), [true, true, true])
  pass(499)
  await isKnown()
  assert.equal(calls(), 1)
  pass(1)
  await isKnown()
  assert.equal(calls(), 2)
})

test('what another process ends is ended here within half a second', async () => {
  const { store, ana, session, isKnown, pass } = await openWorld()
  assert.equal(await isKnown(), true)
  await store.sessions.end(session.hash)
  pass(500)
  assert.equal(await isKnown(), false)
  await store.sessions.begin(session, ana.version)
  pass(500)
  assert.equal(await isKnown(), true)
  const disabled = withChanges(ana, DISABLED, NOON)
  await store.users.change({ user: disabled, endsSessions: true, mayLeaveNoOperator: false })
  pass(500)
  assert.equal(await isKnown(), false)
})

test('what this process ends is ended at once', async () => {
  const ends: readonly ((world: Awaited<ReturnType<typeof openWorld>>) => Promise<unknown>)[] = [
    ({ cached, session }) => cached.sessions.end(session.hash),
    ({ cached, ana }) => cached.users.remove(ana.tenantId, ana.id),
    ({ cached, ana }) =>
      cached.users.change({ user: withChanges(ana, DISABLED, NOON), endsSessions: true, mayLeaveNoOperator: false }),
  ]
  for (const end of ends) {
    const world = await openWorld()
    assert.equal(await world.isKnown(), true)
    await end(world)
    assert.equal(await world.isKnown(), false)
  }
})

test('an extended session is read anew, and a failure is not kept', async () => {
  const { cached, session, calls } = await openWorld()
  await cached.sessions.find(session.hash, NOON)
  const expiresAt = later(session.expiresAt, millis(60_000))
  await cached.sessions.extend(session.hash, expiresAt)
  assert.equal((await cached.sessions.find(session.hash, NOON))?.session.expiresAt, expiresAt)
  assert.equal(calls(), 2)

  let isDown = true
  const find = async () => (isDown ? Promise.reject(new Error('down')) : undefined)
  const failing = cachedSessions({ ...memoryUsers(), sessions: { ...memoryUsers().sessions, find } }, () => NOON)
  await assert.rejects(failing.sessions.find('x', NOON), /down/)
  isDown = false
  assert.equal(await failing.sessions.find('x', NOON), undefined)
})
