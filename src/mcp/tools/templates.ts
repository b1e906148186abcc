/** Previewing a template. What it renders would be the text of a message, so it is shown to those who may read texts. */
import { z } from 'zod'
import { includes } from '../../domain/access/scope.ts'
import { defineTool, type ToolCall } from '../tool.ts'
import { inMode, Mode } from './inputs.ts'

const Text = z.string().max(512 * 1024)

const Preview = z.object({
  segments: z.number().describe('How many segments the text has as an SMS.'),
  encoding: z.string(),
  locale: z.string().optional(),
  version: z.number().optional(),
  text: z.string().optional(),
  subject: z.string().optional(),
  html: z.string().optional(),
  is_text_hidden: z.boolean().describe('True unless the API key has the scope content:read.'),
})

export const previewTemplate = defineTool({
  name: 'preview_template',
  title: 'Preview a template',
  description:
    'Renders a saved template (`name`) or a draft (`text`, `subject`, `html`) with data, and sends nothing. Reports missing variables and SMS segments. The rendered texts are only returned if the API key has the scope content:read.',
  scopes: ['messages:read'],
  effect: 'read',
  input: z.strictObject({
    name: z.string().max(64).optional(),
    locale: z.string().max(35).optional(),
    text: Text.optional(),
    subject: Text.optional(),
    html: Text.optional(),
    data: z.record(z.string(), z.unknown()).optional(),
    mode: Mode,
  }),
  output: Preview,
  async run({ gateway, access }, { mode, ...body }) {
    const answer = await gateway('POST', '/v1/templates/preview', { body, ...inMode(mode) })
    const { text, subject, html, ...rest } = Preview.omit({ is_text_hidden: true }).parse(answer.body)
    return mayRead(access) ? { ...rest, text, subject, html, is_text_hidden: false } : { ...rest, is_text_hidden: true }
  },
  summarize: ({ segments, is_text_hidden }) =>
    `It renders to a text of ${segments} SMS segments.${is_text_hidden ? ' The texts are hidden: the API key lacks the scope content:read.' : ''}`,
})

const mayRead = (access: ToolCall['access']): boolean => access !== undefined && includes(access.scopes, 'content:read')
