/** The HTTP API, typed by its own document. A refusal is thrown as a `Problem`, with the words of the gateway. */
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.gen.d.ts'
import { currentSession, signOut } from './session.ts'

export const api = createClient<paths>({ baseUrl: '' })

api.use({
  onRequest({ request }) {
    const session = currentSession()
    if (session !== undefined) request.headers.set('authorization', `Bearer ${session.token}`)
    return request
  },
  onResponse({ response }) {
    if (response.status === 401) signOut()
  },
})

export type ProblemBody = components['schemas']['Problem']

export class Problem extends Error {
  readonly status: number
  readonly body: Partial<ProblemBody>

  constructor(status: number, body: Partial<ProblemBody>) {
    super(body.detail ?? body.title ?? `The gateway answered ${status}.`)
    this.status = status
    this.body = body
  }
}

type Result<Data> = Readonly<{ data?: Data; error?: unknown; response: Response }>

/** What was asked for, or a throw. Every call goes through it: `await take(api.GET('/v1/providers'))`. */
export async function take<Data>(call: Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await call
  if (!response.ok) throw new Problem(response.status, (error ?? {}) as Partial<ProblemBody>)
  return data as Data
}

/** For what is not JSON, such as the source of a mail. */
export async function fetchText(path: string): Promise<string> {
  const response = await fetch(path, { headers: authorization() })
  if (!response.ok) throw new Problem(response.status, await response.json().catch(() => ({})))
  return response.text()
}

export function authorization(): Record<string, string> {
  const session = currentSession()
  return session === undefined ? {} : { authorization: `Bearer ${session.token}` }
}

export type Message = components['schemas']['Message']
export type MessageDetails = components['schemas']['MessageDetails']
export type TimelineEvent = MessageDetails['events'][number]
