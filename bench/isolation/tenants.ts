/** Requests of several tenants of one gateway, for which its operator acts. */
import { setTimeout as wait } from 'node:timers/promises'
import { newRun, TEXT, toHeaders } from '../messages.ts'
import type { Request } from '../request.ts'
import type { Gateway } from '../server.ts'

export type Tenant = Readonly<{
  headers: Readonly<Record<string, string>>
  /** Returns the status. Rejects when the signal aborts. */
  ask: (method: 'GET' | 'POST', path: string, body?: object, signal?: AbortSignal) => Promise<Answer>
}>

export type Answer = Readonly<{ status: number; body: Readonly<Record<string, unknown>> }>

export function tenantOf({ port, token }: Pick<Gateway, 'port' | 'token'>, id: string): Tenant {
  const headers = { ...toHeaders(token), 'pombo-tenant': id }
  return {
    headers,
    async ask(method, path, body, signal) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ?? null,
      })
      return { status: response.status, body: (await response.json()) as Answer['body'] }
    },
  }
}

export async function saveTemplate({ ask }: Tenant, name: string, text: string): Promise<void> {
  const { status, body } = await ask('POST', '/v1/templates', { name, channel: 'sms', text })
  if (status !== 201) throw new Error(`the template was refused: ${JSON.stringify(body)}`)
  // The other processes of a cluster would see it after a second; so do we, to measure the same.
  await wait(1_000)
}

/** Each message has its own key and recipient. */
export const toText = ({ headers }: Tenant): Request => toSend(headers, `"message":"${TEXT}"`)

export const toTemplated = ({ headers }: Tenant, name: string): Request =>
  toSend(headers, `"template":{"name":"${name}","data":{"name":"Ana","order":"1138"}}`)

const toSend = (headers: Tenant['headers'], text: string): Request => ({
  method: 'POST',
  path: '/v1/sms/send',
  headers,
  body: `{"to":"+5511########",${text},"idempotency_key":"isolation-${newRun()}-############"}`,
})

export const LIVENESS: Request = { method: 'GET', path: '/health/live', headers: {}, body: '' }
