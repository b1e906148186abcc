/** The OpenAPI document, generated from the schemas that validate the requests, and the page that shows it. */
import swagger, { type SwaggerTransformObject } from '@fastify/swagger'
import type { onSendHookHandler } from 'fastify'
import { ORIGIN, withCodeSamples } from '../reference/code-samples.ts'
import { withComponents } from '../reference/components.ts'
import { withExamples } from '../reference/examples.ts'
import type { OpenApi } from '../reference/open-api.ts'
import type { Api } from './context.ts'
import { fixedDocument, type SendDocument } from './fixed-document.ts'
import { referencePage } from './reference-page.ts'
import { limitStalling } from './unread-answers.ts'

const INFO = {
  title: 'Pombo',
  version: '1',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  description:
    'The self-hosted gateway for SMS, email and one-time codes that a business must not lose and must not send twice.',
}

const SERVERS = [
  { url: '/', description: 'The gateway that serves this document.' },
  {
    url: '{origin}',
    description: 'Your gateway.',
    variables: { origin: { default: ORIGIN, description: 'Where it is reached, without a slash at the end.' } },
  },
]

/** In the order of the page: the tags of each group, with their names for people. */
const TAG_GROUPS = {
  Send: [
    ['sms', 'SMS', 'Send SMS and check their status.'],
    ['email', 'Email', 'Send email and check its status.'],
    ['otp', 'One-time codes', 'Generate and validate one-time codes.'],
    ['messages', 'Messages', 'Messages of every channel: batch sends, search, resend, resolve, erase.'],
  ],
  Follow: [
    ['endpoints', 'Webhook endpoints', 'The webhook endpoints of your account, their secrets and deliveries.'],
    ['events', 'Events', 'A live stream of message events.'],
    ['dead letters', 'Dead letters', 'Messages that failed after their last attempt.'],
  ],
  'Addressees and texts': [
    ['recipients', 'Recipients', 'A directory of recipients that messages can refer to by id.'],
    ['suppressions', 'Suppressions', 'Email addresses that Pombo does not send to.'],
    ['templates', 'Templates', 'Liquid templates for SMS and email, by name and locale.'],
    ['erasures', 'Erasures', 'Erase everything sent to one recipient, with a signed receipt.'],
  ],
  Delivery: [
    ['routes', 'Routes', 'Which providers send which messages.'],
    ['limits', 'Rate limits', 'Rate limits per tenant, account, recipient or user.'],
    ['domains', 'Domains', 'The domains that your tenant sends email from, and their DNS records.'],
    ['operations', 'Operations', 'Health, statistics, the queue and the providers.'],
  ],
  Access: [
    ['api keys', 'API keys', 'The API keys of your tenant.'],
    ['tenants', 'Tenants', 'For operators: which tenants there are, and what each may do.'],
    ['console users', 'Console users', 'The people who can sign in to the console, and their roles.'],
    ['sessions', 'Sessions', 'Sign in to the console, by password or with an identity provider.'],
    ['audit log', 'Audit log', 'Who changed the set-up and who read content, from where and when.'],
  ],
  'Test and compatibility': [
    ['simulator', 'Simulator', 'The inbox of the built-in test provider.'],
    ['users', 'Users (compatibility)', 'A compatibility API: SMS to users with a numeric id, each with its own limit.'],
    ['callbacks', 'Provider callbacks', 'Delivery reports from providers.'],
  ],
} as const satisfies Record<string, readonly (readonly [name: string, title: string, description: string])[]>

const TAGS = Object.values(TAG_GROUPS)
  .flat()
  .map(([name, title, description]) => ({ name, description, 'x-displayName': title }))

/** Of Redocly, and known to Scalar. */
const EXTENSIONS = {
  'x-tagGroups': Object.entries(TAG_GROUPS).map(([name, tags]) => ({ name, tags: tags.map(([tag]) => tag) })),
}

/** Call it before the first route is added. The result sends the document. */
export async function describeApi(app: Api): Promise<SendDocument> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: INFO,
      servers: SERVERS,
      tags: TAGS,
      ...EXTENSIONS,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API key (`pk_live_…` or `pk_test_…`), or a JWT.' },
        },
      },
      security: [{ bearer: [] }],
    },
    transformObject: complete,
  })
  const sendJson = fixedDocument('application/json; charset=utf-8', () => JSON.stringify(app.swagger()))
  app.get('/openapi.json', { schema: { hide: true }, onSend: limitUnread }, sendJson)
  return sendJson
}

/** The plugin's types have no component names. */
const complete: SwaggerTransformObject = (made) =>
  'openapiObject' in made
    ? (withComponents(withCodeSamples(withExamples(made.openapiObject as OpenApi))) as typeof made.openapiObject)
    : made.swaggerObject

/** The document below the page that shows it, too. */
export function serveDocs(app: Api, sendJson: SendDocument, consoleFolder?: string): void {
  const sendYaml = fixedDocument('application/x-yaml', () => app.swagger({ yaml: true }))
  const hidden = { schema: { hide: true }, onSend: limitUnread }
  app.get('/docs/json', hidden, sendJson)
  app.get('/docs/yaml', hidden, sendYaml)
  referencePage(app, limitUnread, consoleFolder)
}

/** Anybody may call, and need not read. */
const limitUnread: onSendHookHandler = (_request, { raw }, payload, done) => {
  limitStalling(raw)
  done(null, payload)
}
