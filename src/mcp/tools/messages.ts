/** Tools that find a message and say what happened to it. */
import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { inMode, MessageIdInput, Mode, Time } from './inputs.ts'
import { countOf, MessageDetailsView, MessagePageView } from './message-views.ts'

/** The filters of lists. */
export const Filters = {
  to: z.string().max(254).optional().describe('The full phone number or email address of a recipient.'),
  q: z
    .string()
    .max(998)
    .optional()
    .describe(
      'What to look for: a message id, a recipient, an idempotency key, a batch, a template, an error code, a tag, a ' +
        'metadata field as key:value, or words of tags, metadata, subject and error.',
    ),
  channel: z.enum(['sms', 'email']).optional(),
  provider: z.string().max(64).optional(),
  error_code: z.string().max(64).optional(),
  tag: z.string().max(64).optional(),
  template: z.string().max(64).optional(),
  created_from: Time.optional(),
  created_to: Time.optional(),
  unknown: z.boolean().optional().describe('Whether the outcome of the latest attempt is unknown.'),
  limit: z.int().min(1).max(50).default(20),
  cursor: z.string().max(2_000).optional().describe('The next_cursor of the previous call.'),
  mode: Mode,
}

export const toQuery = (fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value === undefined ? value : String(value)]))

const STATUSES = ['queued', 'sending', 'sent', 'delivered', 'failed', 'expired'] as const

export const findMessages = defineTool({
  name: 'find_messages',
  title: 'Find messages',
  description:
    'Lists messages, newest first, by a search text or by filters. Recipients are masked, and texts are not shown.',
  scopes: ['messages:read'],
  effect: 'read',
  input: z.strictObject({ ...Filters, status: z.enum(STATUSES).optional() }),
  output: MessagePageView,
  async run({ gateway }, { mode, ...query }) {
    return (await gateway('GET', '/v1/messages', { query: toQuery(query), ...inMode(mode) })).body
  },
  summarize: ({ items, next_cursor }) =>
    `${countOf(items.length, 'message')}${next_cursor === null ? '' : ', and there are more'}.`,
})

const ById = z.strictObject({ id: MessageIdInput, mode: Mode })

export const getMessage = defineTool({
  name: 'get_message',
  title: 'Get a message',
  description: 'The state of a message, its error with advice, and its newest events. Its text is not shown.',
  scopes: ['messages:read'],
  effect: 'read',
  input: ById,
  output: MessageDetailsView,
  run: async ({ gateway }, { id, mode }) => (await gateway('GET', `/v1/messages/${id}`, inMode(mode))).body,
  summarize: ({ id, status, events_total }) => `Message ${id} is ${status}, after ${countOf(events_total, 'event')}.`,
})

export const getMessageContent = defineTool({
  name: 'get_message_content',
  title: 'Read the text of a message',
  description:
    'The recipient and the text of a message, in full. Every call is recorded in the audit log. Messages with a one-time code cannot be read.',
  scopes: ['content:read'],
  effect: 'read',
  input: ById,
  output: z.object({
    channel: z.string(),
    to: z.string(),
    body: z.string().optional(),
    subject: z.string().optional(),
    text: z.string().nullish(),
    html: z.string().optional(),
  }),
  run: async ({ gateway }, { id, mode }) => (await gateway('GET', `/v1/messages/${id}/content`, inMode(mode))).body,
  summarize: () => 'The content of the message.',
})
