/**
 * Traces for an OTLP collector. A span is made whole once the event that ends it is in the log, so none
 * is ever open. Events know neither recipient nor body; details of errors stay out, as providers write them.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Attributes, HrTime } from '@opentelemetry/api'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Fact, FactKind, MessageEvent } from './domain/events.ts'
import { isHandoffOver, toStatus } from './domain/states.ts'
import { type Instant, instant, later, type Millis, seconds } from './domain/time.ts'
import type { Clock, Ids } from './ports/world.ts'

export type TracingOptions = Readonly<{
  /** The collector, with or without `/v1/traces`. */
  endpoint: string
  serviceName?: string
  /** How long an export may take with its retries, and closing for the last ones. */
  patience?: Millis
  ids: Pick<Ids, 'attemptId'>
  clock: Clock
  /** Hears that spans were lost, at most once a minute. */
  onFault: (error: Error) => void
}>

export type Tracing = Readonly<{
  /** Makes the span, if any, of an event this process has written. Never throws, never waits. */
  observe: (event: MessageEvent) => void
}> &
  AsyncDisposable

/** When so many spans wait for the collector, new ones are dropped. */
const MAX_WAITING = 8_192

/** The libraries are loaded here and not above, so that they cost nothing where there is no collector. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { endpoint, serviceName = 'pombo', patience = seconds(3) } = options
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')
  const { BatchSpanProcessor } = await import('@opentelemetry/sdk-trace')
  const otlp = new OTLPTraceExporter({ url: toTracesUrl(endpoint), timeoutMillis: patience })
  const processor = new BatchSpanProcessor({ exporter: watched(otlp, options), maxQueueSize: MAX_WAITING })
  const toReadable = await openMould(serviceName)
  const toSpan = openSpans(options.ids)

  return {
    observe(event) {
      const span = toSpan(event)
      if (span !== undefined) processor.onEnd(toReadable(event, span))
    },
    async [Symbol.asyncDispose]() {
      const flushed = Promise.allSettled([processor.shutdown()])
      await Promise.race([flushed, wait(patience, undefined, { ref: false })])
    },
  }
}

function toTracesUrl(endpoint: string): string {
  const url = new URL(endpoint)
  url.pathname = url.pathname.replace(/(?:\/v1\/traces)?\/*$/, '/v1/traces')
  return url.href
}

const QUIET = seconds(60)

/** The exporter, with its failures told. */
function watched(exporter: SpanExporter, { clock, onFault }: TracingOptions): SpanExporter {
  let quietUntil = instant(0)
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined && clock() >= quietUntil) {
          quietUntil = later(clock(), QUIET)
          onFault(new Error(`${spans.length} spans could not be exported`, { cause: result.error }))
        }
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}

type Operation = 'accept' | 'attempt' | 'outcome' | 'receipt' | 'resend'

/** What a fact becomes, and whether it tells of a failure. */
const SPANS: Readonly<Record<FactKind, readonly [Operation | 'none', 'failed'?]>> = {
  MessageCreated: ['accept'],
  MessageValidated: ['none'],
  ValidationFailed: ['outcome', 'failed'],
  HandoffAttempted: ['none'],
  HandoffAccepted: ['outcome'],
  HandoffUnknown: ['outcome', 'failed'],
  RetryScheduled: ['outcome', 'failed'],
  HandoffFailed: ['outcome', 'failed'],
  DeadLettered: ['outcome', 'failed'],
  MessageExpired: ['outcome', 'failed'],
  ResendRequested: ['resend'],
  ProviderAccepted: ['receipt'],
  ProviderDelivered: ['receipt'],
  ProviderBounced: ['receipt', 'failed'],
  ProviderDropped: ['receipt', 'failed'],
  ProviderComplaint: ['receipt', 'failed'],
  ProviderTimedOut: ['receipt', 'failed'],
  MessageErased: ['none'],
}

type Span = Readonly<{ id: string; operation: Operation; parent?: string; start: Instant }>

/** How many attempts are remembered whose first outcome was not the last word. */
const MEMORY = 10_000

/**
 * The first outcome of an attempt makes the span of the attempt, a later one a moment within it. Where
 * the first is forgotten (by a restart, or because another process wrote it), the attempt is told
 * again, with the end known since.
 */
