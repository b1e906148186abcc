/**
 * One HTTP call to a provider, and how it ended: answered, certainly unsent, or unknown.
 *
 * A call is unsent only if it failed before there was an open connection. Any later failure is unknown, even on the
 * first byte: a server that closes an idle keep-alive connection just as we write to it looks the same as a server
 * that read the request and crashed. Calls are therefore never retried here, and idle connections are closed before
 * servers usually close them.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { LookupFunction } from 'node:net'
import { Agent, type Dispatcher } from 'undici'
import type { SendOutcome } from '../domain/message/outcome.ts'
import { LruCache } from '../lib/lru-cache.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Instant, type Millis, millis, seconds } from '../lib/time.ts'

export type HttpRequest = Readonly<{
  method: 'GET' | 'POST'
  url: string
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
}>

export type HttpAnswer = Readonly<{
  kind: 'answered'
  status: number
  headers: Readonly<IncomingHttpHeaders>
  body: Uint8Array
}>

/** `unsent`: the server received nothing. `unknown`: it may have received and processed the request. */
export type HttpFailure = Readonly<{ kind: 'unsent' | 'unknown'; reason: HttpReason }>

export type Http = Disposable &
  Readonly<{
    /**
     * Never rejects because of the network. The signal is the only timeout. Redirects are returned as answers, not
     * followed.
     */
    send: (request: HttpRequest, signal: AbortSignal) => Promise<HttpAnswer | HttpFailure>
  }>

const REASONS = {
  NAME_NOT_FOUND: "the server's host name could not be resolved",
  ADDRESS_REFUSED: "the server's IP address is not allowed",
  CONNECTION_REFUSED: 'the server refused the connection',
  CONNECTION_FAILED: 'the connection to the server failed',
  TLS_FAILED: 'the TLS handshake with the server failed',
  CONNECTION_LOST: 'the connection was lost before the answer was complete',
  TIMEOUT: 'the server did not answer in time',
  ABORTED: 'the call was aborted',
  INVALID_RESPONSE: 'the server sent an invalid HTTP response',
  RESPONSE_TOO_LARGE: 'the response is larger than the limit',
} as const
export type HttpReason = keyof typeof REASONS

export type HttpOptions = Readonly<{
  /** The maximum size of a response body, in bytes. */
  bodyLimit?: number
  /** The maximum number of connections to one server; further calls wait. */
  maxSockets?: number
  /** Accepts a longer body, cuts it at the limit and closes the connection. */
  truncateBodies?: boolean
  /** Resolves the host name of every new connection; it fails with the code `ADDRESS_REFUSED` to forbid one. */
  lookup?: LookupFunction
}>

/** Servers commonly close idle connections after five seconds or more. A shorter announced timeout is honoured. */
const IDLE = seconds(4)
/** Only for connections that no call waits for any more. */
const CONNECT = seconds(30)
const BODY_LIMIT = 1024 * 1024
const PARSED_URLS = 256

type Target = Readonly<{ origin: string; path: string; isSecure: boolean }>
type Client = Readonly<{ agent: Agent; urls: LruCache<string, Target>; bodyLimit: number; truncateBodies: boolean }>

