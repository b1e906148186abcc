/** Sends SMS through a gateway and reads their state. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { MessageDetails, MessageRow, TimelineEvent } from '../../src/api/messages/message-schemas.ts'
import type { Answer, Gateway } from './gateway.ts'
import { until, type WaitOptions } from './until.ts'

export type Sms = Readonly<{
  to: string
  message: string
  idempotency_key: string
  sender_id?: string
  lane?: 'transactional' | 'bulk'
  metadata?: Readonly<Record<string, string>>
  tags?: readonly string[]
  expires_at?: string
  callback_url?: string
}>

export type Accepted = Readonly<{
  request_id: string
  status: 'accepted'
  created_at: string
  accepted_at: string
  segments: number
  encoding: string
}>

export type Page = Readonly<{ items: readonly MessageRow[]; next_cursor: string | null }>
export type Received = Readonly<{ to: string; body: string; attempt_id: string; message_id: string }>

/** A magic recipient: `+1500555` and these digits. */
export const magic = (digits: string): string => `+1500555${digits}`

let lastNumber = 0
/** An ordinary number, unique in this test process. */
export function freshNumber(): string {
  lastNumber += 1
  return `+15551${String(lastNumber).padStart(6, '0')}`
}

export const someSms = (sms: Partial<Sms> = {}): Sms => ({
  to: freshNumber(),
  message: 'Your parcel is on its way.',
  idempotency_key: randomUUID(),
  ...sms,
})

export const post = (gateway: Gateway, sms: Sms): Promise<Answer<Accepted>> =>
  gateway.call<Accepted>('POST', '/v1/sms/send', sms)

/** Sends a message that must be accepted, and returns its id. */
export async function send(gateway: Gateway, sms: Partial<Sms> = {}): Promise<string> {
  const { status, body, text } = await post(gateway, someSms(sms))
  assert.equal(status, 202, text)
  return body.request_id
}

export async function show(gateway: Gateway, id: string): Promise<MessageDetails> {
  const { status, body, text } = await gateway.call<MessageDetails>('GET', `/v1/messages/${id}`)
  assert.equal(status, 200, text)
  return body
}

export const kindsOf = ({ events }: Pick<MessageDetails, 'events'>): string[] =>
  events.map(({ event_type }) => event_type)

/** A payload field that only some kinds of event have. */
export const payloadField = ({ payload }: TimelineEvent, field: string): unknown =>
  (payload as Readonly<Record<string, unknown>>)[field]

/** Waits for an event of this kind in the timeline, and returns the message. */
export const untilEvent = (
  gateway: Gateway,
  id: string,
  kind: string,
  options?: WaitOptions,
): Promise<MessageDetails> =>
  until(
    `${kind} of ${id}`,
    async () => {
      const message = await show(gateway, id)
      return kindsOf(message).includes(kind) && message
    },
    options,
  )

export const untilStatus = (
  gateway: Gateway,
  id: string,
  status: MessageRow['status'],
  options?: WaitOptions,
): Promise<MessageDetails> =>
  until(
    `${id} to be ${status}`,
    async () => {
      const message = await show(gateway, id)
      return message.status === status && message
    },
    options,
  )

/** The messages a handset received, newest first. */
export async function inboxOf(gateway: Pick<Gateway, 'call'>, to: string): Promise<readonly Received[]> {
  const path = `/v1/simulator/inbox?limit=1000&to=${encodeURIComponent(to)}`
  const { body } = await gateway.call<{ items: readonly Received[] }>('GET', path)
  return body.items
}

export async function search(gateway: Gateway, query: Readonly<Record<string, string>>): Promise<Page> {
  const { status, body, text } = await gateway.call<Page>('GET', `/v1/messages?${new URLSearchParams(query)}`)
  assert.equal(status, 200, text)
  return body
}

/** Waits until the index has caught up with the log. */
export const untilIndexed = (gateway: Gateway, options?: WaitOptions): Promise<boolean> =>
  until('the index to catch up', async () => (await metric(gateway, 'pombo_index_lag_events')) === 0, options)

/** The sum of a metric over all its labels. */
export async function metric(gateway: Gateway, name: string): Promise<number> {
  const { text } = await gateway.call('GET', '/metrics')
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
