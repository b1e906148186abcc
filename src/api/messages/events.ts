/**
 * A live stream of integration events, as server-sent events
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 *
 * The id of an event is its position in the log. Of several events at one position only the last has the id, so a
 * client that reconnects with `Last-Event-ID` misses nothing.
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
import { queryText, responses } from '../http/schemas.ts'
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

  // HEAD would have to wait for a stream that never ends.
  const options = { schema: EVENTS, onRequest: guard('messages:read'), exposeHeadRoute: false }
  app.get('/v1/events', options, async (request, reply) => {
    const disconnected = new AbortController()
    const signal = AbortSignal.any([closing.signal, disconnected.signal])
    const from = await startOf(log, request.headers['last-event-id'])
    const wanted = { ...request.query, tenantId: callerOf(request).tenantId }
    const stream = Readable.from(frames({ log, heartbeat }, from, wanted, signal), { highWaterMark: 1 })
    // Not on the stream's own 'close', which comes only after the generator that waits for this signal.
    reply.raw.once('close', () => disconnected.abort())
    stream.once('error', (err) => logger.warn({ ...toLogFields(request), err }, 'event stream failed'))
    reply.headers(HEADERS)
    return stream
  })
}

/** An id beyond the tip, perhaps from before a restore, starts at the tip. */
async function startOf(log: EventLog, lastEventId: string | undefined): Promise<Position> {
  const tip = await log.tip()
  if (lastEventId === undefined) return tip
  if (!/^\d{1,15}$/.test(lastEventId))
    throw refuseFields([{ path: '/last-event-id', message: 'must be the id of an event' }])
  return Math.min(Number(lastEventId), tip) as Position
}

type Wanted = Static<typeof EventFilter> & Readonly<{ tenantId: TenantId }>

/** Reads a page only after the previous one was consumed: a slow client does not pile up memory. */
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
    const page = await orIdle(next, heartbeat)
    if (page === 'idle') {
      // An id without data moves Last-Event-ID past events that the filter excludes.
      yield `: keep-alive\nid: ${reached}\n\n`
      continue
    }
    if (page.done) return
    reached = page.value.at(-1)?.position ?? reached
    const text = page.value.map((followed) => toFrames(followed, wanted)).join('')
    if (text !== '') yield text
    next = pages.next()
  }
}

async function orIdle<Value>(next: Promise<Value>, after: Millis): Promise<Value | 'idle'> {
  const { promise: idle, resolve } = Promise.withResolvers<'idle'>()
  const timer = setTimeout(resolve, after, 'idle')
  try {
    return await Promise.race([next, idle])
  } finally {
    clearTimeout(timer)
  }
}

function toFrames(followed: Followed, wanted: Wanted): string {
  const { messageId, position } = followed
  if ((wanted.message_id?.toLowerCase() ?? messageId) !== messageId) return ''
  // Engines may decode an event lazily, so this comes after the cheap check.
  const { event } = followed
  const { tenantId, channel } = event.state
  if (tenantId !== wanted.tenantId || (wanted.channel ?? channel) !== channel) return ''
  return toIntegrationEvents(event)
    .filter(({ name }) => (wanted.event ?? name) === name)
    .map(({ name, data }, index, all) => {
      const id = index === all.length - 1 ? `id: ${position}\n` : ''
      return `${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
    })
    .join('')
}

const EventFilter = Type.Object(
  {
    channel: Type.Optional(Type.Enum(CHANNELS)),
    message_id: Type.Optional(queryText('The `id` of a message.', 36)),
    event: Type.Optional(Type.Enum(EVENT_NAMES, { description: 'An event name.' })),
  },
  { additionalProperties: false },
)

const EVENTS = {
  operationId: 'streamEvents',
  tags: ['events'],
  summary: 'Stream events',
  description:
    'Server-sent events, starting now or after `Last-Event-ID`. An event may be repeated after a reconnect, but none is skipped. The schema of each event is published under its name.',
  querystring: EventFilter,
  headers: Type.Object({
    'last-event-id': Type.Optional(Type.String({ description: 'The id of the last event received.' })),
  }),
  response: responses(
    { 200: { description: 'The stream.', schema: Type.String(), type: 'text/event-stream' } },
    'VALIDATION_ERROR',
  ),
}
