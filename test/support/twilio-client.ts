/** Twilio's own client libraries, unchanged but for the address that they call. */
import assert from 'node:assert/strict'
import twilio from 'twilio'
import type { Gateway } from './gateway.ts'
import type { SharedGateway } from './shared-gateway.ts'
import { until } from './until.ts'

export type TwilioClient = ReturnType<typeof twilio>

type Key = Readonly<{ key: string; twilio_account_sid: string }>

/** An API key, and the account SID that goes with it. */
export type TwilioAccount = Readonly<{ sid: string; key: string }>

export async function createAccount(gateway: Gateway, scopes: readonly string[]): Promise<TwilioAccount> {
  const { status, body, text } = await gateway.call<Key>('POST', '/v1/api-keys', { name: 'Twilio', scopes })
  if (status !== 201) throw new Error(text)
  return { sid: body.twilio_account_sid, key: body.key }
}

/** Their own addresses are replaced, and nothing else. */
export function clientOf({ url }: Pick<Gateway, 'url'>, { sid, key }: TwilioAccount): TwilioClient {
  const client = twilio(sid, key)
  client.api.baseUrl = url
  client.verify.baseUrl = url
  return client
}

export type TwilioWorld = Readonly<{ gateway: SharedGateway; account: TwilioAccount; client: TwilioClient }>

/** For busy machines. */
export const PATIENT = { withinMs: 60_000, everyMs: 100 }

export type TwilioFailure = Readonly<{ status: number; code: number; moreInfo: string; message: string }>

/** What the library throws. */
export async function failureOf(call: Promise<unknown>): Promise<TwilioFailure> {
  try {
    await call
  } catch (error) {
    return error as TwilioFailure
  }
  return assert.fail('the call succeeded')
}

export const untilMessage = (client: TwilioClient, sid: string, status: string) =>
  until(
    `${sid} to be ${status}`,
    async () => {
      const message = await client.messages(sid).fetch()
      return message.status === status && message
    },
    PATIENT,
  )

/** The id of a message in our own API. */
export const toUuid = (sid: string): string => sid.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
