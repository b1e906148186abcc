/**
 * Who is calling. Tokens are JWTs, signed with a secret we share (HS256) or with a key of a JWKS
 * (RS256, ES256, EdDSA); which algorithms count is decided by the kind of key, never by the token.
 *
 * A verified token is remembered, so that most calls are answered without waiting.
 */
import { readFile } from 'node:fs/promises'
import type { onRequestHookHandler } from 'fastify'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import { parseAccountId, parseTenantId } from '../../domain/ids.ts'
import type { Scope } from '../../domain/requests/scope.ts'
import { type Refusal, refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, instant } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Caller } from './context.ts'

/** The caller named by an `Authorization` header, or a refusal; waits only for a token it has not seen lately. */
export type Authenticator = (authorization: string | undefined) => Caller | Promise<Caller>

export type AuthenticatorOptions = Readonly<{
  secret?: Uint8Array
  jwks?: Readonly<{ url?: string; file?: string }>
  issuer?: string
  audience?: string
  clock: Clock
}>

const TOLERANCE_SECONDS = 5
const MAX_REMEMBERED = 4096
/** A key that was withdrawn must stop working even while its tokens last. */
const REMEMBER_MILLIS = 5 * 60 * 1000

type Verified = Readonly<{ caller: Caller; until: Instant }>

export async function openAuthenticator(options: AuthenticatorOptions): Promise<Authenticator> {
  const { clock } = options
  const verify = await openVerifier(options)
  const remembered = new Map<string, Verified>()

  async function learn(authorization: string): Promise<Caller> {
    const payload = await verify(toToken(authorization))
    const now = clock()
    const caller = toCaller(payload)
    const lasts = payload.exp === undefined ? Number.POSITIVE_INFINITY : (payload.exp + TOLERANCE_SECONDS) * 1000
    remember(remembered, authorization, { caller, until: instant(Math.min(lasts, now + REMEMBER_MILLIS)) })
    return caller
  }

  return (authorization) => {
    if (authorization === undefined) throw refuse('UNAUTHENTICATED', 'send Authorization: Bearer <token>')
    const known = remembered.get(authorization)
    return known !== undefined && clock() < known.until ? known.caller : learn(authorization)
  }
}

/** The one remembered longest makes room. */
function remember(all: Map<string, Verified>, authorization: string, verified: Verified): void {
  all.delete(authorization)
  const [oldest] = all.size < MAX_REMEMBERED ? [] : all.keys()
  if (oldest !== undefined) all.delete(oldest)
  all.set(authorization, verified)
}

type Verify = (token: string) => Promise<JWTPayload>
type Keys = Readonly<{ keyOf: JWTVerifyGetKey; algorithms: string[] }>

async function openVerifier({ secret, jwks, issuer, audience, clock }: AuthenticatorOptions): Promise<Verify> {
  const shared = secret && (await importSecret(secret))
  const published = jwks && (await openKeys(jwks))
  const expected = { ...(issuer === undefined ? {} : { issuer }), ...(audience === undefined ? {} : { audience }) }

  return async (token) => {
    const keys = algorithmOf(token) === 'HS256' ? shared : published
    if (keys === undefined) throw invalid()
    const times = { currentDate: new Date(clock()), clockTolerance: TOLERANCE_SECONDS }
    try {
      const { payload } = await jwtVerify(token, keys.keyOf, { ...expected, ...times, algorithms: keys.algorithms })
      return payload
    } catch (error) {
      throw blame(error)
    }
  }
}

/** What the token says of itself: it only picks the kind of key, which then decides. */
function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg
  } catch {
    return undefined
  }
}

async function importSecret(secret: Uint8Array): Promise<Keys> {
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', new Uint8Array(secret), hmac, false, ['verify'])
  return { keyOf: async () => key, algorithms: ['HS256'] }
}

async function openKeys({ url, file }: { url?: string; file?: string }): Promise<Keys | undefined> {
  const algorithms = ['RS256', 'ES256', 'EdDSA']
  if (url !== undefined) return { keyOf: createRemoteJWKSet(new URL(url)), algorithms }
  if (file === undefined) return undefined
  return { keyOf: createLocalJWKSet(JSON.parse(await readFile(file, 'utf8'))), algorithms }
}

/** Failures to get at the keys are ours; whatever else jose throws says something about the token. */
const OURS = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'])

function blame(error: unknown): Error {
  if (error instanceof errors.JWTExpired) return refuse('UNAUTHENTICATED', 'the token has expired')
  if (error instanceof errors.JWTClaimValidationFailed) return badClaim(error.claim)
  return error instanceof errors.JOSEError && !OURS.has(error.code) ? invalid() : keysAway(error)
}

const invalid = (): Refusal => refuse('UNAUTHENTICATED', 'the token is not valid')
const badClaim = (claim: string): Refusal =>
  refuse('UNAUTHENTICATED', `the claim ${claim} of the token is not accepted`)
const keysAway = (cause: unknown): Unavailable => new Unavailable('the JWKS cannot be had', { cause })

function toToken(authorization: string): string {
  const [, token] = /^Bearer ([\w.-]+)$/i.exec(authorization) ?? []
  if (token === undefined) throw refuse('UNAUTHENTICATED', 'send Authorization: Bearer <token>')
  return token
}

function toCaller(claims: JWTPayload): Caller {
  const { tenant_id: tenant, account_id: account = 'default', scope = '' } = claims
  const tenantId = typeof tenant === 'string' ? parseTenantId(tenant) : undefined
  const accountId = typeof account === 'string' ? parseAccountId(account) : undefined
  if (tenantId === undefined) throw badClaim('tenant_id')
  if (accountId === undefined) throw badClaim('account_id')
  if (typeof scope !== 'string') throw badClaim('scope')
  return { tenantId, accountId, scopes: new Set(scope.split(' ')) }
}

export const allows = ({ scopes }: Caller, scope: Scope): boolean => scopes.has(scope) || scopes.has('admin')

/** Lets a request through when its caller has one of the scopes. */
export type Guard = (...scopes: readonly Scope[]) => onRequestHookHandler

export const guardBy =
  (authenticate: Authenticator): Guard =>
  (...scopes) =>
  (request, _reply, done) => {
    const admit = (caller: Caller): void => {
      request.caller = caller
      done(scopes.some((scope) => allows(caller, scope)) ? undefined : lacking(scopes))
    }
    const caller = authenticate(request.headers.authorization)
    if (caller instanceof Promise) caller.then(admit, done)
    else admit(caller)
  }

export const lacking = (scopes: readonly Scope[]): Refusal =>
  refuse('FORBIDDEN', `the token lacks the scope ${scopes.join(' or ')}`)