export function openHttp(options: HttpOptions = {}): Http {
  const { bodyLimit = BODY_LIMIT, maxSockets, truncateBodies = false, lookup } = options
  const agent = new Agent({
    connect: omitUndefined({ timeout: CONNECT, lookup }),
    ...omitUndefined({ connections: maxSockets }),
    keepAliveTimeout: IDLE,
    keepAliveMaxTimeout: IDLE,
    // The signal is the only timeout.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const client: Client = { agent, urls: new LruCache(PARSED_URLS), bodyLimit, truncateBodies }
  return {
    send: (request, signal) => send(client, request, signal),
    [Symbol.dispose]: () => void agent.destroy(),
  }
}

function send(client: Client, request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer | HttpFailure> {
  if (signal.aborted) return Promise.resolve({ kind: 'unsent', reason: abortReason(signal) })
  return new Promise((resolve) => {
    const { origin, path, isSecure } = targetOf(client, request.url)
    const { method, headers = {}, body = null } = request
    const call = new Call(client, isSecure, signal, resolve)
    client.agent.dispatch({ origin, path, method, headers, body }, call)
  })
}

/** Most calls go to the same few URLs. */
function targetOf({ urls }: Client, text: string): Target {
  const known = urls.get(text)
  if (known !== undefined) return known
  const { origin, pathname, search, protocol } = new URL(text)
  const target = { origin, path: `${pathname}${search}`, isSecure: protocol === 'https:' }
  urls.set(text, target)
  return target
}

/** One call: the client tells it when it has an open connection and begins to write, and then what it reads. */
class Call implements Dispatcher.DispatchHandler {
  readonly #client: Client
  readonly #isSecure: boolean
  readonly #signal: AbortSignal
  readonly #resolve: (result: HttpAnswer | HttpFailure) => void
  readonly #abort = (): void => this.#fail(abortReason(this.#signal))
  readonly #chunks: Uint8Array[] = []
  /** Nothing is written before it is there. */
  #connection: Dispatcher.DispatchController | undefined
  #isOver = false
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #size = 0

  constructor(
    client: Client,
    isSecure: boolean,
    signal: AbortSignal,
    resolve: (result: HttpAnswer | HttpFailure) => void,
  ) {
    this.#client = client
    this.#isSecure = isSecure
    this.#signal = signal
    this.#resolve = resolve
    signal.addEventListener('abort', this.#abort, { once: true })
  }

  /** A call that ended while it waited for a connection is not written. */
  onRequestStart(connection: Dispatcher.DispatchController): void {
    if (this.#isOver) connection.abort(new Error('the call has ended'))
    else this.#connection = connection
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#size += chunk.length
    if (this.#size <= this.#client.bodyLimit) {
      this.#chunks.push(chunk)
    } else if (this.#client.truncateBodies) {
      this.#answer()
      this.#close()
    } else {
      this.#fail('RESPONSE_TOO_LARGE')
    }
  }

  onResponseEnd(): void {
    this.#answer()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(this.#connection === undefined ? toConnectReason(error, this.#isSecure) : toLossReason(error))
  }

  #answer(): void {
    const [status, headers, chunks] = [this.#status, this.#headers, this.#chunks]
    const [first] = chunks
    const body = first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
    this.#end({ kind: 'answered', status, headers, body })
  }

  #fail(reason: HttpReason): void {
    if (this.#isOver) return
    this.#end({ kind: this.#connection === undefined ? 'unsent' : 'unknown', reason })
    this.#close()
  }

  #end(result: HttpAnswer | HttpFailure): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#signal.removeEventListener('abort', this.#abort)
    this.#resolve(result)
  }

  #close(): void {
    this.#connection?.abort(new Error('the call has ended'))
  }
}

const abortReason = ({ reason }: AbortSignal): HttpReason =>
  reason instanceof DOMException && reason.name === 'TimeoutError' ? 'TIMEOUT' : 'ABORTED'

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')

/** The connection was open. */
function toLossReason(error: Error): HttpReason {
  const isInvalid = error.name === 'HTTPParserError' || error.message === 'bad upgrade'
  return isInvalid ? 'INVALID_RESPONSE' : 'CONNECTION_LOST'
}

const CONNECT_REASONS = new Map<string, HttpReason>([
  ['ENOTFOUND', 'NAME_NOT_FOUND'],
  ['EAI_AGAIN', 'NAME_NOT_FOUND'],
  ['ADDRESS_REFUSED', 'ADDRESS_REFUSED'],
  ['ECONNREFUSED', 'CONNECTION_REFUSED'],
  ['ETIMEDOUT', 'CONNECTION_FAILED'],
  ['EHOSTUNREACH', 'CONNECTION_FAILED'],
  ['ENETUNREACH', 'CONNECTION_FAILED'],
  ['UND_ERR_CONNECT_TIMEOUT', 'CONNECTION_FAILED'],
])

/** There was no connection yet: nothing is written before a handshake is complete, as there is no TLS early data. */
const toConnectReason = (error: Error, isSecure: boolean): HttpReason =>
  CONNECT_REASONS.get(codeOf(error)) ?? (isSecure ? 'TLS_FAILED' : 'CONNECTION_FAILED')

/** Why a call got no answer, for people. */
export const describeReason = (reason: HttpReason): string => REASONS[reason]

/** The outcome of a send whose call got no answer. */
export function toFailedOutcome({ kind, reason: code }: HttpFailure): SendOutcome {
  const detail = describeReason(code)
  return kind === 'unsent' ? { kind: 'deferred', code, detail, retryAfter: millis(0) } : { kind, code, detail }
}

/** The wait that `Retry-After` asks for, in seconds or as a date; zero if there is none. */
export function retryAfterOf({ headers }: HttpAnswer, now: Instant): Millis {
  const given = headers['retry-after']?.trim() ?? ''
  const wait = /^\d{1,9}$/.test(given) ? Number(given) * 1000 : Date.parse(given) - now
  return millis(wait > 0 ? wait : 0)
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300
