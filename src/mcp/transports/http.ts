/**
 * MCP over streamable HTTP. Every client brings its own API key, which is passed on to the gateway and checked there on
 * every request; this process has no credentials.
 */
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Clock } from '../../lib/clock.ts'
import { signal } from '../../lib/signal.ts'
import { millis, seconds } from '../../lib/time.ts'
import { type Access, readAccess } from '../access.ts'
import { inTime, type Send } from '../gateway.ts'
import { openServer, type ServerOptions } from '../server.ts'
import { checkRequest, PATH, type Refused, readAuthorization, refusal, unauthenticated } from './http-guard.ts'
import { Sessions } from './sessions.ts'

export type HttpOptions = Readonly<{
  host: string
  port: number
  /** The host names under which clients may reach this server, besides `localhost` and IP addresses. */
  names: readonly string[]
  clock: Clock
  /** Calls the gateway with these headers. */
  sendWith: (headers: Readonly<Record<string, string>>) => Send
  shared: ServerOptions
  onUnreachable: (reason: string) => void
}>

export type HttpServer = AsyncDisposable & Readonly<{ url: string }>

const BOUNDS = { sessions: 1_000, perOwner: 100, idle: seconds(60 * 60) }
const MAX_CONNECTIONS = 2_000
const MAX_BODY_BYTES = 2 * 1024 * 1024
const FINISH_WITHIN = millis(3_000)

type Deps = HttpOptions & Readonly<{ sessions: Sessions }>

export async function openHttpServer(options: HttpOptions): Promise<HttpServer> {
  const { host, port, clock, shared } = options
  const sessions = new Sessions(clock, BOUNDS)
  const deps = { ...options, sessions }
  const inFlight = new Set<ServerResponse>()
  const done = signal()

  const server = createServer((request, response) => {
    if (request.method === 'POST') inFlight.add(response)
    response.once('close', () => {
      inFlight.delete(response)
      done.notify()
    })
    handle(deps, request, response).catch((error) => {
      shared.onFault(error)
      answer(response, refusal(500, 'this server failed; its log has the reason'))
    })
  })
  server.maxConnections = MAX_CONNECTIONS
  server.listen(port, host)
  await once(server, 'listening')
  const { port: listening } = server.address() as AddressInfo

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${listening}${PATH}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      sessions.endStreams()
      const deadline = AbortSignal.timeout(FINISH_WITHIN)
      while (inFlight.size > 0 && !deadline.aborted) await done.wait(deadline)
      await sessions.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function handle(deps: Deps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const refused = checkRequest(request, deps.names)
  if (refused !== undefined) return answer(response, refused)
  const authorization = readAuthorization(request)
  if (authorization === undefined) return answer(response, unauthenticated())

  const send = deps.sendWith({ authorization, ...forwarded(request) })
  const found = await readAccess(inTime(send))
  if (found.kind === 'unreachable') {
    // Whoever asks has not shown a valid key yet.
    deps.onUnreachable(found.reason)
    return answer(response, refusal(503, 'the gateway cannot be reached', { 'retry-after': '5' }))
  }
  if (found.kind === 'denied') {
    return answer(response, found.status === 401 ? unauthenticated(found.reason) : refusal(403, found.reason))
  }
  const owner = createHash('sha256').update(authorization).digest('base64')
  const id = request.headers['mcp-session-id']
  if (id === undefined) return await begin(deps, { owner, send, access: found.access }, request, response)
  const session = typeof id === 'string' ? deps.sessions.find(id, owner) : undefined
  if (session === undefined) return answer(response, refusal(404, 'there is no such session; initialize another', {}))
  await session.transport.handleRequest(request, response)
}

type Opening = Readonly<{ owner: string; send: Send; access: Access }>

async function begin(
  { sessions, shared }: Deps,
  { owner, send, access }: Opening,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!(await sessions.makeRoom(owner))) return answer(response, refusal(503, 'too many sessions'))
  const server = openServer(shared, send, access)
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    maxRequestBodySize: MAX_BODY_BYTES,
    onsessioninitialized: (id) => sessions.add(id, { owner, server, transport }),
    onsessionclosed: (id) => sessions.end(id),
  })
  await server.connect(transport as Parameters<McpServer['connect']>[0])
  await transport.handleRequest(request, response)
  // Not the beginning of a session: the transport has answered with an error.
  if (transport.sessionId === undefined) await server.close()
}

/** The gateway believes it if this machine is one of its trusted proxies; API keys may be bound to networks. */
function forwarded({ headers, socket }: IncomingMessage): Readonly<Record<string, string>> {
  const earlier = headers['x-forwarded-for']
  const hops = [earlier, socket.remoteAddress].flat().filter((hop) => hop !== undefined)
  return { 'x-forwarded-for': hops.join(', ') }
}

/** Refusals leave the body unread, so the connection ends. */
function answer(response: ServerResponse, { status, message, headers = {} }: Refused): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null })
  response.writeHead(status, { ...headers, 'content-type': 'application/json', connection: 'close' }).end(body)
}
