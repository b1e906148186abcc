/**
 * Authenticates callers by JWT, signed with a shared secret (HS256) or a key of a JWKS (RS256, ES256, EdDSA). The kind
 * of key decides which algorithms are valid, never the token. Verified tokens are cached, so that most calls do not wait.
 */
import { readFile } from 'node:fs/promises'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose'
import type { Caller } from '../../domain/access/caller.ts'
import { parseScopes } from '../../domain/access/scope.ts'
import { tenantIn } from '../../domain/access/test-mode.ts'
import { parseAccountId, parseTenantId } from '../../domain/ids.ts'
import { type Refusal, refuse } from '../../flows/errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, instant, type Millis, seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'

/** Resolves a token to its caller, or throws a refusal. Only tokens that are not cached are async. */
export type TokenVerifier = (token: string) => Caller | Promise<Caller>

export type TokenOptions = Readonly<{
  secret?: Uint8Array
  jwks?: Readonly<{ url?: string; file?: string }>
  issuer?: string
  audience?: string
  /** The longest life of a token; 90 days unless given. */
  maxLifetime?: Millis
  clock: Clock
}>

const TOLERANCE_SECONDS = 5
const MAX_LIFETIME = seconds(90 * 24 * 60 * 60)
const MAX_CACHED = 4096
/** A revoked key must stop working before its tokens expire. */
const CACHE_MILLIS = 5 * 60 * 1000

type Verified = Readonly<{ caller: Caller; until: Instant }>

export async function openTokenVerifier(options: TokenOptions): Promise<TokenVerifier> {
  const { clock, maxLifetime = MAX_LIFETIME } = options
  const verify = await openVerifier(options)
  const cache = new Map<string, Verified>()

  async function verifyAndCache(token: string): Promise<Caller> {
    const payload = await verify(token)
    const now = clock()
    const exp = expiryOf(payload, now, maxLifetime)
    const caller = toCaller(payload)
    const until = instant(Math.min((exp + TOLERANCE_SECONDS) * 1000, now + CACHE_MILLIS))
    store(cache, token, { caller, until })
    return caller
  }

  return (token) => {
    const cached = cache.get(token)
    return cached !== undefined && clock() < cached.until ? cached.caller : verifyAndCache(token)
  }
}

/** Evicts the oldest entry when the cache is full. */
function store(cache: Map<string, Verified>, token: string, verified: Verified): void {
  cache.delete(token)
  const [oldest] = cache.size < MAX_CACHED ? [] : cache.keys()
  if (oldest !== undefined) cache.delete(oldest)
  cache.set(token, verified)
}

/** In seconds since the epoch. A token that claims to be issued in the future lives from now on. */
function expiryOf({ exp, iat }: JWTPayload, at: Instant, maxLifetime: Millis): number {
  if (exp === undefined) throw invalidClaim('exp')
  const [now, longest] = [at / 1000, maxLifetime / 1000]
  const issuedAt = Math.min(iat ?? now, now)
  if (exp - issuedAt > longest + TOLERANCE_SECONDS) {
    throw refuse(
      'UNAUTHENTICATED',
      `The token lives too long: its exp claim may be at most ${longest} seconds after its iat claim`,
    )
  }
  return exp
}

type Verify = (token: string) => Promise<JWTPayload>
type Keys = Readonly<{ keyOf: JWTVerifyGetKey; algorithms: string[] }>

async function openVerifier({ secret, jwks, issuer, audience, clock }: TokenOptions): Promise<Verify> {
  const shared = secret && (await importSecret(secret))
  const published = jwks && (await openKeys(jwks))
  const expected = { ...omitUndefined({ issuer, audience }), requiredClaims: ['exp'] }

  return async (token) => {
    const keys = algorithmOf(token) === 'HS256' ? shared : published
    if (keys === undefined) throw invalidToken()
    const times = { currentDate: new Date(clock()), clockTolerance: TOLERANCE_SECONDS }
    try {
      const { payload } = await jwtVerify(token, keys.keyOf, { ...expected, ...times, algorithms: keys.algorithms })
      return payload
    } catch (error) {
      throw toAuthError(error)
    }
  }
}

/** Unverified: it only picks the kind of key, which then decides. */
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

/** jose's errors about fetching the keys; its other errors are about the token. */
const KEY_ERRORS = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'])

function toAuthError(error: unknown): Error {
  if (error instanceof errors.JWTExpired) return refuse('UNAUTHENTICATED', 'The token has expired')
  if (error instanceof errors.JWTClaimValidationFailed) return invalidClaim(error.claim)
  if (error instanceof errors.JOSEError && !KEY_ERRORS.has(error.code)) return invalidToken()
  return new Unavailable('the JWKS cannot be fetched', { cause: error })
}

const invalidToken = (): Refusal => refuse('UNAUTHENTICATED', 'The token is not valid')
const invalidClaim = (claim: string): Refusal =>
  refuse('UNAUTHENTICATED', `The token has a missing or invalid ${claim} claim`)

function toCaller(claims: JWTPayload): Caller {
  const { tenant_id: tenant, account_id: account = 'default', scope = '', test = false, sub: subject } = claims
  const tenantId = typeof tenant === 'string' ? parseTenantId(tenant) : undefined
  const accountId = typeof account === 'string' ? parseAccountId(account) : undefined
  if (tenantId === undefined) throw invalidClaim('tenant_id')
  if (accountId === undefined) throw invalidClaim('account_id')
  if (typeof scope !== 'string') throw invalidClaim('scope')
  if (typeof test !== 'boolean') throw invalidClaim('test')
  const actor = omitUndefined({ kind: 'token' as const, subject })
  return { tenantId: tenantIn(test ? 'test' : 'live', tenantId), accountId, scopes: parseScopes(scope), actor }
}
