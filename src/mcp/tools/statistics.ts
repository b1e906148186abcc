/** Counts of messages over time, and the errors behind them. */
import { z } from 'zod'
import { defineTool } from '../tool.ts'
import { inMode, Mode, Time } from './inputs.ts'
import { countOf } from './message-views.ts'
import { toQuery } from './messages.ts'

const Latency = z.object({ count: z.number(), p50_ms: z.number(), p95_ms: z.number(), max_ms: z.number() }).nullable()

const Stats = z.object({
  from: z.string(),
  to: z.string(),
  bucket: z.number().describe('Its length in seconds.'),
  buckets: z.array(
    z.object({
      start: z.string(),
      channel: z.string(),
      provider: z.string().nullable(),
      statuses: z.record(z.string(), z.number()),
      accept_to_handoff: Latency,
      handoff_to_delivery: Latency,
    }),
  ),
  rate_limited: z.array(z.object({ start: z.string(), channel: z.string(), count: z.number() })),
})

const Errors = z.object({
  items: z.array(
    z.object({
      channel: z.string(),
      provider: z.string().nullable(),
      error_code: z.string(),
      count: z.number(),
      newest_at: z.string(),
    }),
  ),
})

/** A model does not need the long tail. */
const MOST_ERRORS = 20

export const getStatistics = defineTool({
  name: 'get_statistics',
  title: 'Get statistics',
  description:
    'Counts and latencies of messages by time, channel and provider, and the most frequent errors. By default of the last 24 hours, by the hour.',
  scopes: ['messages:read'],
  effect: 'read',
  input: z.strictObject({
    from: Time.optional(),
    to: Time.optional(),
    bucket: z.number().min(60).max(31_536_000).optional().describe('The length of a bucket in seconds.'),
    mode: Mode,
  }),
  output: Stats.extend({ errors: Errors.shape.items }),
  async run({ gateway }, { mode, ...query }) {
    const stats = Stats.parse((await gateway('GET', '/v1/stats', { query: toQuery(query), ...inMode(mode) })).body)
    const { from, to } = stats
    const errors = await gateway('GET', '/v1/stats/errors', { query: { from, to }, ...inMode(mode) })
    return { ...stats, errors: Errors.parse(errors.body).items.slice(0, MOST_ERRORS) }
  },
  summarize({ buckets, errors }) {
    const count = buckets.flatMap(({ statuses }) => Object.values(statuses)).reduce((sum, one) => sum + one, 0)
    return `${countOf(count, 'message')} in this period, with ${countOf(errors.length, 'different error')}.`
  },
})
