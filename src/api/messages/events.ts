/**
 * What happens to the caller's messages, as it happens: integration events over server-sent events
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 *
 * The id of an event is its position in the log. One position may bring several events, and only the
 * last of them carries the id; so whoever comes back with `Last-Event-ID` misses nothing.
 */
import { Readable } from 'node:stream'
import type { Logger } from 'pino'
import { type Static, Type } from 'typebox'
import type { TenantId } from '../../domain/ids.ts'
import { toIntegrationEvents } from '../../domain/message/integration-events.ts'
import { CHANNELS } from '../../domain/message/message.ts'
import { type Millis, seconds } from '../../lib/time.ts'
import type { EventLog, Followed, Position } from '../../ports/event-log.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf, toLogFields } from '../http/context.ts'
import { answers, queryText } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import { EVENT_NAMES } from './event-schemas.ts'

export type EventsDeps = Readonly<{ log: EventLog; guard: Guard; logger: Logger; heartbeat?: Millis }>

const PAGE = 256
const HEARTBEAT = seconds(15)
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

export function eventRoutes(app: Api, { log, guard, logger, heartbeat = HEARTBEAT }: EventsDeps): void {
  const closing = new AbortController()
  app.addHook('preClose', async () => closing.abort())

  // A stream has no end to measure, so there is nothing HEAD could tell.
  const options = { schema: EVENTS, onRequest: guard('messages:read'), exposeHeadRoute: false }
  app.get('/v1/events', options, async (request, reply) => {
    const gone = new AbortController()
    const signal = AbortSignal.any([closing.signal, gone.signal])
    const from = await startOf(log, request.headers['last-event-id'])
    const wanted = { ...request.query, tenantId: callerOf(request).tenantId }
    const stream = Readable.from(frames({ log, heartbeat }, from, wanted, signal), { highWaterMark: 1 })
    // Not when the stream closes: it does so only after its generator, which waits for this.
    reply.raw.once('close', () => gone.abort())
    stream.once('error', (err) => logger.warn({ ...toLogFields(request), err }, 'event stream broken off'))
    reply.headers(HEADERS)
    return stream
  })
}

/** A position we never got to, from before a restore perhaps, is as good as now. */
async function startOf(log: EventLog, lastEventId: string | undefined): Promise<Position> {
  const tip = await log.tip()
  if (lastEventId === undefined) return tip
  if (!/^\d{1,15}$/.test(lastEventId))
    throw refuseFields([{ path: '/last-event-id', message: 'must be an id of ours' }])
  return Math.min(Number(lastEventId), tip) as Position
}

type Wanted = Static<typeof EventFilter> & Readonly<{ tenantId: TenantId }>

/** A page is asked for only when the one before was taken, so a slow reader slows nobody else. */
async function* frames(
  { log, heartbeat }: Readonly<{ log: EventLog; heartbeat: Millis }>,
  from: Position,
  wanted: Wanted,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield ': listening\n\n'
  const pages = log.follow(from, PAGE, signal)[Symbol.asyncIterator]()
  let reached = from
  let next = pages.next()
  for (;;) {
    const page = await orQuiet(next, heartbeat)
    if (page === 'noDeliveryReports') {
      // An id without data moves the place to come back to, past what the caller did not want to see.
      yield `: quiet\nid: ${reached}\n\n`
      continue
    }
    if (page.done) return
    reached = page.value.at(-1)?.position ?? reached
    const text = page.value.map((followed) => toFrames(followed, wanted)).join('')
    if (text !== '') yield text
    next = pages.next()
  }
}

async function orQuiet<Value>(next: Promise<Value>, after: Millis): Promise<Value | 'noDeliveryReports'> {
  const { promise: quiet, resolve } = Promise.withResolvers<'noDeliveryReports'>()
  const timer = setTimeout(resolve, after, 'noDeliveryReports')
  try {
    return await Promise.race([next, quiet])
  } finally {
    clearTimeout(timer)
  }
}

function toFrames(followed: Followed, wanted: Wanted): string {
  const { messageId, position } = followed
  if ((wanted.message_id?.toLowerCase() ?? messageId) !== messageId) return ''
  // Read only now: an engine may keep it packed until then.
  const { event } = followed
  const { tenantId, channel } = event.state
  if (tenantId !== wanted.tenantId || (wanted.channel ?? channel) !== channel) return ''
  return toIntegrationEvents(event)
    .filter(({ name }) => (wanted.event ?? name) === name)
    .map(({ name, data }, place, all) => {
      const id = place === all.length - 1 ? `id: ${position}\n` : ''
      return `${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
    })
    .join('')
}

const EventFilter = Type.Object(
  {
    channel: Type.Optional(Type.Enum(CHANNELS)),
    message_id: Type.Optional(queryText('The `id` of one message.', 36)),
    event: Type.Optional(Type.Enum(EVENT_NAMES, { description: 'One kind of event.' })),
  },
  { additionalProperties: false },
)

const EVENTS = {
  operationId: 'streamEvents',
  tags: ['events'],
  summary: 'What happens, as it happens',
  description:
    'Server-sent events, beginning with what happens next, or after `Last-Event-ID`. An event may come twice around a reconnection, and is never left out. The data of each is described by the schema of its name.',
  querystring: EventFilter,
  headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ description: 'Where to go on.' })) }),
  response: answers(
    { 200: { description: 'The stream.', schema: Type.String(), type: 'text/event-stream' } },
    'VALIDATION_ERROR',
  ),
}
