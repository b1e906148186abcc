import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryUsers } from '../../../test/memory/users.ts'
import type { User } from '../../domain/access/user.ts'
import { beginSession } from '../../flows/access/begin-session.ts'
import { stopped } from '../../ports/samples.contract.ts'
import { HASHED, someUser } from '../../ports/users.contract.ts'
import type { Sessions } from '../../ports/users.ts'
import { LIFETIMES, signInParts } from './sign-in.fixture.ts'

/** A store with the session of one user; `queries` counts how often it was looked up. */
async function openWorld(wanted: Partial<User> = {}, isPasswordOn = true) {
  const { users, sessions } = memoryUsers()
  let queries = 0
  const find: Sessions['find'] = (...args) => {
    queries += 1
    return sessions.find(...args)
  }
  const { reader, tokens } = signInParts({ sessions: { ...sessions, find }, clock: stopped, isPasswordOn })
  const user = someUser({ signIn: HASHED, ...wanted })
  await users.add(user)
  const deps = { sessions, tokens, clock: stopped, lifetimes: LIFETIMES, checkTenant: () => undefined }
  const { token } = await beginSession(deps, user)
  return {
    ...{ token, user, tokens },
    queries: () => queries,
    read: async (value: string) => {
      const headers = { cookie: `pombo_session=${value}` }
      return (await reader.read({ headers, ip: '127.0.0.1', method: 'GET' }))?.user.id
    },
  }
}

test('finds the session of a cookie, and asks for no cookie that somebody made up', async () => {
  const { read, token, user, tokens, queries } = await openWorld()
  assert.equal(await read(token), user.id)
  assert.equal(queries(), 1)
  const [secret = '', signature] = token.split('.')
  const ofInvitation = `${secret}.${tokens.sign('invitation', secret)}`
  for (const madeUp of ['x', secret, `${secret}.`, `.${signature}`, `another.${signature}`, ofInvitation, `${token}x`])
    assert.equal(await read(madeUp), undefined, madeUp)
  assert.equal(queries(), 1)
})

test('where passwords are turned off, sessions that began with one are over, and others are not', async () => {
  const withPassword = await openWorld({}, false)
  assert.equal(await withPassword.read(withPassword.token), undefined)
  const withProvider = await openWorld({ signIn: { kind: 'oidc', subject: 'sub|1' } }, false)
  assert.equal(await withProvider.read(withProvider.token), withProvider.user.id)
})
