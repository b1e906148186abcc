/** Tools that say how messages are sent: the route of one, and the state of the providers. */
import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { inMode, Mode } from './inputs.ts'
import { countOf } from './message-views.ts'

const Reasons = z.array(z.object({ id: z.string(), reason: z.string() }))

export const resolveRoute = defineTool({
  name: 'resolve_route',
  title: 'Resolve a route',
  description:
    'Which route and provider a message to this recipient would use now, and why the others are not used. Sends nothing.',
  scopes: ['messages:read'],
  effect: 'read',
  input: z.strictObject({
    to: z.string().max(254).describe('A phone number in E.164 format, or an email address.'),
    channel: z.enum(['sms', 'email']).default('sms'),
    type: z.enum(['sms', 'flash_sms']).optional(),
    sender_id: z.string().min(1).max(254).optional(),
    mode: Mode,
  }),
  output: z.object({
    provider: z.string().nullable().describe('Null if the message could not be sent now.'),
    route: z
      .object({ id: z.string(), source: z.string(), channel: z.string(), prefix: z.string().nullish() })
      .nullable(),
    candidates: z.array(z.object({ provider: z.string(), chosen: z.boolean(), reason: z.string() })),
    excluded: Reasons.describe('The other routes, and why they are not used.'),
  }),
  run: async ({ gateway }, { mode, ...body }) =>
    (await gateway('POST', '/v1/routes/resolve', { body, ...inMode(mode) })).body,
  summarize: ({ provider, route }) =>
    provider === null
      ? `${route === null ? 'No route matches' : 'No provider of the route is available'}.`
      : 'A provider is available.',
})

const Recent = z.object({
  seconds: z.number(),
  messages_per_second: z.number(),
  statuses: z.record(z.string(), z.number()),
  accept_to_handoff_p95_ms: z.number().nullable(),
})

export const getProviderHealth = defineTool({
  name: 'get_provider_health',
  title: 'Get provider health',
  description:
    'The providers, their circuit breakers, connections and results of the last minutes. While a breaker is open, messages use the next provider of their route, or wait.',
  scopes: ['messages:read'],
  effect: 'read',
  input: z.strictObject({}),
  output: z.object({
    items: z.array(
      z.object({
        name: z.string(),
        channels: z.array(z.string()),
        simulated: z.boolean(),
        connections: z.object({ wanted: z.number(), up: z.number() }).nullable(),
        breaker: z.object({
          state: z.string().describe('closed: the provider is used. open: it is not called. half_open: a trial call.'),
          consecutive_failures: z.number(),
          opened_at: z.string().nullable(),
          retry_at: z.string().nullable(),
          paused_at: z.string().nullish(),
        }),
        recent: Recent.nullable().describe('The results of your messages.'),
      }),
    ),
  }),
  run: async ({ gateway }) => (await gateway('GET', '/v1/providers')).body,
  summarize({ items }) {
    const closed = items.filter(({ breaker }) => breaker.state === 'closed').length
    return `${countOf(items.length, 'provider')}, of which ${closed} with a closed circuit breaker.`
  },
})
