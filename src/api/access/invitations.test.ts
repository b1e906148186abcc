import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codeOf, cookieOf, openSignInWorld, PASSWORD } from '../../../test/support/sign-in-world.ts'
import type { User } from '../../domain/access/user.ts'
import { drawInvitation } from '../../flows/access/invitation.ts'
import { refuse } from '../../flows/errors.ts'
import type { SignInParts } from './sign-in-parts.ts'

/** Ana has an invitation and no password yet. `allow` decides whether her tenant may call. */
async function openWorld(allow: () => boolean = () => true, changes: Partial<SignInParts> = {}) {
  const checkTenant = (): void => {
    if (!allow()) throw refuse('TENANT_SUSPENDED', 'The tenant is suspended')
  }
  const world = await openSignInWorld({ checkTenant, ...changes }, { signIn: { kind: 'password' } })
  const { users, ana } = world
  const { token, invitation } = drawInvitation(world.parts.tokens, ana.id, world.api.clock())
  const invited: User = { ...ana, invitation, version: 2 }
  await users.change({ user: invited, endsSessions: false, mayLeaveNoOperator: false })
  const post = (path: string, body: object) => world.call('POST', `/v1/session/${path}`, body)
  return {
    ...world,
    token,
    invited,
    accept: (given = token) => post('accept-invitation', { token: given, password: PASSWORD }),
    look: (given = token) => post('invitation', { token: given }),
    actions: async () => (await world.api.deps.auditLog.list({ limit: 10 })).map(({ action }) => action),
  }
}

test('an invitation of a suspended tenant changes nothing, and can be accepted afterwards', async () => {
  let isActive = false
  await using world = await openWorld(() => isActive)
  assert.deepEqual(codeOf(await world.accept()), [403, 'TENANT_SUSPENDED'])
  assert.deepEqual(await world.users.find(world.ana.id), world.invited)
  assert.deepEqual(await world.actions(), [])
  isActive = true
  assert.equal((await world.accept()).statusCode, 200)
  assert.deepEqual(await world.actions(), ['user.invitation_accepted'])
})

test('a password that was set is in the audit log, even if no session begins', async () => {
  let isActive = true
  const passwords: SignInParts['passwords'] = {
    hash: async (password) => {
      isActive = false
      return `new ${password}`
    },
    verify: async () => 'right',
  }
  await using world = await openWorld(() => isActive, { passwords })
  const answer = await world.accept()
  assert.deepEqual([...codeOf(answer), answer.headers['set-cookie']], [403, 'TENANT_SUSPENDED', undefined])
  assert.equal((await world.users.find(world.ana.id))?.invitation, undefined)
  assert.deepEqual(await world.actions(), ['user.invitation_accepted'])
})

test('an invitation that somebody made up is refused without a query, like one that was used', async () => {
  await using world = await openWorld()
  const { users, ana, token } = world
  const find = users.find.bind(users)
  let queries = 0
  Object.assign(users, {
    find: (...args: Parameters<typeof find>) => {
      queries += 1
      return find(...args)
    },
  })
  const [signature = ''] = token.split('.').slice(-1)
  const madeUp = ['x', ana.id, `${ana.id}.secret`, `${ana.id}.token-1.`, `${ana.id}.token-2.${signature}`, `${token}x`]
  const refusals = [...(await Promise.all(madeUp.map(world.look))), ...(await Promise.all(madeUp.map(world.accept)))]
  assert.equal(queries, 0)
  assert.equal((await world.accept()).statusCode, 200)
  assert.equal(queries, 1)
  const used = await world.look()
  const details = [...refusals, used].map((answer) => [...codeOf(answer), answer.json().detail])
  assert.deepEqual(new Set(details.map(String)), new Set([details.at(-1)].map(String)))
  assert.equal(used.json().error_code, 'INVALID_INVITATION')
})

test('neither a session nor another invitation proves an invitation', async () => {
  await using world = await openWorld()
  const { parts, ana } = world
  const other = drawInvitation(parts.tokens, ana.id, world.api.clock())
  const session = cookieOf(await world.accept()).replace('pombo_session=', '')
  for (const given of [other.token, session])
    assert.equal((await world.look(given)).json().error_code, 'INVALID_INVITATION', given)
})
