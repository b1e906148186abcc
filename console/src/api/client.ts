/** The HTTP API, typed by its own document. A refusal is thrown as a `Problem`, with the words of the gateway. */
import createClient from 'openapi-fetch'
import { TEXTS } from '../texts.ts'
import type { components, paths } from './schema.gen.d.ts'
import { currentSession, endSession } from './session.ts'

export const api = createClient<paths>({ baseUrl: '' })

api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(authorization())) request.headers.set(name, value)
    return request
  },
  onResponse({ response }) {
    if (response.status === 401) endSession()
  },
})

type ProblemBody = components['schemas']['Problem']

export class Problem extends Error {
  readonly status: number
  readonly body: Partial<ProblemBody>

  constructor(status: number, body: Partial<ProblemBody>) {
    super(body.detail ?? body.title ?? TEXTS.common.answered(status))
    this.status = status
    this.body = body
  }
}

/** What went wrong, in the words of the gateway; a browser has its own for a gateway that it does not reach. */
export function toWords(error: unknown): string {
  if (error instanceof TypeError) return TEXTS.common.unreachable
  return error instanceof Error ? error.message : TEXTS.common.wentWrong
}

/** Whether what was asked for is not there, or not any more. */
export const isMissing = (error: unknown): boolean => error instanceof Problem && error.status === 404

/** What exactly is wrong, field by field, where the gateway says so. */
export const detailsOf = (error: unknown): NonNullable<ProblemBody['details']> =>
  error instanceof Problem ? (error.body.details ?? []) : []

type Result<Data> = Readonly<{ data?: Data; error?: unknown; response: Response }>

/** What was asked for, or a throw. Every call goes through it: `await take(api.GET('/v1/providers'))`. */
export async function take<Data>(call: Result<Data> | Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await call
  if (!response.ok) throw new Problem(response.status, (error ?? {}) as Partial<ProblemBody>)
  return data as Data
}

export function authorization(): Record<string, string> {
  const session = currentSession()
  return session === undefined ? {} : { authorization: `Bearer ${session.token}` }
}

export type Message = components['schemas']['Message']
export type MessageDetails = components['schemas']['MessageDetails']
export type TimelineEvent = MessageDetails['events'][number]
