/** The HTTP API client, typed from the OpenAPI document. Error responses are thrown as a `Problem`. */
import createClient from 'openapi-fetch'
import { COMMON_TEXTS } from '../texts/common.ts'
import { isAttended } from './activity.ts'
import type { components, paths } from './schema.gen.d.ts'
import { currentSession, endSession, refreshSession } from './session.ts'

export const api = createClient<paths>({ baseUrl: '' })

api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(callHeaders(request.method))) request.headers.set(name, value)
    return request
  },
  async onResponse({ response }) {
    if (response.status === 401) endSession()
    if (response.status === 403 && (await codeOf(response)) === 'INVALID_CSRF_TOKEN') void refreshSession()
  },
})

type ProblemBody = components['schemas']['Problem']

export class Problem extends Error {
  readonly status: number
  readonly body: Partial<ProblemBody>

  constructor(status: number, body: Partial<ProblemBody>) {
    super(body.detail ?? body.title ?? COMMON_TEXTS.answered(status))
    this.status = status
    this.body = body
  }
}

/** The message to show for an error. `fetch` throws a TypeError when the gateway is unreachable. */
export function toErrorText(error: unknown): string {
  if (error instanceof TypeError) return COMMON_TEXTS.unreachable
  return error instanceof Error ? error.message : COMMON_TEXTS.wentWrong
}

/** The code of a problem response. */
async function codeOf(response: Response): Promise<unknown> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return (body as Partial<ProblemBody> | undefined)?.error_code
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

/** What proves who is calling, and whether a person made the call. */
export function callHeaders(method = 'GET'): Record<string, string> {
  const attended: Record<string, string> = isAttended() ? {} : { 'pombo-background': 'true' }
  const { credentials } = currentSession() ?? {}
  if (credentials === undefined) return attended
  if (credentials.kind === 'token') return { ...attended, authorization: `Bearer ${credentials.token.text}` }
  return method === 'GET' ? attended : { ...attended, 'x-csrf-token': credentials.csrfToken }
}

export type Message = components['schemas']['Message']
export type MessageDetails = components['schemas']['MessageDetails']
export type TimelineEvent = components['schemas']['MessageEvent']
export type MessagePage = components['schemas']['MessagePage']
/** How the search text was understood: by what messages were found, and what was looked for before. */
export type SearchReport = NonNullable<MessagePage['search']>
/** `gte`: there are at least so many. */
export type Total = components['schemas']['Total']
