/** Signing in to the console with a password, and out of it. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Caller } from '../../domain/access/caller.ts'
import { SCOPES } from '../../domain/access/scope.ts'
import type { User } from '../../domain/access/user.ts'
import { acceptInvitation } from '../../flows/access/accept-invitation.ts'
import type { Begun } from '../../flows/access/begin-session.ts'
import { changePassword } from '../../flows/access/change-password.ts'
import { findInvited } from '../../flows/access/invitation.ts'
import { signIn } from '../../flows/access/sign-in.ts'
import { Refusal, refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { toIso } from '../../lib/time.ts'
import type { Sessions, Users } from '../../ports/users.ts'
import type { Authenticator, Guard } from '../http/auth.ts'
import { type Api, callerOf, toLogFields } from '../http/context.ts'
import type { Audit } from './audit.ts'
import { readCookie } from './cookies.ts'
import { callerOfUser } from './session-reader.ts'
import {
  ACCEPT_INVITATION,
  CHANGE_PASSWORD,
  GET_INVITATION,
  GET_SESSION,
  type SessionView,
  SIGN_IN,
  SIGN_OUT,
} from './session-schemas.ts'
import { toNobody, toSessionView } from './session-view.ts'
import { enter, leave, type SignInParts } from './sign-in-parts.ts'

export type SessionDeps = Readonly<{
  users: Users
  sessions: Sessions
  signIn: SignInParts
  auth: Authenticator
  guard: Guard
  audit: Audit
  clock: Clock
  logger: Logger
}>

/** Room for an address and two passwords: whoever calls is not known yet. */
const BODY_LIMIT = 4 * 1024

export function sessionRoutes(app: Api, deps: SessionDeps): void {
  const { checkOrigin } = deps.signIn
  const flow = flowDeps(deps)

  app.get('/v1/session', { schema: GET_SESSION }, (request, reply) => getSession(deps, request, reply))

  app.post('/v1/session', { schema: SIGN_IN, bodyLimit: BODY_LIMIT }, async (request, reply) => {
    checkOrigin(request)
    refuseWithoutPasswords(deps)
    const onFailure = (user: User) => recordFailure(deps, request, user)
    const credentials = { ...request.body, client: request.ip }
    const begun = await signIn({ ...flow, onFailure }, credentials).catch((error) => noteRefusal(deps, request, error))
    await record(deps, request, 'user.signed_in', begun.user)
    return await answer(deps, request, reply, begun)
  })

  app.delete('/v1/session', { schema: SIGN_OUT }, (request, reply) => signOut(deps, request, reply))

  const changing = { schema: CHANGE_PASSWORD, bodyLimit: BODY_LIMIT, onRequest: deps.guard(...SCOPES) }
  app.post('/v1/session/password', changing, async (request, reply) => {
    const user = await userOf(deps, request)
    refuseWithoutPasswords(deps)
    const { current_password: current, new_password: next } = request.body
    const onChange = (changed: User) => record(deps, request, 'user.password_changed', changed)
    const begun = await changePassword({ ...flow, onChange }, user, { current, next, client: request.ip })
    return await answer(deps, request, reply, begun)
  })

  app.post('/v1/session/invitation', { schema: GET_INVITATION, bodyLimit: BODY_LIMIT }, async (request) => {
    checkOrigin(request)
    const { email, name = null, invitation } = await findInvited(flow, request.body.token)
    return { email, name, expires_at: toIso(invitation.expiresAt) }
  })

  const accepting = { schema: ACCEPT_INVITATION, bodyLimit: BODY_LIMIT }
  app.post('/v1/session/accept-invitation', accepting, async (request, reply) => {
    checkOrigin(request)
    refuseWithoutPasswords(deps)
    const onChange = (changed: User) => record(deps, request, 'user.invitation_accepted', changed)
    const begun = await acceptInvitation({ ...flow, onChange }, request.body.token, request.body.password)
    return await answer(deps, request, reply, begun)
  })
}

