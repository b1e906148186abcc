/**
 * Messages as the tools return them: named fields of what the API answers, and nothing else. The recipient is masked, and
 * there is no field for a body. Callback URLs are left out, because they may contain a secret.
 */
import { z } from 'zod'
import { orNull } from './or-null.ts'

const text = z.string()

export const MessageView = z.object({
  id: text,
  status: text,
  handoff_state: text,
  provider_state: text,
  to: orNull(text).describe('Masked; null after erasure.'),
  country: orNull(text),
  channel: text,
  type: text,
  lane: text,
  provider: orNull(text),
  provider_message_id: orNull(text),
  error_code: orNull(text),
  error_detail: orNull(text),
  attempts: z.number(),
  cycle: z.number(),
  segments: z.number(),
  encoding: text,
  tags: z.array(text),
  subject: orNull(text),
  template: orNull(text),
  batch_id: orNull(text),
  unknown: z.boolean().describe('The outcome of the latest attempt is unknown.'),
  dead_letter: z.boolean(),
  erased: z.boolean(),
  created_at: text,
  updated_at: text,
})

export const EventView = z.object({
  event_type: text,
  at: text,
  payload: z.record(z.string(), z.unknown()),
})

export const MessageDetailsView = MessageView.extend({
  error: orNull(z.object({ code: text, detail: orNull(text), category: text, meaning: text, advice: text })),
  account_id: text,
  trace_id: text,
  sender_id: orNull(text),
  metadata: z.record(z.string(), text),
  expires_at: orNull(text),
  route_id: orNull(text),
  operator_id: orNull(text),
  due_at: orNull(text),
  handed_off_at: orNull(text),
  ended_at: orNull(text),
  events: z.array(EventView).describe('The newest events, oldest first.'),
  events_total: z.number(),
})

export const MessagePageView = z.object({
  items: z.array(MessageView),
  next_cursor: orNull(text).describe('For the next page; null if there is none.'),
})

export const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
