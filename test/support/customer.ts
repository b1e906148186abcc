/** A customer that is told of its messages: a real server with a path for each hook, which remembers every call. */
import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { type Heard, openFakeHttp, type Said } from './fake-http.ts'

/** A call, as the customer reads it. */
export type Told = Readonly<{
  id: string
  type: string
  data: Readonly<Record<string, unknown>>
  heard: Heard
}>

export type Hook = Readonly<{
  url: string
  /** All calls so far, in the order in which they came, however they were answered. */
  told: () => readonly Told[]
}>

export type Customer = AsyncDisposable &
  Readonly<{
    /** `answer` says how the nth call is answered, from 1 on: by default always well. */
    hook: (answer?: (nth: number) => Said) => Hook
  }>

export const THANKS: Said = { status: 204, body: '' }
export const BROKEN: Said = { status: 500, body: '' }
export const GONE: Said = { status: 410, body: '' }

export async function openCustomer(): Promise<Customer> {
  const answers = new Map<string, (nth: number) => Said>()
  const callsOf = (path: string): readonly Heard[] => http.heard.filter((one) => one.path === path)
  const http = await openFakeHttp(({ path }) => answers.get(path)?.(callsOf(path).length) ?? BROKEN)
  return {
    hook(answer = () => THANKS) {
      const path = `/${randomUUID()}`
      answers.set(path, answer)
      return { url: `${http.url}${path}`, told: () => callsOf(path).map(toTold) }
    },
    [Symbol.asyncDispose]: () => http[Symbol.asyncDispose](),
  }
}

function toTold(heard: Heard): Told {
  const { type, data } = JSON.parse(heard.body)
  return { id: String(heard.headers['webhook-id']), type, data, heard }
}

/** Whether it is signed with this secret, in the judgement of the package that customers use. */
export function isSigned({ heard: { body, headers } }: Told, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}
