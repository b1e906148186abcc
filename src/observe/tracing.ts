/** Sends the spans of messages to an OpenTelemetry collector, as OTLP in JSON over HTTP. */
import { setTimeout as wait } from 'node:timers/promises'
import type { HrTime } from '@opentelemetry/api'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { MessageEvent } from '../domain/message/events.ts'
import type { Clock } from '../lib/clock.ts'
import { instant, later, type Millis, seconds } from '../lib/time.ts'
import type { Ids } from '../ports/world.ts'
import { openSpans, type Span } from './tracing-spans.ts'

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
  const toSpan = openSpans(options.ids)
  const toReadable = await openMould(serviceName)

  return {
    observe(event) {
      const span = toSpan(event)
      if (span !== undefined) processor.onEnd(toReadable(span))
    },
    async [Symbol.asyncDispose]() {
      // When one batch fails, the processor no longer waits for the others; the exporter does.
      const flushed = Promise.allSettled([processor.shutdown()]).then(() => otlp.forceFlush())
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
  function lost(count: number, cause: Error): void {
    const now = clock()
    if (now < quietUntil) return
    quietUntil = later(now, QUIET)
    onFault(new Error(`${count} spans could not be exported`, { cause }))
  }
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) lost(spans.length, result.error)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}

/** Casts a span into the form the SDK works with: its own tracer would choose the ids itself. */
async function openMould(serviceName: string): Promise<(span: Span) => ReadableSpan> {
  const { SpanKind, SpanStatusCode, TraceFlags } = await import('@opentelemetry/api')
  const { defaultResource, resourceFromAttributes } = await import('@opentelemetry/resources')
  const resource = defaultResource().merge(resourceFromAttributes({ 'service.name': serviceName }))
  const instrumentationScope = { name: 'pombo' }
  const toContext = (traceId: string, spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED })

  return ({ traceId, id, parent, name, isCall, start, end, failed, code, attributes }) => {
    const context = toContext(traceId, id)
    return {
      resource,
      instrumentationScope,
      name,
      kind: isCall ? SpanKind.CLIENT : SpanKind.INTERNAL,
      spanContext: () => context,
      ...(parent === undefined ? {} : { parentSpanContext: toContext(traceId, parent) }),
      startTime: toHrTime(start),
      endTime: toHrTime(end),
      duration: toHrTime(end - start),
      ended: true,
      status: {
        code: failed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET,
        ...(failed && code !== undefined ? { message: code } : {}),
      },
      attributes,
      links: [],
      events: [],
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    }
  }
}

const toHrTime = (millis: number): HrTime => [Math.floor(millis / 1000), (millis % 1000) * 1_000_000]
