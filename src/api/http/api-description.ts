/** The OpenAPI document, made from the schemas that check the requests, and the page to read it on. */
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { Api } from './context.ts'
import { SHARED } from './schemas.ts'

const INFO = {
  title: 'Pombo',
  version: '1',
  description: 'The gateway for messages a business must not lose and must not send twice.',
}

const TAGS = [
  { name: 'sms', description: 'Sending SMS and following them.' },
  { name: 'email', description: 'Sending email and following it.' },
  { name: 'otp', description: 'One-time codes: sending one, and checking one.' },
  { name: 'messages', description: 'Messages of every channel: batches, search, resend, erasure.' },
  { name: 'erasures', description: 'Erasing everything that was sent to one recipient, with a signed receipt.' },
  { name: 'dead letters', description: 'Messages given up on after their last attempt.' },
  { name: 'recipients', description: 'The directory: whom messages can name instead of an address.' },
  { name: 'suppressions', description: 'Who gets no more mail, and why.' },
  { name: 'templates', description: 'Texts with places to fill in, by name and locale.' },
  { name: 'limits', description: 'How many messages may be sent in which time.' },
  {
    name: 'endpoints',
    description: 'Webhooks of yours: who is told what becomes of your messages, and what they were told.',
  },
  { name: 'events', description: 'A live stream of what happens.' },
  { name: 'operations', description: 'Figures, the queue, providers and their breakers, health.' },
  { name: 'simulator', description: 'The provider to try everything with.' },
  { name: 'users', description: 'Texts to users known by a number, each under a limit of its own.' },
  { name: 'webhooks', description: 'For providers.' },
]

/** To be called before the first route. */
export async function describeApi(app: Api): Promise<void> {
  for (const [name, schema] of Object.entries(SHARED)) app.addSchema({ ...schema, $id: name })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: INFO,
      tags: TAGS,
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
      security: [{ bearer: [] }],
    },
    refResolver: { buildLocalReference: (json, _baseUri, _fragment, place) => String(json['$id'] ?? `def-${place}`) },
  })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
}

/** A page to read the document on, and to try it. */
export async function serveDocs(app: Api): Promise<void> {
  // Without the upgrade to https: a gateway on a loopback address has none.
  const transformStaticCSP = (policy: string): string => policy.replace('upgrade-insecure-requests;', '')
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true, transformStaticCSP })
}
