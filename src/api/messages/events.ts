/**
 * A live stream of integration events, as server-sent events
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). A stream ends when its caller may no longer read: the
 * token has expired, the key was revoked, the session or the tenant has ended.
 */
import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Static, Type } from 'typebox'
import { parseMessageId, type TenantId } from '../../domain/ids.ts'
import { REFUSALS, Refusal, refuse } from '../../flows/errors.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Millis, millis, seconds } from '../../lib/time.ts'
import type { EventCursors } from '../../ports/event-cursors.ts'
import type { EventFeed } from '../../ports/event-feed.ts'
import { type EventLog, type Position, START } from '../../ports/event-log.ts'
import { type Authenticator, allows, type Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { Enums } from '../http/enums.ts'
import { queryText, responses } from '../http/schemas.ts'
import { refuseFields } from '../http/validation.ts'
import type { EventFilter } from './event-frames.ts'
import { EventHub } from './event-hub.ts'
import { EVENT_NAMES } from './event-schemas.ts'
import { EventStream, type StreamOptions } from './event-stream.ts'

export type EventsDeps = Readonly<{
  log: EventLog
  feed: EventFeed
  eventCursors: EventCursors
  auth: Authenticator
  guard: Guard
  logger: Logger
  heartbeat?: Millis
  streams?: StreamBounds
}>

/** How many streams there may be, of one tenant and of all. */
export type StreamBounds = Readonly<{ perTenant: number; total: number; checkEvery?: Millis }>

const BOUNDS: StreamBounds = { perTenant: 100, total: 2_000 }
const HEARTBEAT = seconds(15)
/** How long a stream may outlive the right to read it. */
const CHECK_EVERY = millis(500)
const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

export function eventRoutes(app: Api, deps: EventsDeps): void {
  const { feed, eventCursors: cursors, guard, logger, heartbeat = HEARTBEAT, streams: bounds = BOUNDS } = deps
  const hub = new EventHub({ feed, cursors, logger, heartbeat })
  const open = new Map<EventStream, FastifyRequest>()
  const checking = setInterval(() => void endForbidden(deps.auth, open), bounds.checkEvery ?? CHECK_EVERY)
  app.addHook('preClose', async () => {
    clearInterval(checking)
    hub.endAll()
  })

  // HEAD would have to wait for a stream that never ends.
  const options = { onRequest: guard('messages:read'), config: { answer: 'stream' }, exposeHeadRoute: false } as const
  app.get('/v1/events', { schema: EVENTS, ...options }, async (request, reply) => {
    const { tenantId } = callerOf(request)
    const position = await startOf(deps, tenantId, request.headers['last-event-id'])
    const filter = toFilter(request.query)
    refuseTooMany(hub, bounds, tenantId)
    const stream = begin(reply, { tenantId, filter, position }, cursors.toId(tenantId, position))
    if (stream === undefined) return
    open.set(stream, request)
    stream.ended.addEventListener('abort', () => open.delete(stream), { once: true })
    hub.add(stream)
  })
}

function refuseTooMany(hub: EventHub, { perTenant, total }: StreamBounds, tenantId: TenantId): void {
  if (hub.countOf(tenantId) >= perTenant) {
    throw refuse('TOO_MANY_REQUESTS', `This tenant has ${perTenant} event streams open, which is the maximum`)
  }
  if (hub.count >= total) {
    throw refuse('UNAVAILABLE', `This process has ${total} event streams open, which is the maximum`)
  }
}

/** Undefined if the caller has left already. `id` is where it resumes if it is cut off before the first event. */
function begin(reply: FastifyReply, options: StreamOptions, id: string): EventStream | undefined {
  const { raw } = reply.hijack()
  if (raw.destroyed) return undefined
  const stream = new EventStream(raw, options)
  raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...HEADERS })
  stream.write(`: listening\nid: ${id}\n\n`)
  return stream
}

/** The beginning of the log is an id that everybody knows. An id beyond the tip, perhaps from before a restore, starts at the tip. */
async function startOf(
  { log, eventCursors }: Pick<EventsDeps, 'log' | 'eventCursors'>,
  tenantId: TenantId,
  lastEventId: string | undefined,
): Promise<Position> {
  const position = lastEventId === BEGINNING ? START : lastEventId && eventCursors.toPosition(tenantId, lastEventId)
  if (lastEventId !== undefined && typeof position !== 'number')
    throw refuseFields([{ path: '/last-event-id', message: 'must be the id of an event' }])
  const tip = await log.tip()
  return typeof position === 'number' ? (Math.min(position, tip) as Position) : tip
}

const BEGINNING = '0'

/** A message id that is none lets nothing through. */
function toFilter({ channel, event, message_id: text }: Static<typeof EventQuery>): EventFilter {
  const messageId = text === undefined ? undefined : (parseMessageId(text) ?? NO_MESSAGE)
  return omitUndefined({ channel, event, messageId })
}

const NO_MESSAGE = 'none' as NonNullable<EventFilter['messageId']>

async function endForbidden(auth: Authenticator, open: ReadonlyMap<EventStream, FastifyRequest>): Promise<void> {
  const check = async ([stream, request]: [EventStream, FastifyRequest]): Promise<void> => {
    if (!(await isAllowed(auth, request))) stream.end()
  }
  await Promise.all([...open].map(check))
}

/** While it cannot be found out, for example because a key set cannot be fetched, the stream goes on. */
async function isAllowed(auth: Authenticator, request: FastifyRequest): Promise<boolean> {
  try {
    const caller = await auth(request)
    return caller.tenantId === callerOf(request).tenantId && allows(caller, 'messages:read')
  } catch (error) {
    return !(error instanceof Refusal && DENIED.has(REFUSALS[error.code].status))
  }
}

const DENIED: ReadonlySet<number> = new Set([401, 403])

const EventQuery = Type.Object(
  {
    channel: Type.Optional(Enums.Channel()),
    message_id: Type.Optional(queryText('The `id` of a message.', 36)),
    event: Type.Optional(Type.Enum(EVENT_NAMES, { title: 'EventName', description: 'An event name.' })),
  },
  { additionalProperties: false },
)

const EVENTS = {
  operationId: 'streamEvents',
  tags: ['events'],
  summary: 'Stream events',
  description:
    'Server-sent events, starting now or after `Last-Event-ID`. An event may be repeated after a reconnect, but none is skipped. The stream ends when the token expires or the key is revoked. The schema of each event is published under its name.',
  querystring: EventQuery,
  headers: Type.Object({
    'last-event-id': Type.Optional(
      Type.String({ description: 'The id of the last event received; `0` starts with the oldest event.' }),
    ),
  }),
  response: responses(
    { 200: { description: 'The stream.', schema: Type.String(), type: 'text/event-stream' } },
    'VALIDATION_ERROR',
  ),
}
