/** Guards of routes: who is calling, and whether they may. */
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Caller } from '../../domain/access/caller.ts'
import { includes, type Scope } from '../../domain/access/scope.ts'
import { isTestTenant } from '../../domain/access/test-mode.ts'
import { type Refusal, refuse } from '../../flows/errors.ts'

/** What a request presents to prove who sent it. `ips` begins with its connection; behind no proxy it may be missing. */
export type Presented = Pick<FastifyRequest, 'headers' | 'ip' | 'ips' | 'method'>

/** Resolves a request to its caller, or throws a refusal. Async only when it has to look something up. */
export type Authenticator = (request: Presented) => Caller | Promise<Caller>

export const allows = ({ scopes }: Caller, scope: Scope): boolean => includes(scopes, scope)

/** Whether a caller may do what concerns every tenant. Nobody may in test mode, where nothing of that is apart. */
export const mayOperate = (caller: Caller): boolean => allows(caller, 'operator') && !isTestTenant(caller.tenantId)

/** An onRequest hook that authenticates the caller and requires one of the scopes. */
export type Guard = (...scopes: readonly Scope[]) => onRequestHookHandler

export const guardBy =
  (authenticate: Authenticator): Guard =>
  (...scopes) =>
    guardWith(authenticate, () => scopes)

/** A guard that requires one of the scopes that `needs` names for the caller. */
export const guardWith =
  (authenticate: Authenticator, needs: (caller: Caller) => readonly Scope[]): onRequestHookHandler =>
  (request, _reply, done) => {
    const caller = authenticate(request)
    if (caller instanceof Promise) caller.then((verified) => done(admit(request, verified, needs(verified))), done)
    else done(admit(request, caller, needs(caller)))
  }

/** The refusal of a caller that may not. */
function admit(request: FastifyRequest, caller: Caller, scopes: readonly Scope[]): Refusal | undefined {
  request.caller = caller
  const isAdmitted = (scope: Scope): boolean => (scope === 'operator' ? mayOperate(caller) : allows(caller, scope))
  return scopes.some(isAdmitted) ? undefined : notAllowed(caller, scopes)
}

/** The refusal of a caller that has none of the scopes, or only `operator` and that in test mode. */
export const notAllowed = (caller: Caller, scopes: readonly Scope[]): Refusal =>
  scopes.some((scope) => allows(caller, scope))
    ? refuse('FORBIDDEN', 'This concerns every tenant, so it is not possible in test mode')
    : missingScope(scopes)

export const missingScope = (scopes: readonly Scope[]): Refusal =>
  refuse('FORBIDDEN', `This needs the scope ${scopes.join(' or ')}`)
