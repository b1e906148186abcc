/** The messages of the load: the same text to new recipients with new idempotency keys. */

import { randomBytes } from 'node:crypto'
import { omitUndefined } from '../src/lib/omit-undefined.ts'
import type { Request } from './request.ts'

export const TEXT = 'Your parcel is on its way and will be with you before noon.'

/** The prefix of the recipients' numbers. */
const PREFIX = '+5511'

/** Loads on the same gateway must not share keys. */
const toItem = (run: string, prefix = PREFIX): string =>
  `{"to":"${prefix}########","message":"${TEXT}","idempotency_key":"bench-${run}-############"}`

/** Distinguishes the messages of one load from all others. */
export const newRun = (): string => randomBytes(4).toString('hex')

export const toHeaders = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })

export const toSms = (token: string, prefix = PREFIX): Request => ({
  method: 'POST',
  path: '/v1/sms/send',
  headers: toHeaders(token),
  body: toItem(newRun(), prefix),
})

export const BATCH_ITEMS = 1000

export const toBatch = (token: string, prefix = PREFIX): Request => ({
  method: 'POST',
  path: '/v1/messages/batch',
  headers: toHeaders(token),
  body: `{"items":[${new Array(BATCH_ITEMS).fill(toItem(newRun(), prefix)).join(',')}]}`,
})

export type Sender = Readonly<{ port: number; token: string }>

/** Calls the API; throws when it is refused. */
export async function call({ port, token }: Sender, method: string, path: string, body?: object): Promise<unknown> {
  const init = omitUndefined({ method, headers: toHeaders(token), body: body && JSON.stringify(body) })
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

/** Sends one message and returns its id. */
export async function sendOne(sender: Sender): Promise<string> {
  const sms = { to: '+5511987654321', message: TEXT, idempotency_key: `bench-one-${newRun()}` }
  const { id } = (await call(sender, 'POST', '/v1/sms/send', sms)) as { id: string }
  return id
}

/** The magic number that the simulator answers after five seconds. */
const SLOW = '+15005550009'
export const SLOW_SECONDS = 5

/** Sends messages that occupy a provider slot for a while each. */
export async function sendSlow(sender: Sender, count: number): Promise<void> {
  const run = newRun()
  for (let sent = 0; sent < count; sent += BATCH_ITEMS) {
    const items = Array.from({ length: Math.min(BATCH_ITEMS, count - sent) }, (_, nth) => ({
      to: SLOW,
      message: TEXT,
      idempotency_key: `bench-slow-${run}-${sent + nth}`,
    }))
    await call(sender, 'POST', '/v1/messages/batch', { items })
  }
}

export type Timeline = Readonly<{ status: string; timeOf: (eventType: string) => number | undefined }>

type Details = Readonly<{ status: string; events: readonly Readonly<{ event_type: string; at: string }>[] }>

/** The times of a message's events, in milliseconds. */
export async function readTimeline(sender: Sender, id: string): Promise<Timeline> {
  const { status, events } = (await call(sender, 'GET', `/v1/messages/${id}`)) as Details
  return {
    status,
    timeOf(eventType) {
      const event = events.find(({ event_type: type }) => type === eventType)
      return event && Date.parse(event.at)
    },
  }
}
