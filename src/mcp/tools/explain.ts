/** "Why was it not delivered?" */
import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { inMode, MessageIdInput, Mode } from './inputs.ts'
import { orNull } from './or-null.ts'
import { LimitStanding, ProviderStanding, QuotaStanding } from './standing-views.ts'

const text = z.string()

const Reason = z.object({
  text,
  at: text.optional(),
  event_type: text.optional(),
  provider: text.optional(),
  error_code: text.optional(),
})

/** The HTTP call of an action is left out: its path may name a recipient, and no tool makes it. */
const Action = z.object({ action: text, text, scope: text.optional(), allowed: z.boolean() })

const Facts = z.object({
  checked_at: text,
  channel: text,
  lane: text,
  handoff_state: text,
  provider_state: text,
  unknown: z.boolean(),
  dead_letter: z.boolean(),
  erased: z.boolean(),
  attempts: z.number(),
  attempts_in_cycle: z.number(),
  max_attempts: z.number(),
  provider: orNull(text),
  excluded_providers: z.array(text),
  created_at: text,
  due_at: orNull(text),
  expires_at: orNull(text),
  handed_off_at: orNull(text),
  ended_at: orNull(text),
  route: orNull(z.object({ id: text, providers: z.array(ProviderStanding) })),
  limits: orNull(z.array(LimitStanding)),
  quotas: orNull(z.array(QuotaStanding)),
})

export const ExplanationView = z.object({
  message_id: text,
  status: text,
  summary: text,
  reasons: z.array(Reason).describe('Oldest first; what holds now comes last.'),
  next: orNull(z.object({ text, at: orNull(text) })),
  actions: z.array(Action).describe('What a person can do, the most useful first.'),
  error: orNull(
    z.object({
      code: text,
      detail: orNull(text),
      category: text,
      meaning: text,
      advice: text,
      blame: text.optional(),
    }),
  ),
  data: Facts,
})

export const explainMessage = defineTool({
  name: 'explain_message',
  title: 'Explain a message',
  description:
    'Answers "Why was it not delivered?": what happened to a message, what it waits for, what Pombo does next and what a person can do. Use this before get_message.',
  scopes: ['messages:read'],
  effect: 'read',
  input: z.strictObject({ id: MessageIdInput, mode: Mode }),
  output: ExplanationView,
  run: async ({ gateway }, { id, mode }) => (await gateway('GET', `/v1/messages/${id}/explain`, inMode(mode))).body,
  summarize: ({ message_id, status }) => `Message ${message_id} is ${status}.`,
})
