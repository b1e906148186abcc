/** An OTLP collector on a real socket, and a gateway whose events are traced. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { observedLog } from '../engines/decorators/observed-log.ts'
import {
  ACCEPTS,
  fakeProvider,
  type Gateway,
  type GatewayOptions,
  openGateway,
  START,
  type World,
} from '../flows/gateway.fixture.ts'
import type { Instant } from '../lib/time.ts'
import { openTracing, type Tracing, type TracingOptions } from './tracing.ts'
import { tracedProvider } from './tracing-calls.ts'

type Attribute = Readonly<{ key: string; value: Readonly<{ stringValue?: string; intValue?: number }> }>
export type Span = Readonly<{
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: Readonly<{ code: number; message?: string }>
  links?: readonly Readonly<{ traceId: string; spanId: string }>[]
  attributes: readonly Attribute[]
}>
type ResourceSpans = Readonly<{
  resource: Readonly<{ attributes: readonly Attribute[] }>
  scopeSpans: readonly Readonly<{ spans: readonly Span[] }>[]
}>

export const valuesOf = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))

/** Answers every request with `status`, or starts a response that never ends. */
export async function openCollector(status: number | 'endless' = 200) {
  const requests: Readonly<{ path: string | undefined; body: string }>[] = []
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url, body: await text(request) })
    if (status === 'endless') dripInto(response)
    else response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const read = (): ResourceSpans[] => requests.flatMap(({ body }) => JSON.parse(body).resourceSpans)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: (): Span[] => read().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    resources: () => read().map(({ resource }) => valuesOf(resource.attributes)),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function dripInto(response: ServerResponse): void {
  const dripping = setInterval(() => response.write(' '), 20)
  response.on('close', () => clearInterval(dripping))
}

export const ids = openIds()

export const open = (endpoint: string, wanted: Partial<TracingOptions> = {}): Promise<Tracing> =>
  openTracing({ endpoint, ids, clock: () => START, onFault: assert.ifError, ...wanted })

export function openTracedGateway({ observe, emit }: Tracing, options: GatewayOptions = {}): Gateway {
  const { providers = [fakeProvider([ACCEPTS])], ...others } = options
  let clock = (): Instant => START
  const traced = providers.map((provider) => ({
    ...provider,
    ...tracedProvider({ emit, clock: () => clock() }, provider),
  }))
  const openEngine: World['openEngine'] = (wanted) => {
    clock = wanted.clock
    const engine = openMemoryEngine(wanted)
    return { ...engine, log: observedLog(engine.log, observe) }
  }
  return openGateway({ openEngine, ids }, { ...others, providers: traced })
}

/** Everything the collector received of what happened in `run`. */
export async function trace(options: GatewayOptions, run: (gateway: Gateway) => Promise<void>) {
  await using collector = await openCollector()
  const tracing = await open(collector.url)
  await run(openTracedGateway(tracing, options))
  await tracing[Symbol.asyncDispose]()
  return { spans: collector.spans(), resources: collector.resources(), requests: collector.requests }
}

/** Each span as its name, the name of its parent and its error code. */
export function outline(spans: readonly Span[]): unknown[] {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]))
  return spans.map(({ name, parentSpanId, status: { code, message } }) => [
    name,
    ...(parentSpanId === undefined ? [] : [names.get(parentSpanId)]),
    ...(code === ERROR ? [message] : []),
  ])
}

export const ERROR = 2
