/** Message counts and latencies over time, by channel and provider. */
import { type Static, Type } from 'typebox'
import type { Clock } from '../../lib/clock.ts'
import { later, millis, seconds, toIso } from '../../lib/time.ts'
import type { LimitedBucket, LimitedSends } from '../../ports/limited-sends.ts'
import type { Latency as IndexLatency, MessageIndex, StatsBucket } from '../../ports/message-index.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { fromTime, namedObject, nullable, responses, Time, untilTime } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { readInstant } from '../messages/message-search.ts'

export type StatsDeps = Readonly<{
  index: MessageIndex
  limitedSends: Pick<LimitedSends, 'stats'>
  clock: Clock
  guard: Guard
}>

const DAY = seconds(24 * 60 * 60)
const MAX_BUCKETS = 2000

export function statsRoutes(app: Api, deps: StatsDeps): void {
  app.get('/v1/stats', { schema: STATS, onRequest: deps.guard('messages:read') }, async (request) => {
    const { from: start, to: end, bucket: bucketSeconds = 3600 } = request.query
    const to = end === undefined ? deps.clock() : readInstant('to', end)
    const from = start === undefined ? later(to, millis(-DAY)) : readInstant('from', start)
    const bucket = seconds(bucketSeconds)
    if (from >= to) throw refuseFields([{ path: '/from', message: 'must be before /to' }])
    if ((to - from) / bucket > MAX_BUCKETS) throw refuseFields([{ path: '/bucket', message: TOO_SMALL }])

    const query = { tenantId: callerOf(request).tenantId, from, to, bucket }
    const [buckets, limited] = await Promise.all([deps.index.stats(query), deps.limitedSends.stats(query)])
    return {
      from: toIso(from),
      to: toIso(to),
      bucket: bucketSeconds,
      buckets: buckets.map(toBucket),
      rate_limited: limited.map(toLimited),
    }
  })
}

const TOO_SMALL = `must be larger: the period may have at most ${MAX_BUCKETS} buckets`

const Latency = namedObject('Latency', {
  count: Type.Integer(),
  p50_ms: Type.Integer(),
  p95_ms: Type.Integer(),
  max_ms: Type.Integer(),
})

const Bucket = namedObject('StatsBucket', {
  start: Time,
  channel: Enums.Channel(),
  provider: nullable(Type.String({ description: 'Null for messages without an attempt yet.' })),
  statuses: Type.Partial(Type.Record(Enums.MessageStatus(), Type.Integer()), {
    title: 'StatusCounts',
    examples: [{ delivered: 41, failed: 1 }],
  }),
  accept_to_handoff: nullable(Latency),
  handoff_to_delivery: nullable(Latency),
})

function toBucket(bucket: StatsBucket): Static<typeof Bucket> {
  return {
    start: toIso(bucket.start),
    channel: bucket.channel,
    provider: bucket.provider ?? null,
    statuses: bucket.statuses,
    accept_to_handoff: toLatency(bucket.acceptToHandoff),
    handoff_to_delivery: toLatency(bucket.handoffToDelivery),
  }
}

const toLatency = (latency: IndexLatency | undefined): Static<typeof Latency> | null =>
  latency === undefined ? null : { count: latency.count, p50_ms: latency.p50, p95_ms: latency.p95, max_ms: latency.max }

const Limited = namedObject('RateLimitedCount', {
  start: Time,
  channel: Enums.Channel(),
  count: Type.Integer({ description: 'The sends and resends that rate limits refused.', examples: [12] }),
})

const toLimited = ({ start, channel, count }: LimitedBucket): Static<typeof Limited> => ({
  start: toIso(start),
  channel,
  count,
})

const STATS = {
  operationId: 'getStats',
  tags: ['operations'],
  summary: 'Get message statistics',
  description:
    'Counts and latencies by creation time, channel and provider. Defaults to the last 24 hours in buckets of an hour. ' +
    '`rate_limited` are the calls that rate limits refused, counted by minute and a few seconds behind.',
  querystring: Type.Object(
    {
      from: fromTime('Created'),
      to: untilTime('Created'),
      bucket: Type.Optional(
        Type.Integer({ description: 'The length of a bucket in seconds.', minimum: 1, maximum: 31_536_000 }),
      ),
    },
    { additionalProperties: false },
  ),
  response: responses(
    {
      200: {
        description: 'The statistics.',
        schema: namedObject('Stats', {
          from: Time,
          to: Time,
          bucket: Type.Integer(),
          buckets: Type.Array(Bucket),
          rate_limited: Type.Array(Limited),
        }),
      },
    },
    'VALIDATION_ERROR',
  ),
}
