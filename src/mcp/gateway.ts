/** The HTTP API of the gateway, as the tools call it. A failure becomes a `ToolError`, whose text a model can act on. */
import { z } from 'zod'
import { quote } from './plain-text.ts'

export type GatewayCall = Readonly<{
  body?: object
  query?: Readonly<Record<string, string | undefined>>
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
}>

export type Method = 'GET' | 'POST'
export type Unreachable = Readonly<{ unreachable: string }>

/** Sends one request with the credentials of the client. */
export type Send = (method: Method, path: string, call: GatewayCall) => Promise<Response | Unreachable>

/** `replayed`: the gateway repeats its answer to an earlier call with the same idempotency key. */
export type Answer = Readonly<{ body: unknown; replayed: boolean }>
export type Gateway = (method: Method, path: string, call?: GatewayCall) => Promise<Answer>

/** Ends a tool call with a message for the model. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

const ANSWER_WITHIN_MS = 30_000

/** Bounds the time of every call. */
export const inTime =
  (send: Send, withinMs = ANSWER_WITHIN_MS): Send =>
  async (method, path, { signal, ...call }) => {
    const timeout = AbortSignal.timeout(withinMs)
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    try {
      return await send(method, path, { ...call, signal: either })
    } catch (error) {
      if (!timeout.aborted) throw error
      return { unreachable: `the gateway did not answer within ${withinMs / 1000} s` }
    }
  }

export const toGateway =
  (send: Send): Gateway =>
  async (method, path, call = {}) => {
    const response = await send(method, path, call)
    if ('unreachable' in response) throw new ToolError(`${response.unreachable}. The call may be repeated later.`)
    const body = parseJson(await response.text())
    if (!response.ok) throw new ToolError(describe(response.status, body))
    if (body === undefined) throw new ToolError('What answers at this URL is not a Pombo gateway.')
    return { body, replayed: response.headers.get('idempotent-replayed') === 'true' }
  }

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const Problem = z.object({
  error_code: z.string().optional(),
  detail: z.string().optional(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  retry_after: z.number().optional(),
})

const HINTS: Readonly<Record<number, string>> = {
  401: 'The API key or token is wrong, revoked or expired; whoever set up this server must replace it.',
  403: 'The API key or token may not do this.',
}

/** The details of our problems contain no recipient and no text of a message. */
function describe(status: number, body: unknown): string {
  const { data: problem = {} } = Problem.safeParse(body)
  const { error_code: code = '', detail, details = [], retry_after: wait } = problem
  return [
    `The gateway refused the call (${`${status} ${code}`.trim()})${detail === undefined ? '.' : `: ${quote(detail)}`}`,
    ...details.map(({ path, message }) => `- ${quote(path)}: ${quote(message)}`),
    ...(wait === undefined ? [] : [`It may be repeated in ${wait} s.`]),
    ...(HINTS[status] === undefined ? [] : [HINTS[status]]),
  ].join('\n')
}
