/** The OpenAPI document, generated from the schemas that validate the requests, and the page that shows it. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { onSendHookHandler } from 'fastify'
import type { TSchema } from 'typebox'
import { MessageDetails, MessageRow } from '../messages/message-schemas.ts'
import type { Api } from './context.ts'
import { fixedDocument, type SendDocument } from './fixed-document.ts'
import { BatchItemError, Problem, type SharedName } from './schemas.ts'
import { limitStalling } from './unread-answers.ts'

const INFO = {
  title: 'Pombo',
  version: '1',
  description:
    'The self-hosted gateway for SMS, email and one-time codes that a business must not lose and must not send twice.',
}

const TAGS = [
  { name: 'sms', description: 'Send SMS and check their status.' },
  { name: 'email', description: 'Send email and check its status.' },
  { name: 'otp', description: 'Generate and validate one-time codes.' },
  { name: 'messages', description: 'Messages of every channel: batch sends, search, resend, resolve, erase.' },
  { name: 'erasures', description: 'Erase everything sent to one recipient, with a signed receipt.' },
  { name: 'dead letters', description: 'Messages that failed after their last attempt.' },
  { name: 'recipients', description: 'A directory of recipients that messages can refer to by id.' },
  { name: 'suppressions', description: 'Email addresses that Pombo does not send to.' },
  { name: 'templates', description: 'Liquid templates for SMS and email, by name and locale.' },
  { name: 'limits', description: 'Rate limits per tenant, account, recipient or user.' },
  { name: 'endpoints', description: 'The webhook endpoints of your account, their secrets and deliveries.' },
  { name: 'events', description: 'A live stream of message events.' },
  { name: 'audit log', description: 'Who changed the set-up and who read content, from where and when.' },
  { name: 'operations', description: 'Health, statistics, the queue and the providers.' },
  { name: 'routes', description: 'Which providers send which messages.' },
  { name: 'domains', description: 'The domains that your tenant sends email from, and their DNS records.' },
  { name: 'simulator', description: 'The inbox of the built-in test provider.' },
  { name: 'users', description: 'A compatibility API: SMS to users with a numeric id, each with its own limit.' },
  { name: 'sessions', description: 'Sign in to the console, by password or with an identity provider.' },
  { name: 'console users', description: 'The people who can sign in to the console, and their roles.' },
  { name: 'tenants', description: 'For operators: which tenants there are, and what each may do.' },
  { name: 'api keys', description: 'The API keys of your tenant.' },
  { name: 'callbacks', description: 'Delivery reports from providers.' },
]

const SHARED: Readonly<Record<SharedName, TSchema>> = { Message: MessageRow, MessageDetails, Problem, BatchItemError }

/** Call it before the first route is added. The result sends the document. */
export async function describeApi(app: Api): Promise<SendDocument> {
  for (const [name, schema] of Object.entries(SHARED)) app.addSchema({ ...schema, $id: name })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: INFO,
      tags: TAGS,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key (`pk_live_…` or `pk_test_…`), or a JWT.' },
        },
      },
      security: [{ bearer: [] }],
    },
    refResolver: { buildLocalReference: (json, _baseUri, _fragment, index) => String(json['$id'] ?? `def-${index}`) },
  })
  const sendJson = fixedDocument('application/json; charset=utf-8', () => JSON.stringify(app.swagger()))
  app.get('/openapi.json', { schema: { hide: true }, onSend: limitUnread }, sendJson)
  return sendJson
}

/** Swagger UI at /docs. Its routes would write both documents anew for every call. */
export async function serveDocs(app: Api, sendJson: SendDocument): Promise<void> {
  const sendYaml = fixedDocument('application/x-yaml', () => app.swagger({ yaml: true }))
  const documents = new Map([
    ['/docs/json', sendJson],
    ['/docs/yaml', sendYaml],
  ])
  await app.register((docs, _options, done) => {
    docs.addHook('onSend', limitUnread)
    docs.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: true,
      // A gateway on a loopback address has no https to upgrade to.
      transformStaticCSP: (policy) => policy.replace('upgrade-insecure-requests;', ''),
      uiHooks: {
        onRequest: (request, reply, next) => {
          const send = documents.get(request.routeOptions.url ?? '')
          if (send === undefined) next()
          else send(request, reply)
        },
      },
    })
    done()
  })
}

/** Anybody may call, and need not read. */
const limitUnread: onSendHookHandler = (_request, { raw }, payload, done) => {
  limitStalling(raw)
  done(null, payload)
}
