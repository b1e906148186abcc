/** A fake MessageBird: it accepts messages in the real wire format and builds the callbacks that it would send. */
import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { parse, stringify } from 'node:querystring'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { CallbackRequest } from '../../src/ports/provider.ts'
import { type FakeHttp, type FakeRequest, type FakeResponse, jsonResponse, openFakeHttp } from './fake-http.ts'

export const MESSAGEBIRD = { access_key: 'a-key-nobody-knows', signing_key: 'a-key-that-signs-and-nothing-else' }

export type Order = Readonly<{
  originator: string
  recipients: readonly string[]
  body: string
  type: string
  datacoding: string
  reference?: string
  reportUrl?: string
  validity?: number
}>
export type BirdMessage = Readonly<{ id: string; order: Order; status: string }>

/** Its ways to sign: by JWT, over the URL, over the sorted query. */
export type Generation = 'jwt' | 'address' | 'query'
export const GENERATIONS: readonly Generation[] = ['jwt', 'address', 'query']

export type Reported = Readonly<{ status: string; reason?: string; code?: number; generation?: Generation }>

export type FakeMessageBird = FakeHttp &
  Readonly<{
    /** The accepted messages, oldest first. */
    messages: readonly BirdMessage[]
    /** Sets the status of a message and returns the callback that MessageBird would send. */
    report: (id: string, reported: Reported) => CallbackRequest
  }>

export const refusal = (status: number, code: number, parameter: string | null = null): FakeResponse =>
  jsonResponse(status, { errors: [{ code, description: 'no (correct) recipients found: 15551234567', parameter }] })

export async function openFakeMessageBird(): Promise<FakeMessageBird> {
  const messages: BirdMessage[] = []
  const http = await openFakeHttp((request) => answer(messages, request))
  return {
    ...http,
    messages,
    report: (id, reported) => {
      const index = messages.findIndex((message) => message.id === id)
      const message = messages[index]
      if (message === undefined) throw new Error(`MessageBird has no message ${id}`)
      messages[index] = { ...message, status: reported.status }
      return toCallback(message, reported)
    },
  }
}

function answer(messages: BirdMessage[], { method, path, headers, body }: FakeRequest): FakeResponse {
  if (headers.authorization !== `AccessKey ${MESSAGEBIRD.access_key}`) return refusal(401, 2, 'access_key')
  const { pathname } = new URL(path, 'http://messagebird')
  if (method === 'POST' && pathname === '/messages') return create(messages, JSON.parse(body))
  if (pathname === '/messages') {
    const items = messages.toReversed().map(toJson)
    return jsonResponse(200, { offset: 0, limit: 20, count: items.length, totalCount: items.length, items })
  }
  const one = messages.find(({ id }) => pathname === `/messages/${id}`)
  return one === undefined ? refusal(404, 20, 'message') : jsonResponse(200, toJson(one))
}

function create(messages: BirdMessage[], order: Order): FakeResponse {
  const [recipient = ''] = order.recipients
  if (!/^[1-9]\d{1,14}$/.test(recipient)) return refusal(422, 9, 'recipients')
  if (!order.originator) return refusal(422, 9, 'originator')
  const message = { id: randomBytes(16).toString('hex'), order, status: 'sent' }
  messages.push(message)
  return jsonResponse(201, toJson(message))
}

const toJson = ({ id, order, status }: BirdMessage): object => ({
  id,
  href: `https://rest.messagebird.com/messages/${id}`,
  direction: 'mt',
  ...order,
  reference: order.reference ?? null,
  createdDatetime: new Date().toISOString(),
  recipients: {
    totalCount: 1,
    totalSentCount: 1,
    totalDeliveredCount: 0,
    totalDeliveryFailedCount: 0,
    items: [{ recipient: Number(order.recipients[0]), status, statusDatetime: new Date().toISOString() }],
  },
})

function toCallback({ id, order }: BirdMessage, { status, reason, code, generation = 'jwt' }: Reported) {
  const query = stringify({
    id,
    reference: order.reference,
    recipient: order.recipients[0],
    status,
    ...omitUndefined({ statusReason: reason, statusErrorCode: code }),
    statusDatetime: '2019-01-11T09:17:11+00:00',
  })
  const url = `${order.reportUrl}?${query}`
  return { method: 'GET', url, headers: new Headers(signed(url, generation)), body: new Uint8Array() }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()
const hmac = (data: string | Uint8Array) => createHmac('sha256', MESSAGEBIRD.signing_key).update(data)
const base64url = (json: object): string => Buffer.from(JSON.stringify(json)).toString('base64url')

function signed(url: string, generation: Generation): Record<string, string> {
  const now = Math.floor(Date.now() / 1000)
  if (generation === 'jwt') {
    const claims = { iss: 'MessageBird', nbf: now, exp: now + 60, jti: randomUUID() }
    const text = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ ...claims, url_hash: sha256(url).toString('hex') })}`
    return { 'messagebird-signature-jwt': `${text}.${hmac(text).digest('base64url')}` }
  }
  const params = parse(url.slice(url.indexOf('?') + 1))
  const sorted = stringify(Object.fromEntries(Object.entries(params).toSorted(([a], [b]) => (a < b ? -1 : 1))))
  const about = Buffer.from(`${now}\n${generation === 'address' ? url : sorted}\n`)
  return {
    'messagebird-request-timestamp': `${now}`,
    'messagebird-signature': hmac(Buffer.concat([about, sha256('')])).digest('base64'),
  }
}
