/** Providers and limits as explanations and preflights tell how they stand now. */
import { z } from 'zod'
import { orNull } from './or-null.ts'

const text = z.string()

export const ProviderStanding = z.object({
  name: text,
  up: z.boolean().describe('Whether it would be called now.'),
  breaker_state: text,
  reason: text,
  retry_at: orNull(text),
  paused_until: orNull(text),
})

export const LimitStanding = z.object({
  scope: text,
  key: orNull(text),
  limit: z.number(),
  window_seconds: z.number(),
  used: z.number(),
  remaining: z.number(),
  resets_at: orNull(text),
  would_refuse: z.boolean(),
})

export const QuotaStanding = z.object({
  quota: text,
  limit: orNull(z.number()),
  used: orNull(z.number()),
  would_refuse: z.boolean(),
})
