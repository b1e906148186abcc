/** Exports the spans of messages to an OpenTelemetry collector, as OTLP/JSON over HTTP. */
import { setTimeout as wait } from 'node:timers/promises'
import type { HrTime } from '@opentelemetry/api'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { MessageEvent } from '../domain/message/events.ts'
import type { Clock } from '../lib/clock.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { instant, later, type Millis, seconds } from '../lib/time.ts'
import type { Ids } from '../ports/world.ts'
import type { EmitSpan, Span } from './span.ts'
import { openSpans } from './tracing-spans.ts'

export type TracingOptions = Readonly<{
  /** The URL of the collector, with or without `/v1/traces`. */
  endpoint: string
  serviceName?: string
  /** The timeout of an export with its retries, and of the last export on close. */
  timeout?: Millis
  ids: Pick<Ids, 'attemptId'>
  clock: Clock
  /** Called when spans were lost, at most once a minute. */
  onFault: (error: Error) => void
}>

export type Tracing = Readonly<{
  /** Creates the span of an event, if it has one. Never throws, never waits. */
  observe: (event: MessageEvent) => void
  emit: EmitSpan
}> &
  AsyncDisposable

/** When this many spans wait to be exported, new ones are dropped. */
const MAX_QUEUED = 8_192

/** Loads the libraries only here, so that they cost nothing without a collector. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { endpoint, serviceName = 'pombo', timeout = seconds(3) } = options
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')
  const { BatchSpanProcessor } = await import('@opentelemetry/sdk-trace')
  const otlp = new OTLPTraceExporter({ url: toTracesUrl(endpoint), timeoutMillis: timeout })
  const processor = new BatchSpanProcessor({ exporter: reportingFailures(otlp, options), maxQueueSize: MAX_QUEUED })
  const toSpan = openSpans(options.ids)
  const toReadable = await readableSpans(serviceName)

  const emit: EmitSpan = (span) => processor.onEnd(toReadable(span))

  return {
    observe(event) {
      const span = toSpan(event)
      if (span !== undefined) emit(span)
    },
    emit,
    async [Symbol.asyncDispose]() {
      // After a failed batch the processor no longer waits for the others; the exporter does.
      const flushed = Promise.allSettled([processor.shutdown()]).then(() => otlp.forceFlush())
      await Promise.race([flushed, wait(timeout, undefined, { ref: false })])
    },
  }
}

function toTracesUrl(endpoint: string): string {
  const url = new URL(endpoint)
  url.pathname = url.pathname.replace(/(?:\/v1\/traces)?\/*$/, '/v1/traces')
  return url.href
}

const REPORT_INTERVAL = seconds(60)

/** The exporter, with its failures reported. */
function reportingFailures(exporter: SpanExporter, { clock, onFault }: TracingOptions): SpanExporter {
  let nextReportAt = instant(0)
  function reportLoss(count: number, cause: Error): void {
    const now = clock()
    if (now < nextReportAt) return
    nextReportAt = later(now, REPORT_INTERVAL)
    onFault(new Error(`${count} spans could not be exported`, { cause }))
  }
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error !== undefined) reportLoss(spans.length, result.error)
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
  }
}

/** Converts spans to the form of the SDK. Its own tracer cannot be used, because it chooses the ids itself. */
async function readableSpans(serviceName: string): Promise<(span: Span) => ReadableSpan> {
  const { SpanKind, SpanStatusCode, TraceFlags } = await import('@opentelemetry/api')
  const { defaultResource, resourceFromAttributes } = await import('@opentelemetry/resources')
  const resource = defaultResource().merge(resourceFromAttributes({ 'service.name': serviceName }))
  const instrumentationScope = { name: 'pombo' }
  const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const
  const toContext = (traceId: string, spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED })

  return ({ traceId, id, parent, name, kind, start, end, failed, code, link, attributes }) => {
    const context = toContext(traceId, id)
    return {
      resource,
      instrumentationScope,
      name,
      kind: kinds[kind],
      spanContext: () => context,
      ...omitUndefined({ parentSpanContext: parent === undefined ? undefined : toContext(traceId, parent) }),
      startTime: toHrTime(start),
      endTime: toHrTime(end),
      duration: toHrTime(end - start),
      ended: true,
      status: failed ? omitUndefined({ code: SpanStatusCode.ERROR, message: code }) : { code: SpanStatusCode.UNSET },
      attributes,
      links: link === undefined ? [] : [{ context: toContext(link.traceId, link.spanId) }],
      events: [],
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    }
  }
}

const toHrTime = (millis: number): HrTime => [Math.floor(millis / 1000), (millis % 1000) * 1_000_000]
