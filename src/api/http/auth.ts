/** Guards of routes: who is calling, and whether they may. */
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { includes, type Scope } from '../../domain/access/scope.ts'
import { type Refusal, refuse } from '../../flows/errors.ts'
import type { Caller } from './context.ts'

/** What a request presents to prove who sent it. */
export type Presented = Pick<FastifyRequest, 'headers' | 'ip' | 'method'>

/** Resolves a request to its caller, or throws a refusal. Async only when it has to look something up. */
export type Authenticator = (request: Presented) => Caller | Promise<Caller>

export const allows = ({ scopes }: Caller, scope: Scope): boolean => includes(scopes, scope)

/** An onRequest hook that authenticates the caller and requires one of the scopes. */
export type Guard = (...scopes: readonly Scope[]) => onRequestHookHandler

export const guardBy =
  (authenticate: Authenticator): Guard =>
  (...scopes) =>
  (request, _reply, done) => {
    const caller = authenticate(request)
    if (caller instanceof Promise) caller.then((verified) => done(admit(request, verified, scopes)), done)
    else done(admit(request, caller, scopes))
  }

/** The refusal of a caller that has none of the scopes. */
function admit(request: FastifyRequest, caller: Caller, scopes: readonly Scope[]): Refusal | undefined {
  request.caller = caller
  for (const scope of scopes) if (allows(caller, scope)) return undefined
  return missingScope(scopes)
}

export const missingScope = (scopes: readonly Scope[]): Refusal =>
  refuse('FORBIDDEN', `This needs the scope ${scopes.join(' or ')}`)
