/** A customer's webhook receiver: a real HTTP server with one path per endpoint, which records every call. */
import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { type FakeRequest, type FakeResponse, openFakeHttp } from './fake-http.ts'

/** A webhook call, parsed. */
export type ReceivedWebhook = Readonly<{
  id: string
  type: string
  data: Readonly<Record<string, unknown>>
  request: FakeRequest
}>

export type Hook = Readonly<{
  url: string
  /** All calls so far in order of arrival, including those answered with an error. */
  received: () => readonly ReceivedWebhook[]
}>

export type Customer = AsyncDisposable &
  Readonly<{
    /** `answer` returns the response to the nth call, counted from 1; the default is always 204. */
    hook: (answer?: (nth: number) => FakeResponse) => Hook
  }>

export const NO_CONTENT: FakeResponse = { status: 204, body: '' }
export const SERVER_ERROR: FakeResponse = { status: 500, body: '' }
export const GONE: FakeResponse = { status: 410, body: '' }

export async function openCustomer(): Promise<Customer> {
  const answers = new Map<string, (nth: number) => FakeResponse>()
  const callsOf = (path: string): readonly FakeRequest[] => http.requests.filter((request) => pathOf(request) === path)
  const http = await openFakeHttp((request) => {
    const path = pathOf(request)
    return answers.get(path)?.(callsOf(path).length) ?? SERVER_ERROR
  })
  return {
    hook(answer = () => NO_CONTENT) {
      const path = `/${randomUUID()}`
      answers.set(path, answer)
      return { url: `${http.url}${path}`, received: () => callsOf(path).map(toReceivedWebhook) }
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}

/** Without a query. */
const pathOf = ({ path }: FakeRequest): string => path.split('?')[0] ?? path

function toReceivedWebhook(request: FakeRequest): ReceivedWebhook {
  const { type, data } = JSON.parse(request.body)
  return { id: String(request.headers['webhook-id']), type, data, request }
}

/** Verifies the signature with the library that customers use. */
export function isSigned({ request: { body, headers } }: ReceivedWebhook, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}
