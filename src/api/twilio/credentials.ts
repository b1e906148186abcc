/**
 * The credentials of Twilio's API: HTTP Basic, with an API key or a token as the password. The user name is the account SID
 * or any API key SID (`SK…`); it proves nothing, and must not contradict the password.
 */
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import { type Refusal, refuse } from '../../flows/errors.ts'
import { isSame } from '../../lib/constant-time.ts'
import type { Authenticator, Presented } from '../http/auth.ts'
import { callerOf } from '../http/context.ts'
import { toAccountSid } from './account-sid.ts'
import { noResource } from './errors.ts'

export type Credentials = Readonly<{ user: string; password: string }>

const BASIC = /^Basic ([A-Za-z0-9+/=]+)$/i
/** What may follow `Bearer`. */
const TOKEN = /^[\w.-]+$/
const MISSING = 'Send your account SID and an API key as HTTP Basic credentials'
const API_KEY_SID = /^SK[0-9a-f]{32}$/i

export function readCredentials({ headers }: Pick<Presented, 'headers'>): Credentials | undefined {
  const [, encoded] = BASIC.exec(headers.authorization ?? '') ?? []
  const [, user, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  return user === undefined || password === undefined ? undefined : { user, password }
}

/** Presents the password as our own API expects it. A session never counts: its cookie is sent without being asked for. */
export const authenticateBasic =
  (authenticate: Authenticator): Authenticator =>
  (request) => {
    const { headers, ip, ips, method } = request
    const password = readCredentials(request)?.password ?? ''
    if (!TOKEN.test(password)) throw wrong(MISSING)
    const presented = { headers: { ...headers, authorization: `Bearer ${password}` }, ip, method }
    return authenticate(ips === undefined ? presented : { ...presented, ips })
  }

/** After the guard: the user name must be that of the account, and the path must name it. */
export const checkAccount: onRequestHookHandler = (request, _reply, done) => {
  const sid = toAccountSid(callerOf(request))
  const user = readCredentials(request)?.user ?? ''
  if (!API_KEY_SID.test(user) && !isSame(sid, user)) return done(wrong('The account SID and the API key do not match'))
  const { account } = request.params as { account?: string }
  const named = account?.replace(/\.json$/, '')
  done(named === undefined || named === sid ? undefined : noResource())
}

/** Signs status callbacks: clients know it as their auth token. */
export function authTokenOf(request: FastifyRequest): string {
  const credentials = readCredentials(request)
  if (credentials === undefined) throw new Error('a route without credentials has no auth token')
  return credentials.password
}

const wrong = (detail: string): Refusal => refuse('UNAUTHENTICATED', detail)
