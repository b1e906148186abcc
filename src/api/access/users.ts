/** The people who can sign in to the console. Admins manage those of their tenant, operators everybody. */
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { Caller } from '../../domain/access/caller.ts'
import { isTestTenant } from '../../domain/access/test-mode.ts'
import { parseUserId, parseUserName, type Role, type User, withChanges } from '../../domain/access/user.ts'
import { parseEmailAddress, toComparableAddress } from '../../domain/email/address.ts'
import { changeUser, lastOperator } from '../../flows/access/change-user.ts'
import { createUser, type Invited as InvitedUser } from '../../flows/access/create-user.ts'
import { inviteUser } from '../../flows/access/invite-user.ts'
import { notFound, refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { toIso } from '../../lib/time.ts'
import type { Users } from '../../ports/users.ts'
import type { Ids } from '../../ports/world.ts'
import { allows, type Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { refuseFields } from '../http/validation.ts'
import type { Audit } from './audit.ts'
import { consoleUrlOf, type SignInParts } from './sign-in-parts.ts'
import { ADD, CHANGE, FIND, INVITE, type Invited, LIST, REMOVE, toUserSnapshot, toUserView } from './user-schemas.ts'

export type ConsoleUserDeps = Readonly<{
  users: Users
  signIn: SignInParts
  clock: Clock
  ids: Pick<Ids, 'userId'>
  guard: Guard
  audit: Audit
}>

export function consoleUserRoutes(app: Api, deps: ConsoleUserDeps): void {
  const { users, guard, audit, clock } = deps
  const onRequest = guard('admin')
  const flow = { ...deps, tokens: deps.signIn.tokens }

  app.get('/v1/users', { schema: LIST, onRequest }, async (request) => ({
    items: (await users.list(managerOf(request).tenantId)).map(toUserView),
  }))

  app.get('/v1/users/:id', { schema: FIND, onRequest }, async (request) =>
    toUserView(await find(deps, managerOf(request), request.params.id)),
  )

  app.post('/v1/users', { schema: ADD, onRequest }, async (request, reply) => {
    const { tenantId } = managerFor(request, request.body.role)
    refuseWithoutPasswords(deps)
    const invited = await createUser(flow, { ...readNewUser(request.body), tenantId })
    await audit(request, { action: 'user.created', ...ofUser(invited.user), after: toUserSnapshot(invited.user) })
    reply.code(201)
    return toInvited(deps, request, invited)
  })

  app.patch('/v1/users/:id', { schema: CHANGE, onRequest }, async (request) => {
    const before = await findManaged(deps, request, request.params.id)
    const { role = before.role } = request.body
    managerFor(request, role)
    if (before.signIn.kind === 'oidc' && role !== before.role)
      throw refuse('CONFLICT', 'The identity provider decides about the role of this user')
    const after = await changeUser(deps, before, withChanges(...readChanges(before, request.body), clock()))
    await audit(request, {
      action: 'user.changed',
      ...ofUser(after),
      before: toUserSnapshot(before),
      after: toUserSnapshot(after),
    })
    return toUserView(after)
  })

  app.delete('/v1/users/:id', { schema: REMOVE, onRequest }, async (request, reply) => {
    const user = await findManaged(deps, request, request.params.id)
    const outcome = await users.remove(user.tenantId, user.id)
    if (outcome === 'last_operator') throw lastOperator()
    if (outcome === 'absent') throw notFound('user', user.id)
    await audit(request, { action: 'user.removed', ...ofUser(user), before: toUserSnapshot(user) })
    return reply.code(204).send()
  })

  app.post('/v1/users/:id/invitation', { schema: INVITE, onRequest }, async (request) => {
    const user = await findManaged(deps, request, request.params.id)
    refuseWithoutPasswords(deps)
    const invited = await inviteUser(flow, user)
    await audit(request, { action: 'user.invited', ...ofUser(user) })
    return toInvited(deps, request, invited)
  })
}

/** Users have no test mode: a test key must not decide who gets in. */
function managerOf(request: FastifyRequest): Caller {
  const caller = callerOf(request)
  if (isTestTenant(caller.tenantId)) throw refuse('FORBIDDEN', 'Users cannot be managed in test mode')
  return caller
}

/** The caller, if it may manage users of this role. */
function managerFor(request: FastifyRequest, role: Role): Caller {
  const caller = managerOf(request)
  if (role === 'operator' && !allows(caller, 'operator'))
    throw refuse('FORBIDDEN', 'Only an operator may manage operators')
  return caller
}

async function find({ users }: ConsoleUserDeps, { tenantId }: Caller, text: string): Promise<User> {
  const id = parseUserId(text)
  const user = id && (await users.find(id))
  if (user?.tenantId !== tenantId) throw refuse('NOT_FOUND', 'No user with this id')
  return user
}

async function findManaged(deps: ConsoleUserDeps, request: FastifyRequest, text: string): Promise<User> {
  const user = await find(deps, managerOf(request), text)
  managerFor(request, user.role)
  return user
}

function refuseWithoutPasswords({ signIn: { isPasswordOn } }: ConsoleUserDeps): void {
  if (!isPasswordOn) throw refuse('CONFLICT', 'Passwords are turned off: the identity provider decides who can sign in')
}

function readNewUser({ email: address, name, role }: Static<(typeof ADD)['body']>) {
  const email = parseEmailAddress(address)
  if (email === undefined)
    throw refuseFields([{ path: '/email', message: 'must be an email address, for example ana@example.com' }])
  return omitUndefined({
    email: toComparableAddress(email),
    name: name === undefined ? undefined : readName(name),
    role,
  })
}

function readName(text: string): string {
  const name = parseUserName(text)
  if (name === undefined) throw refuseFields([{ path: '/name', message: 'must be 1 to 200 printable characters' }])
  return name
}

/** The user as it is, and what changes. */
function readChanges(user: User, fields: Static<(typeof CHANGE)['body']>): readonly [User, Partial<User>] {
  const { name: given, role = user.role, state = user.state } = fields
  const { name: _, ...nameless } = user
  if (given === null) return [nameless, { role, state }]
  return [user, omitUndefined({ name: given === undefined ? undefined : readName(given), role, state })]
}

function toInvited({ signIn }: ConsoleUserDeps, request: FastifyRequest, { user, token }: InvitedUser): Invited {
  const expiresAt = user.invitation?.expiresAt ?? user.updatedAt
  const url = toInvitationUrl(consoleUrlOf(signIn, request), token)
  return { user: toUserView(user), invitation: { url, expires_at: toIso(expiresAt) } }
}

/** In the fragment, which browsers send to no server. */
export const toInvitationUrl = (consoleUrl: string, token: string): string =>
  `${consoleUrl}/accept-invitation#invitation=${token}`

const ofUser = ({ id, tenantId }: User) => ({ target: { kind: 'user', id }, tenantId })
