/** The HTTP API client, typed from the OpenAPI document. Error responses are thrown as a `Problem`. */
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

/** The message to show for an error. `fetch` throws a TypeError when the gateway is unreachable. */
export function toErrorText(error: unknown): string {
  if (error instanceof TypeError) return TEXTS.common.unreachable
  return error instanceof Error ? error.message : TEXTS.common.wentWrong
}

export const isNotFound = (error: unknown): boolean => error instanceof Problem && error.status === 404

/** The field-level errors of a problem response. */
export const detailsOf = (error: unknown): NonNullable<ProblemBody['details']> =>
  error instanceof Problem ? (error.body.details ?? []) : []

type Result<Data> = Readonly<{ data?: Data; error?: unknown; response: Response }>

/** The response body, or a thrown `Problem`: `await unwrap(api.GET('/v1/providers'))`. */
export async function unwrap<Data>(call: Result<Data> | Promise<Result<Data>>): Promise<Data> {
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