function openSpans(ids: Pick<Ids, 'attemptId'>): (event: MessageEvent) => Span | undefined {
  const told = new Set<string>()
  return (event) => {
    const { cycle, attempt, at, fact, state } = event
    const [operation] = SPANS[fact.kind]
    if (operation === 'none') return undefined
    // The random half of the UUID: whoever knows the message can name the root of its spans.
    const root = state.id.slice(19).replace('-', '')
    if (operation === 'accept') return { id: root, operation, start: at }

    const moment = { id: event.id.slice(0, 16), operation, start: at }
    if (operation === 'resend' || !isMade(event)) return { ...moment, parent: root }

    // From the id the provider gets, so that a call to it can name this span in `traceparent`.
    const id = ids.attemptId({ messageId: state.id, cycle, attempt }).slice(0, 16)
    const { attemptedAt, handoffState } = state
    if (operation === 'receipt' || !isNewest(event) || attemptedAt === undefined || told.has(id)) {
      return { ...moment, parent: id }
    }
    if (told.size === MEMORY) told.clear()
    if (!isHandoffOver(handoffState)) told.add(id)
    return { id, operation: 'attempt', parent: root, start: instant(Math.min(attemptedAt, at)) }
  }
}

/** A cycle that has not made an attempt yet goes by the number of the last one before it. */
const isMade = ({ cycle, attempt, state }: MessageEvent): boolean =>
  attempt > (cycle === state.cycle ? state.attemptsBefore : 0)

const isNewest = ({ cycle, attempt, state }: MessageEvent): boolean =>
  cycle === state.cycle && attempt === state.attempt

/** Gives a span the form the SDK works with. */
async function openMould(serviceName: string): Promise<(event: MessageEvent, span: Span) => ReadableSpan> {
  const { SpanKind, SpanStatusCode, TraceFlags } = await import('@opentelemetry/api')
  const { defaultResource, resourceFromAttributes } = await import('@opentelemetry/resources')
  const resource = defaultResource().merge(resourceFromAttributes({ 'service.name': serviceName }))
  const same = { resource, instrumentationScope: { name: 'pombo' }, ended: true, links: [], events: [] }
  const nothingDropped = { droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 }
  const toContext = (traceId: string, spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED })

  return (event, { id, operation, parent, start }) => {
    const { at, attempt, fact, state } = event
    const isAttempt = operation === 'attempt'
    const context = toContext(state.traceId, id)
    const code = codeOf(fact)
    const failed = { code: SpanStatusCode.ERROR, ...(code === undefined ? {} : { message: code }) }
    return {
      ...same,
      ...nothingDropped,
      name: isAttempt ? `attempt ${attempt}` : operation,
      kind: isAttempt ? SpanKind.CLIENT : SpanKind.INTERNAL,
      spanContext: () => context,
      ...(parent === undefined ? {} : { parentSpanContext: toContext(state.traceId, parent) }),
      startTime: toHrTime(start),
      endTime: toHrTime(at),
      duration: toHrTime(at - start),
      status: SPANS[fact.kind].includes('failed') ? failed : { code: SpanStatusCode.UNSET },
      attributes: toAttributes(event, operation, code),
    }
  }
}

const toHrTime = (millis: number): HrTime => [Math.floor(millis / 1000), (millis % 1000) * 1_000_000]

function codeOf(fact: Fact): string | undefined {
  if (fact.kind === 'MessageExpired') return 'EXPIRED'
  return 'code' in fact ? fact.code : undefined
}

function toAttributes(event: MessageEvent, operation: Operation, code: string | undefined): Attributes {
  const { cycle, attempt, fact, state } = event
  const provider = isNewest(event) && isMade(event) ? state.provider : undefined
  return {
    'messaging.system': 'pombo',
    'messaging.message.id': state.id,
    'messaging.operation.name': operation,
    'pombo.message_id': state.id,
    'pombo.tenant_id': state.tenantId,
    'pombo.cycle': cycle,
    'pombo.attempt': attempt,
    'pombo.event': fact.kind,
    'pombo.status': toStatus(state),
    ...(provider === undefined ? {} : { 'pombo.provider': provider }),
    ...(code === undefined ? {} : { 'pombo.error_code': code }),
  }
}
