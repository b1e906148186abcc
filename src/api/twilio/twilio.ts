/**
 * Twilio's REST API, for programs that have sent with Twilio: messages and verifications, over the same flows as our own
 * API. It has its own credentials, bodies and errors, and is not part of our OpenAPI document: Twilio describes it.
 */
import type { onRequestHookHandler } from 'fastify'
import type { Scope } from '../../domain/access/scope.ts'
import { type Authenticator, guardBy } from '../http/auth.ts'
import type { Api } from '../http/context.ts'
import { accountRoutes } from './accounts.ts'
import { authenticateBasic, checkAccount } from './credentials.ts'
import { errorAnswer, noResource } from './errors.ts'
import { FORM, parseForm } from './form.ts'
import { type MessagesDeps, messageRoutes } from './messages.ts'
import { type VerificationsDeps, verificationRoutes } from './verifications.ts'

export type TwilioDeps = MessagesDeps & VerificationsDeps & Readonly<{ auth: Authenticator }>

/** The hooks of a route that needs one of these scopes. */
export type TwilioGuard = (...scopes: readonly Scope[]) => onRequestHookHandler[]

/** What we do not serve under Twilio's paths gets Twilio's error. */
const OTHERS = ['/2010-04-01/*', '/v2/Services/*']

/** Resolves once the routes are there. A scope of its own: only these routes take forms. */
export function twilioRoutes(app: Api, deps: TwilioDeps): PromiseLike<unknown> {
  const guardScope = guardBy(authenticateBasic(deps.auth))
  const guard: TwilioGuard = (...scopes) => [guardScope(...scopes), checkAccount]
  return app.register((scope: Api, _options, registered) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(FORM, { parseAs: 'buffer' }, (_request, bytes: Buffer, done) =>
      done(null, parseForm(bytes)),
    )
    accountRoutes(scope, guard)
    messageRoutes(scope, deps, guard)
    verificationRoutes(scope, deps, guard)
    for (const url of OTHERS) {
      scope.route({
        method: ['GET', 'POST', 'DELETE'],
        url,
        schema: { hide: true },
        config: { errorAnswer },
        onRequest: (_request, _reply, done) => done(noResource()),
        handler: async () => undefined,
      })
    }
    registered()
  })
}