/** For those who watch the log for guessing. Whose address was tried is nobody's business. */
function noteRefusal({ logger }: SessionDeps, request: FastifyRequest, error: unknown): never {
  if (error instanceof Refusal && error.code !== 'CONFLICT')
    logger.info({ ...toLogFields(request), client: request.ip, error_code: error.code }, 'sign-in: refused')
  throw error
}

/** What the flows of signing in need. */
export function flowDeps({
  users,
  sessions,
  signIn: parts,
  clock,
}: Pick<SessionDeps, 'users' | 'sessions' | 'signIn' | 'clock'>) {
  const { checkTenant } = parts
  return {
    ...parts,
    users,
    sessions,
    clock,
    checkTenant: (user: Parameters<typeof callerOfUser>[0]) => checkTenant(callerOfUser(user)),
  }
}

function refuseWithoutPasswords({ signIn: { isPasswordOn } }: SessionDeps): void {
  if (!isPasswordOn) throw refuse('FORBIDDEN', 'Passwords are turned off; sign in with the identity provider')
}

/** Credentials in the header must be valid. A cookie may be one of a session that has ended. */
async function getSession(deps: SessionDeps, request: FastifyRequest, reply: FastifyReply): Promise<SessionView> {
  const { auth, signIn: parts } = deps
  reply.header('cache-control', 'no-store')
  const hasCookie = readCookie(request, parts.cookies.session) !== undefined
  if (request.headers.authorization === undefined && !hasCookie) return toNobody(parts)
  let caller: Caller
  try {
    caller = await auth(request)
  } catch (error) {
    const isOver = error instanceof Refusal && error.code === 'UNAUTHENTICATED'
    if (!isOver || request.headers.authorization !== undefined) throw error
    leave(parts, reply)
    return toNobody(parts)
  }
  return toSessionView(parts, caller, caller.actor.kind === 'user' ? await parts.reader.read(request) : undefined)
}

async function signOut(deps: SessionDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { sessions, signIn: parts, audit } = deps
  const found = await parts.reader.read(request)
  if (found !== undefined) {
    // Throws unless the call has the CSRF token.
    await parts.reader.verify(request)
    await sessions.end(found.session.hash)
    const { id, email, tenantId } = found.user
    const actor = { kind: 'user' as const, id, email }
    await audit(request, { action: 'user.signed_out', target: { kind: 'user', id }, actor, tenantId })
  }
  return leave(parts, reply).code(204).send()
}

/** In the background. What cannot be stored is logged. */
function recordFailure({ audit }: SessionDeps, request: FastifyRequest, { id, tenantId }: User): void {
  const [target, actor] = [{ kind: 'user', id }, { kind: 'anonymous' as const }]
  audit(request, { action: 'user.sign_in_failed', target, actor, tenantId }).catch(() => undefined)
}

type SignInAction = 'user.signed_in' | 'user.password_changed' | 'user.invitation_accepted'

/** Whoever signs in is the actor, also where nobody was signed in before. */
function record({ audit }: SessionDeps, request: FastifyRequest, action: SignInAction, user: User): Promise<void> {
  const { actor, tenantId } = callerOfUser(user)
  return audit(request, { action, target: { kind: 'user', id: user.id }, actor, tenantId })
}

async function answer(
  deps: SessionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  begun: Begun,
): Promise<SessionView> {
  const { session, user } = begun
  await enter(deps, request, reply, begun)
  reply.header('cache-control', 'no-store')
  return toSessionView(deps.signIn, callerOfUser(user), { session, user })
}

async function userOf({ signIn: { reader } }: SessionDeps, request: FastifyRequest) {
  const { actor } = callerOf(request)
  const found = actor.kind === 'user' ? await reader.read(request) : undefined
  if (found === undefined) throw refuse('FORBIDDEN', 'Only somebody who is signed in to the console has a password')
  if (found.user.signIn.kind !== 'password')
    throw refuse('CONFLICT', 'You sign in with the identity provider; change the password there')
  return found.user
}
