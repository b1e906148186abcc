/**
 * Finds out who is calling: by a token (JWT), an API key, or the session of somebody who has signed in to the console.
 * Whoever it is, the tenant must be one that may call.
 */
import { API_KEY_PREFIX } from '../../domain/access/api-key.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { isTestTenant, liveTenantOf, tenantIn } from '../../domain/access/test-mode.ts'
import { parseTenantId, type TenantId } from '../../domain/ids.ts'
import { refuse } from '../../flows/errors.ts'
import { type Authenticator, allows, missingScope, type Presented } from '../http/auth.ts'
import { refuseFields } from '../http/validation.ts'
import type { TokenVerifier } from './jwt.ts'

export type AuthenticatorDeps = Readonly<{
  verifyToken: TokenVerifier
  /** Resolves an API key to its caller, or throws a refusal. */
  verifyKey?: (key: string, request: Presented) => Caller
  /** Resolves the session of a cookie to its caller, or throws a refusal; undefined without a session cookie. */
  verifySession?: (request: Presented) => Promise<Caller> | undefined
  /** The caller of a request without credentials, if it needs none. */
  verifyOpen?: (request: Presented) => Caller | undefined
  /** Throws a refusal if the tenant may not call. */
  checkTenant?: (caller: Caller) => void
  /** Throws a refusal if an operator may not act for the tenant. */
  checkNamed?: (tenantId: TenantId) => void
}>

const BEARER = /^Bearer ([\w.-]+)$/i

export function openAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { verifyToken, verifyKey, verifySession, verifyOpen, checkTenant, checkNamed } = deps

  const verify = (request: Presented): Caller | Promise<Caller> => {
    const { authorization } = request.headers
    if (authorization === undefined) return verifySession?.(request) ?? verifyOpen?.(request) ?? missingCredentials()
    const [, bearer] = BEARER.exec(authorization) ?? []
    if (bearer === undefined) return missingCredentials()
    if (verifyKey !== undefined && bearer.startsWith(API_KEY_PREFIX)) return verifyKey(bearer, request)
    return verifyToken(bearer)
  }

  const admit = (caller: Caller, request: Presented): Caller => {
    checkTenant?.(caller)
    const acting = inContext(caller, request)
    if (liveTenantOf(acting.tenantId) !== liveTenantOf(caller.tenantId)) checkNamed?.(acting.tenantId)
    return acting
  }

  return (request) => {
    const caller = verify(request)
    return caller instanceof Promise ? caller.then((found) => admit(found, request)) : admit(caller, request)
  }
}

function missingCredentials(): never {
  throw refuse('UNAUTHENTICATED', 'Send the header Authorization: Bearer <API key or token>')
}

/**
 * The headers with which a call may choose where it happens: `Pombo-Tenant` names the tenant for which an operator acts,
 * and `Pombo-Mode: test` moves any call into test mode. Nothing leads out of test mode.
 */
function inContext(caller: Caller, { headers }: Presented): Caller {
  const { 'pombo-tenant': tenant, 'pombo-mode': mode } = headers
  if (tenant === undefined && mode === undefined) return caller
  if (mode !== undefined && mode !== 'test' && mode !== 'live') throw badHeader('pombo-mode', 'must be live or test')
  const tenantId = tenant === undefined ? caller.tenantId : readTenant(caller, tenant)
  const isTest = mode === 'test' || isTestTenant(caller.tenantId)
  const acting = { ...caller, tenantId: tenantIn(isTest ? 'test' : 'live', tenantId) }
  const home = liveTenantOf(caller.tenantId)
  return liveTenantOf(tenantId) === home ? acting : { ...acting, homeTenantId: home }
}

function readTenant(caller: Caller, named: string | string[]): TenantId {
  const tenantId = typeof named === 'string' ? parseTenantId(named) : undefined
  if (tenantId === undefined) throw badHeader('pombo-tenant', 'must be the id of a tenant')
  if (tenantId !== caller.tenantId && !allows(caller, 'operator')) throw missingScope(['operator'])
  return tenantId
}

const badHeader = (name: string, message: string) => refuseFields([{ path: `/${name}`, message }])
