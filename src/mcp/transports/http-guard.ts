/** What a request over HTTP must fulfil before it is served: no foreign web page, and a bearer token. */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { LOOPBACK } from '../../lib/loopback.ts'

export const PATH = '/mcp'

export type Refused = Readonly<{ status: number; message: string; headers?: Readonly<Record<string, string>> }>

const METHODS = ['GET', 'POST', 'DELETE']

/** `names` are the host names under which clients may reach this server, besides `localhost` and IP addresses. */
export function checkRequest({ method = '', url = '', headers }: IncomingMessage, names: readonly string[]) {
  const [path] = url.split('?')
  if (path !== PATH) return refusal(404, `the endpoint is ${PATH}`)
  if (!METHODS.includes(method)) return refusal(405, 'use POST, GET or DELETE', { allow: METHODS.join(', ') })
  const host = hostnameOf(`http://${headers.host ?? ''}`)
  // A page of another site can reach us under a name of its own (DNS rebinding), but not under an IP address.
  if (host === undefined || !(isAddress(host) || isKnown(host, names))) return refusal(403, FOREIGN_HOST)
  if (headers.origin === undefined) return undefined
  const origin = hostnameOf(headers.origin)
  const isOwn = origin !== undefined && (origin === host || isKnown(origin, names))
  return isOwn ? undefined : refusal(403, 'web pages of other sites may not call this server')
}

const FOREIGN_HOST = 'this server does not answer under this host name; see --allowed-host'

const isKnown = (host: string, names: readonly string[]): boolean => LOOPBACK.test(host) || names.includes(host)

const isAddress = (host: string): boolean => isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0

const hostnameOf = (text: string): string | undefined => (URL.canParse(text) ? new URL(text).hostname : undefined)

const BEARER = /^Bearer [\w.-]+$/i

/** The header as it is, to be passed on. */
export const readAuthorization = ({ headers: { authorization } }: IncomingMessage): string | undefined =>
  authorization !== undefined && BEARER.test(authorization) ? authorization : undefined

export const unauthenticated = (reason?: string): Refused =>
  refusal(401, reason ?? 'send the header Authorization: Bearer <API key>', {
    'www-authenticate': `Bearer realm="pombo"${reason === undefined ? '' : ', error="invalid_token"'}`,
  })

export const refusal = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): Refused => ({
  status,
  message,
  headers,
})
