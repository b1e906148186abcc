/** Calls of Twilio's API for tests: a form or nothing, with HTTP Basic credentials. */
import type { LightMyRequestResponse } from 'fastify'
import type { AccountId, TenantId } from '../../domain/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { FULL, type openFixture } from '../server.fixture.ts'
import { toAccountSid } from './account-sid.ts'

type Api = Awaited<ReturnType<typeof openFixture>>

/** That of the tokens of the fixture. */
export const ACCOUNT = toAccountSid({ tenantId: FULL.tenant_id as TenantId, accountId: FULL.account_id as AccountId })

export const MESSAGES = `/2010-04-01/Accounts/${ACCOUNT}/Messages`
export const SERVICE = `/v2/Services/VA${'0'.repeat(32)}`

export type Form = Readonly<Record<string, string>>
export type TwilioCall = (
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  form?: Form,
  headers?: Form,
) => Promise<LightMyRequestResponse>

export const basic = (user: string, password: string): Form => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

/** Somebody with a token of these scopes as the auth token. */
export async function twilioCaller(api: Api, scope = FULL.scope): Promise<TwilioCall> {
  const credentials = basic(ACCOUNT, await api.token({ scope }))
  return (method, url, form, headers = {}) => {
    const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    const payload = form === undefined ? undefined : String(new URLSearchParams(form))
    return api.app.inject(omitUndefined({ method, url, headers: { ...credentials, ...type, ...headers }, payload }))
  }
}

/** The status and the code of an error. */
export const errorOf = ({ statusCode, body }: LightMyRequestResponse): readonly [status: number, code: number] => [
  statusCode,
  JSON.parse(body).code,
]
