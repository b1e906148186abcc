/** A fake Twilio: it accepts messages in the real wire format and builds the callbacks that it would send. */
import { createHmac, randomBytes } from 'node:crypto'
import type { CallbackRequest } from '../../src/ports/provider.ts'
import { type FakeHttp, type FakeRequest, type FakeResponse, jsonResponse, openFakeHttp } from './fake-http.ts'

export const TWILIO = { account_sid: `AC${'a1'.repeat(16)}`, auth_token: 'a-token-nobody-knows' }

export type TwilioMessage = Readonly<{ sid: string; form: URLSearchParams; status: string; createdAt: number }>

export type FakeTwilio = FakeHttp &
  Readonly<{
    /** The accepted messages, oldest first. */
    messages: readonly TwilioMessage[]
    /** Sets the status of a message and returns the callback that Twilio would send. */
    report: (sid: string, status: string, errorCode?: number) => CallbackRequest
  }>

const MESSAGES = `/2010-04-01/Accounts/${TWILIO.account_sid}/Messages`
const AUTHORIZATION = `Basic ${Buffer.from(`${TWILIO.account_sid}:${TWILIO.auth_token}`).toString('base64')}`

export const refusal = (status: number, code: number): FakeResponse =>
  jsonResponse(status, { code, message: 'To +15551234567 is wrong', more_info: 'https://twilio.example', status })

export async function openFakeTwilio(): Promise<FakeTwilio> {
  const messages: TwilioMessage[] = []
  const http = await openFakeHttp((request) => answer(messages, request))
  return {
    ...http,
    messages,
    report: (sid, status, errorCode) => {
      const index = messages.findIndex((message) => message.sid === sid)
      const message = messages[index]
      if (message === undefined) throw new Error(`Twilio has no message ${sid}`)
      messages[index] = { ...message, status }
      return toCallback({ ...message, status }, errorCode)
    },
  }
}

function answer(messages: TwilioMessage[], { method, path, headers, body }: FakeRequest): FakeResponse {
  if (headers.authorization !== AUTHORIZATION) return refusal(401, 20003)
  const url = new URL(path, 'http://twilio')
  if (method === 'POST' && url.pathname === `${MESSAGES}.json`) return create(messages, new URLSearchParams(body))
  if (method === 'GET' && url.pathname === `${MESSAGES}.json`) {
    const to = url.searchParams.get('To')
    const found = messages.filter(({ form }) => form.get('To') === to).toReversed()
    return jsonResponse(200, { messages: found.map(toJson), next_page_uri: null, page_size: 1000 })
  }
  const one = messages.find(({ sid }) => url.pathname === `${MESSAGES}/${sid}.json`)
  return one === undefined ? refusal(404, 20404) : jsonResponse(200, toJson(one))
}

function create(messages: TwilioMessage[], form: URLSearchParams): FakeResponse {
  if (!/^\+[1-9]\d{1,14}$/.test(form.get('To') ?? '')) return refusal(400, 21211)
  if (!form.has('From') && !form.has('MessagingServiceSid')) return refusal(400, 21603)
  if (!form.get('Body')) return refusal(400, 21602)
  const status = form.has('From') ? 'queued' : 'accepted'
  const message = { sid: `SM${randomBytes(16).toString('hex')}`, form, status, createdAt: Date.now() }
  messages.push(message)
  return jsonResponse(201, toJson(message))
}

const toJson = ({ sid, form, status, createdAt }: TwilioMessage): object => ({
  sid,
  status,
  to: form.get('To'),
  from: form.get('From'),
  body: form.get('Body'),
  num_segments: '1',
  direction: 'outbound-api',
  price: null,
  error_code: null,
  error_message: null,
  account_sid: TWILIO.account_sid,
  api_version: '2010-04-01',
  date_created: new Date(createdAt).toUTCString().replace('GMT', '+0000'),
  date_sent: null,
})

function toCallback({ sid, form, status }: TwilioMessage, errorCode?: number): CallbackRequest {
  const url = (form.get('StatusCallback') ?? '').replace(/#.*/, '')
  const params = new URLSearchParams({
    SmsSid: sid,
    SmsStatus: status,
    MessageStatus: status,
    To: form.get('To') ?? '',
    From: form.get('From') ?? '',
    MessageSid: sid,
    AccountSid: TWILIO.account_sid,
    ApiVersion: '2010-04-01',
    ...(errorCode === undefined ? {} : { ErrorCode: `${errorCode}`, ErrorMessage: 'delivery failed' }),
  })
  const data = [...params].toSorted(([one], [other]) => (one < other ? -1 : 1)).flat()
  const signature = createHmac('sha1', TWILIO.auth_token)
    .update([url, ...data].join(''))
    .digest('base64')
  const headers = new Headers({
    'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
    'x-twilio-signature': signature,
  })
  return { method: 'POST', url, headers, body: Buffer.from(`${params}`) }
}
