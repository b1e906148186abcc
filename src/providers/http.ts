/**
 * One HTTP call to a provider, and how it ended: answered, certainly unsent, or unknown.
 *
 * A call is unsent only if it failed before there was an open connection. Any later failure is unknown, even on the
 * first byte: a server that closes an idle keep-alive connection just as we write to it looks the same as a server
 * that read the request and crashed. Calls are therefore never retried here, and idle connections are closed before
 * servers usually close them.
 */
import { type ClientRequest, Agent as HttpAgent, type IncomingHttpHeaders, request as requestByHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestByHttps } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import type { SendOutcome } from '../domain/message/outcome.ts'
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

/** Servers commonly close idle connections after five seconds or more. Node honours a shorter announced timeout. */
const IDLE = seconds(4)
const IDLE_SOCKETS = 1024
const BODY_LIMIT = 1024 * 1024

export function openHttp(options: HttpOptions = {}): Http {
  const { bodyLimit = BODY_LIMIT, maxSockets = Number.POSITIVE_INFINITY, truncateBodies = false, lookup } = options
  const settings = omitUndefined({ keepAlive: true, timeout: IDLE, maxSockets, maxFreeSockets: IDLE_SOCKETS, lookup })
  const agents = { http: new HttpAgent(settings), https: new HttpsAgent(settings) }
  return {
    send: (request, signal) => send({ agents, bodyLimit, truncateBodies }, request, signal),
    [Symbol.dispose]() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

type Client = Readonly<{
  agents: Readonly<{ http: HttpAgent; https: HttpsAgent }>
  bodyLimit: number
  truncateBodies: boolean
}>

function send(client: Client, given: HttpRequest, signal: AbortSignal): Promise<HttpAnswer | HttpFailure> {
  if (signal.aborted) return Promise.resolve({ kind: 'unsent', reason: abortReason(signal) })
  return new Promise((resolve) => {
    const request = open(client, given)
    let stage: Stage = 'waiting'
    request.once('socket', (socket) => {
      watch(socket, request.reusedSocket, (reached) => {
        stage = reached
      })
    })

    const end = (result: HttpAnswer | HttpFailure): void => {
      signal.removeEventListener('abort', abort)
      resolve(result)
    }
    const fail = (reason: HttpReason): void => {
      end({ kind: stage === 'open' ? 'unknown' : 'unsent', reason })
      request.destroy()
    }
    const abort = (): void => fail(abortReason(signal))
    signal.addEventListener('abort', abort, { once: true })

    request.on('error', (error) => fail(toReason(error, stage)))
    request.once('response', (response) => {
      const chunks: Uint8Array[] = []
      let size = 0
      const answer = (): void => {
        const { statusCode: status = 0, headers } = response
        end({ kind: 'answered', status, headers, body: Buffer.concat(chunks) })
      }
      response.on('data', (chunk: Uint8Array) => {
        size += chunk.length
        if (size <= client.bodyLimit) chunks.push(chunk)
        else if (client.truncateBodies) {
          answer()
          request.destroy()
        } else fail('RESPONSE_TOO_LARGE')
      })
      response.on('error', (error) => fail(toReason(error, stage)))
      response.once('end', answer)
    })
    // Without a listener Node closes the connection without an event.
    request.once('upgrade', () => fail('INVALID_RESPONSE'))
    request.end(given.body)
  })
}

function open({ agents }: Client, { url: text, method, headers = {} }: HttpRequest): ClientRequest {
  const url = new URL(text)
  return url.protocol === 'https:'
    ? requestByHttps(url, { method, headers, agent: agents.https })
    : requestByHttp(url, { method, headers, agent: agents.http })
}

/** The state of the connection. Nothing is written before it is `open`: there is no TLS early data. */
type Stage = 'waiting' | 'connecting' | 'securing' | 'open'
type MaybeSecure = Socket & Readonly<{ encrypted?: true; secureConnecting?: boolean }>

function watch(socket: MaybeSecure, isReused: boolean, reach: (stage: Stage) => void): void {
  const isSecuring = socket.encrypted === true && socket.secureConnecting === true
  if (isReused || !(socket.connecting || isSecuring)) {
    reach('open')
    return
  }
  reach(socket.connecting ? 'connecting' : 'securing')
  socket.once('connect', () => reach(socket.encrypted ? 'securing' : 'open'))
  if (socket.encrypted) socket.once('secureConnect', () => reach('open'))
}

const abortReason = ({ reason }: AbortSignal): HttpReason =>
  reason instanceof DOMException && reason.name === 'TimeoutError' ? 'TIMEOUT' : 'ABORTED'

function toReason(error: Error, stage: Stage): HttpReason {
  const code = 'code' in error ? String(error.code) : ''
  if (stage === 'open') return code.startsWith('HPE_') ? 'INVALID_RESPONSE' : 'CONNECTION_LOST'
  if (stage === 'securing') return 'TLS_FAILED'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'NAME_NOT_FOUND'
  if (code === 'ADDRESS_REFUSED') return 'ADDRESS_REFUSED'
  return code === 'ECONNREFUSED' ? 'CONNECTION_REFUSED' : 'CONNECTION_FAILED'
}

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
