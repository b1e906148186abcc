/**
 * Fastify with the route, body parser, schema and token check of Pombo's API, and nothing else: used for (a), and in
 * front of peers without an HTTP API.
 */
import { randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { openAuthenticator } from '../src/api/access/authenticator.ts'
import { openTokenVerifier } from '../src/api/access/jwt.ts'
import { guardBy } from '../src/api/http/auth.ts'
import { parseJsonBody } from '../src/api/http/json-body.ts'
import { compileValidator } from '../src/api/http/validation.ts'
import { SmsSend } from '../src/api/send/sms.ts'
import { mintToken } from '../src/config/secrets.ts'
import { instant } from '../src/lib/time.ts'

/** Takes a message and returns its id. */
export type Take = (sms: SmsSend) => string | Promise<string>

const CLAIMS = { tenantId: 'demo', accountId: 'default', scopes: ['sms:send'], expiresInSeconds: 3600 }

/** Prints the banner once it is listening, and ends on a signal. */
export async function servePlainApi(take: Take, more: (app: FastifyInstance) => void = () => {}): Promise<void> {
  const secret = randomBytes(32)
  const guard = guardBy(
    openAuthenticator({ verifyToken: await openTokenVerifier({ secret, clock: () => instant(Date.now()) }) }),
  )
  const app = Fastify({ logger: false })
  app.decorateRequest('caller')
  app.setValidatorCompiler(compileValidator)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) =>
    done(null, parseJsonBody(bytes)),
  )
  app.post('/v1/sms/send', { schema: { body: SmsSend }, onRequest: guard('sms:send') }, async (request, reply) => {
    const id = await take(request.body as SmsSend)
    const at = new Date().toISOString()
    reply.code(202).header('content-type', 'application/json; charset=utf-8')
    return `{"request_id":"${id}","status":"accepted","created_at":"${at}","accepted_at":"${at}","segments":1,"encoding":"gsm7"}`
  })
  more(app)

  process.once('SIGTERM', () => process.exit())
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  process.stdout.write(`listens on ${url}\n${await mintToken(secret, CLAIMS)}\n`)
}
