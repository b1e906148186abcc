/**
 * An HTTP server for JSON with no more than the simulator needs. It takes half as long for a call as a framework does,
 * which matters because the simulator stands in for the providers when a cluster is measured.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Call = Readonly<{
  method: string
  path: string
  query: URLSearchParams
  /** Undefined without a body. */
  json: unknown
  /** Aborts when the caller disconnects. */
  signal: AbortSignal
}>

/** `none` closes the connection. */
export type Answer = Written | 'none'
type Written = Readonly<{ status: number; json: unknown; headers?: Readonly<Record<string, string>> }>

export type JsonServerOptions = Readonly<{
  host: string
  port: number
  /** The largest body, in bytes. */
  bodyLimit: number
  /** How long idle connections stay open. */
  keepAliveMillis: number
  /** The maximum number of connections that wait to be accepted. */
  backlog: number
  /** Refuses a call by its path and headers, before its body is read. */
  refuse: (path: string, headers: IncomingMessage['headers']) => Answer | undefined
  onFault: (error: unknown) => void
}>

type Answering = (call: Call) => Promise<Answer>

export type JsonServer = AsyncDisposable &
  Readonly<{
    /** Returns the URL; rejects if the port is in use. */
    listen: (answer: Answering) => Promise<string>
  }>

/** How often a server that closes looks for connections that have become idle. */
const CLOSE_IDLE_EVERY_MS = 50

export const toRefusal = (status: number, code: string, detail: string): Written => ({
  status,
  json: { code, detail },
})

export function openJsonServer(options: JsonServerOptions): JsonServer {
  const { host, port, backlog, keepAliveMillis } = options
  const server = createServer({ keepAliveTimeout: keepAliveMillis })
  return {
    async listen(answer) {
      const serving = { ...options, answer }
      server.on('request', (request, response) => void serve(serving, request, response))
      server.listen({ host, port, backlog })
      await once(server, 'listening')
      return urlOf(server)
    },
    [Symbol.asyncDispose]: () => close(server),
  }
}

/** Only closes connections without a call, and waits for the others. */
async function close(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  const closingIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS)
  await closed
  clearInterval(closingIdle)
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

type Serving = JsonServerOptions & Readonly<{ answer: Answering }>

async function serve(serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const disconnected = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) disconnected.abort()
  })
  try {
    const answer = await answerTo(serving, request, disconnected.signal)
    if (answer === 'none') response.destroy()
    else write(response, answer)
  } catch (error) {
    serving.onFault(error)
    write(response, toRefusal(500, 'INTERNAL_ERROR', 'the simulator failed'))
  }
}

async function answerTo(serving: Serving, request: IncomingMessage, signal: AbortSignal): Promise<Answer> {
  const { method = '', url = '', headers } = request
  const [path = '', query] = url.split('?', 2)
  const refused = serving.refuse(path, headers)
  if (refused !== undefined) return refused
  const body = method === 'POST' ? await readJson(request, serving.bodyLimit) : { json: undefined }
  return 'json' in body
    ? serving.answer({ method, path, query: new URLSearchParams(query), json: body.json, signal })
    : body.refused
}

type Body = Readonly<{ json: unknown }> | Readonly<{ refused: Answer }>

const NOT_JSON: Body = { refused: toRefusal(415, 'INVALID_CONTENT_TYPE', 'the body must be application/json') }
const INVALID_JSON: Body = { refused: toRefusal(400, 'INVALID_JSON', 'the body is not valid JSON') }
const TOO_LARGE: Body = { refused: toRefusal(413, 'BODY_TOO_LARGE', 'the body is too large') }

async function readJson(request: IncomingMessage, limit: number): Promise<Body> {
  const { 'content-type': type = '', 'content-length': length = '0' } = request.headers
  if (!type.startsWith('application/json')) return NOT_JSON
  const text = Number(length) > limit ? undefined : await readText(request, limit)
  if (text === undefined) return TOO_LARGE
  try {
    return { json: JSON.parse(text) }
  } catch {
    return INVALID_JSON
  }
}

/** Undefined if it is longer than the limit; the rest is then read and dropped, so that the caller sees the refusal. */
function readText(request: IncomingMessage, limit: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else resolve(undefined)
    })
    request.on('end', () => resolve(Buffer.concat(chunks).toString()))
    // A caller that has disconnected sees no answer, whatever it is.
    request.on('close', () => resolve(''))
  })
}

/** Header and body leave in one write, because both are text. */
function write(response: ServerResponse, { status, json, headers }: Written): void {
  const text = JSON.stringify(json)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers })
    .end(text)
}
