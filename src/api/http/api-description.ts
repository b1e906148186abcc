/** The OpenAPI document, generated from the schemas that validate the requests, and the page that shows it. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { TSchema } from 'typebox'
import { MessageDetails, MessageRow } from '../messages/message-schemas.ts'
import type { Api } from './context.ts'
import { BatchItemError, Problem, type SharedName } from './schemas.ts'

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

/** Call it before the first route is added. */
export async function describeApi(app: Api): Promise<void> {
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
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
}

/** Swagger UI at /docs. */
export async function serveDocs(app: Api): Promise<void> {
  // A gateway on a loopback address has no https to upgrade to.
  const transformStaticCSP = (policy: string): string => policy.replace('upgrade-insecure-requests;', '')
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true, transformStaticCSP })
}
