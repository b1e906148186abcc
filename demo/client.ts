/** A client of the public API for one account. Refusals are counted; only faults throw. */
import { randomUUID } from 'node:crypto'

export type Answer = Readonly<{ status: number; body: Readonly<Record<string, unknown>> }>
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH'

export type Client = Readonly<{
  call: (method: Method, path: string, body?: object) => Promise<Answer>
  /** Sends with a new idempotency key; returns the id of the message, or undefined if it was refused. */
  send: (path: '/v1/sms/send' | '/v1/email/send' | '/v1/otp/generate', body: object) => Promise<string | undefined>
  tally: Tally
}>

export type Tally = { accepted: number; refused: number }

const TIMEOUT_MS = 30_000

export function openClient(url: string, token: string, tally: Tally): Client {
  const call: Client['call'] = async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return { status: response.status, body: (await response.json()) as Answer['body'] }
  }
  return {
    call,
    tally,
    async send(path, body) {
      const answer = await call('POST', path, { idempotency_key: randomUUID(), ...body })
      tally[answer.status === 202 ? 'accepted' : 'refused'] += 1
      return answer.status === 202 ? String(answer.body['request_id']) : undefined
    },
  }
}

/** For calls that must succeed for the demo to work. */
export async function insist(client: Client, method: Method, path: string, body?: object): Promise<Answer['body']> {
  const answer = await client.call(method, path, body)
  // 409: created by an earlier demo on the same data.
  if (answer.status < 300 || answer.status === 409) return answer.body
  throw new Error(`${method} ${path} was answered ${answer.status}: ${String(answer.body['detail'])}`)
}
