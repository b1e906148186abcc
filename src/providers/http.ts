/**
 * One HTTP call to a provider, and how it ended: answered, certainly unsent, or unknown.
 *
 * Unsent is certain only while there was no connection to write to. After that whatever breaks is
 * unknown, even at the first byte: a kept-alive connection that the server closes just as a request
 * leaves looks the same as a server that read the request and died. So nothing is repeated here, and
 * the trap is avoided rather than guessed at: an idle connection is given up before servers do it.
 */
import { type ClientRequest, Agent as HttpAgent, type IncomingHttpHeaders, request as requestByHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestByHttps } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import type { SendOutcome } from '../domain/message/outcome.ts'
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

/** `unsent`: the server cannot have seen any of it. `unknown`: it may have seen and done all of it. */
export type HttpFailure = Readonly<{ kind: 'unsent' | 'unknown'; reason: HttpReason }>

export type Http = Disposable &
  Readonly<{
    /**
     * Never rejects for what the network does; the signal is the only limit of time. Redirects are answers, and are
     * not followed.
     */
    send: (request: HttpRequest, signal: AbortSignal) => Promise<HttpAnswer | HttpFailure>
  }>

const REASONS = {
  NAME_NOT_FOUND: 'the name of the server cannot be resolved',
  ADDRESS_REFUSED: 'the address of the server is none that may be called',
  CONNECTION_REFUSED: 'nothing listens at the address of the server',
  CONNECTION_FAILED: 'no connection to the server could be made',
  TLS_FAILED: 'no trusted connection to the server could be made',
  CONNECTION_LOST: 'the connection broke before the whole answer was there',
  TIMEOUT: 'the answer did not come in time',
  ABORTED: 'the call was given up',
  ANSWER_GARBLED: 'the answer is not one of HTTP to this request',
  ANSWER_TOO_LARGE: 'the answer is larger than any expected',
} as const
export type HttpReason = keyof typeof REASONS

export type HttpOptions = Readonly<{
  /** The most bytes of an answer's body that are read. */
  bodyLimit?: number
  /** The most connections to one server; calls beyond them wait. */
  maxSockets?: number
  /** Leaves the rest of a longer body unread, with its connection; the answer counts all the same. */
  cutsBodies?: boolean
  /** Resolves names, at every new connection; one that fails with the code `ADDRESS_REFUSED` forbids it. */
  lookup?: LookupFunction
}>

/** Servers commonly close idle connections after five seconds or more. One that announces less is believed. */
const IDLE = seconds(4)
const IDLE_SOCKETS = 1024
const BODY_LIMIT = 1024 * 1024

export function openHttp(options: HttpOptions = {}): Http {
  const { bodyLimit = BODY_LIMIT, maxSockets = Number.POSITIVE_INFINITY, cutsBodies = false, lookup } = options
  const kept = { keepAlive: true, timeout: IDLE, maxSockets, maxFreeSockets: IDLE_SOCKETS }
  const settings = lookup === undefined ? kept : { ...kept, lookup }
  const agents = { http: new HttpAgent(settings), https: new HttpsAgent(settings) }
  return {
    send: (request, signal) => send({ agents, bodyLimit, cutsBodies }, request, signal),
    [Symbol.dispose]() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

type Line = Readonly<{
  agents: Readonly<{ http: HttpAgent; https: HttpsAgent }>
  bodyLimit: number
  cutsBodies: boolean
}>

function send(line: Line, given: HttpRequest, signal: AbortSignal): Promise<HttpAnswer | HttpFailure> {
  if (signal.aborted) return Promise.resolve({ kind: 'unsent', reason: toWish(signal) })
  return new Promise((resolve) => {
    const request = open(line, given)
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
    const abort = (): void => fail(toWish(signal))
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
        if (size <= line.bodyLimit) chunks.push(chunk)
        else if (line.cutsBodies) {
          answer()
          request.destroy()
        } else fail('ANSWER_TOO_LARGE')
      })
      response.on('error', (error) => fail(toReason(error, stage)))
      response.once('end', answer)
    })
    // Without a listener Node would drop the connection, and tell nobody.
    request.once('upgrade', () => fail('ANSWER_GARBLED'))
    request.end(given.body)
  })
}

function open({ agents }: Line, { url: text, method, headers = {} }: HttpRequest): ClientRequest {
  const url = new URL(text)
  return url.protocol === 'https:'
    ? requestByHttps(url, { method, headers, agent: agents.https })
    : requestByHttp(url, { method, headers, agent: agents.http })
}

/** How far a connection has come. Nothing is written before it is `open`: there is no early data. */
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

const toWish = ({ reason }: AbortSignal): HttpReason =>
  reason instanceof DOMException && reason.name === 'TimeoutError' ? 'TIMEOUT' : 'ABORTED'

function toReason(error: Error, stage: Stage): HttpReason {
  const code = 'code' in error ? String(error.code) : ''
  if (stage === 'open') return code.startsWith('HPE_') ? 'ANSWER_GARBLED' : 'CONNECTION_LOST'
  if (stage === 'securing') return 'TLS_FAILED'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'NAME_NOT_FOUND'
  if (code === 'ADDRESS_REFUSED') return 'ADDRESS_REFUSED'
  return code === 'ECONNREFUSED' ? 'CONNECTION_REFUSED' : 'CONNECTION_FAILED'
}

/** Why a call got no answer, as a sentence. */
export const sentenceOf = (reason: HttpReason): string => REASONS[reason]

/** What a call that got no answer means for the message it was to hand over. */
export function toFailedOutcome({ kind, reason: code }: HttpFailure): SendOutcome {
  const detail = sentenceOf(code)
  return kind === 'unsent' ? { kind: 'deferred', code, detail, retryAfter: millis(0) } : { kind, code, detail }
}

/** The wait an answer asks for by `Retry-After`, in seconds or until a date; zero when it names none. */
export function retryAfterOf({ headers }: HttpAnswer, now: Instant): Millis {
  const given = headers['retry-after']?.trim() ?? ''
  const wait = /^\d{1,9}$/.test(given) ? Number(given) * 1000 : Date.parse(given) - now
  return millis(wait > 0 ? wait : 0)
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** The body read as JSON; undefined when it is none. */
export function jsonOf({ body }: Readonly<{ body: Uint8Array }>): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}
