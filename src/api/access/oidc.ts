/**
 * Signing in with an OpenID Connect provider. The browser keeps what the provider's answer must match in a signed cookie
 * of a few minutes, so that nobody can finish a sign-in that another browser has begun.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { parseIdentity } from '../../domain/access/identity.ts'
import type { User } from '../../domain/access/user.ts'
import { signInWithIdentity } from '../../flows/access/sign-in-with-identity.ts'
import { signedText, withSignature } from '../../flows/access/signed-text.ts'
import { Refusal, refuse } from '../../flows/errors.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import type { SignInChecks } from '../../ports/identity-provider.ts'
import type { SecretTokens } from '../../ports/secret-tokens.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Ids } from '../../ports/world.ts'
import type { Api } from '../http/context.ts'
import { readCookie, toClearedCookie, toSetCookie } from './cookies.ts'
import { sendRefusalPage } from './refusal-page.ts'
import { callerOfUser } from './session-reader.ts'
import { FINISH_OIDC, START_OIDC } from './session-schemas.ts'
import { flowDeps, type SessionDeps } from './sessions.ts'
import { consoleUrlOf, enter, type SignInParts } from './sign-in-parts.ts'
import { toUserSnapshot } from './user-schemas.ts'

export type OidcDeps = SessionDeps & Readonly<{ ids: Pick<Ids, 'userId'> }>

/** How long somebody may take at the identity provider. */
const LIFETIME = seconds(600)

export function oidcRoutes(app: Api, deps: OidcDeps): void {
  app.get('/v1/session/oidc', { schema: START_OIDC }, (request, reply) =>
    explaining(deps, request, reply, async (identity) => {
      const { url, checks } = await identity.provider.begin()
      const value = seal(deps.signIn.tokens, checks, later(deps.clock(), LIFETIME))
      const { name, ...attributes } = cookieOf(deps)
      const cookie = toSetCookie(name, value, { ...attributes, maxAgeSeconds: LIFETIME / 1_000 })
      return reply.header('set-cookie', cookie).redirect(url, 303)
    }),
  )

  app.get('/v1/session/oidc/callback', { schema: FINISH_OIDC }, (request, reply) =>
    explaining(deps, request, reply, async (identity) => {
      const { name, ...attributes } = cookieOf(deps)
      const checks = open(deps, readCookie(request, name))
      reply.header('set-cookie', toClearedCookie(name, attributes))
      if (checks === undefined) throw new SignInRefused('It was not begun in this browser, or took too long.')
      await finish(deps, identity, checks, request, reply)
      return reply.redirect(`${consoleUrlOf(deps.signIn, request)}/`, 303)
    }),
  )
}

/** The reason is a sentence for the person. */
class SignInRefused extends Error {}

type Identity = NonNullable<SignInParts['identity']>

async function finish(
  deps: OidcDeps,
  { provider, rules }: Identity,
  checks: SignInChecks,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const [, query = ''] = request.url.split('?', 2)
  const answered = await provider.finish(query, checks)
  if (answered.kind === 'refused') throw new SignInRefused(answered.reason)
  const parsed = parseIdentity(answered.claims, rules)
  if (parsed.kind === 'refused') throw new SignInRefused(`The identity provider knows you. ${parsed.reason}`)
  const onChange = (after: User, before?: User) => recordChange(deps, request, after, before)
  const signedIn = await signInWithIdentity({ ...flowDeps(deps), ids: deps.ids, onChange }, parsed.identity)
  if (signedIn.kind === 'refused') throw new SignInRefused(signedIn.reason)
  const { begun } = signedIn
  const { actor, tenantId } = callerOfUser(begun.user)
  await deps.audit(request, { action: 'user.signed_in', target: { kind: 'user', id: begun.user.id }, actor, tenantId })
  await enter(deps, request, reply, begun)
}

/** The provider decides about its users; who signs in is the one who changes. */
function recordChange({ audit }: OidcDeps, request: FastifyRequest, after: User, before?: User): Promise<void> {
  const { actor, tenantId } = callerOfUser(after)
  const action = before === undefined ? 'user.created' : 'user.changed'
  const snapshots = omitUndefined({ before: before && toUserSnapshot(before), after: toUserSnapshot(after) })
  return audit(request, { action, target: { kind: 'user', id: after.id }, actor, tenantId, ...snapshots })
}

/** People come here with their browser, so refusals are pages. */
async function explaining(
  { signIn: parts }: OidcDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  act: (identity: Identity) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  if (parts.identity === undefined) throw refuse('NOT_FOUND', 'No identity provider is configured')
  const back = `${consoleUrlOf(parts, request)}/`
  reply.header('cache-control', 'no-store')
  try {
    return await act(parts.identity)
  } catch (error) {
    if (error instanceof SignInRefused) return sendRefusalPage(reply, 403, error.message, back)
    if (error instanceof Refusal) return sendRefusalPage(reply, 403, `${error.message}.`, back)
    if (error instanceof Unavailable)
      return sendRefusalPage(
        reply,
        503,
        'The identity provider or a store is not available. Try again in a moment.',
        back,
      )
    throw error
  }
}

const cookieOf = ({ signIn: { cookies } }: OidcDeps) => ({
  name: cookies.oidc,
  isSecure: cookies.isSecure,
  // The browser comes back from another site.
  sameSite: 'Lax' as const,
})

type Sealed = SignInChecks & Readonly<{ until: Instant }>

function seal(tokens: SecretTokens, checks: SignInChecks, until: Instant): string {
  const text = Buffer.from(JSON.stringify({ ...checks, until } satisfies Sealed)).toString('base64url')
  return withSignature(tokens, 'oidc', text)
}

/** Undefined unless we have signed it, and recently. */
function open({ signIn: { tokens }, clock }: OidcDeps, cookie: string | undefined): SignInChecks | undefined {
  const text = cookie === undefined ? undefined : signedText(tokens, 'oidc', cookie)
  if (text === undefined) return undefined
  const { until, ...checks } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Sealed
  return clock() < until ? checks : undefined
}
