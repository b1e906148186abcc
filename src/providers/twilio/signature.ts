/**
 * Verifies the signature of a Twilio callback: HMAC-SHA1, keyed with the auth token, over the URL and every form
 * parameter.
 *
 * Twilio's services disagree on whether the URL has the standard port and on how the query is encoded. Like Twilio's own
 * client library, we try every variant.
 */
import { createHash, createHmac } from 'node:crypto'
import { parse, stringify } from 'node:querystring'
import { isSame } from '../../lib/constant-time.ts'
import { toSignedForm } from '../../lib/signed-form.ts'
import type { CallbackRequest } from '../../ports/provider.ts'

export const SIGNATURE_HEADER = 'x-twilio-signature'

/** The parameters of a callback; undefined if Twilio did not sign it. */
export function readSigned(authToken: string, request: CallbackRequest): URLSearchParams | undefined {
  const params = paramsOf(request)
  const given = request.headers.get(SIGNATURE_HEADER) ?? ''
  if (params === undefined || given === '') return undefined
  const isSigned = variantsOf(request.url).map((url) => isSame(toSignature(authToken, url, params), given))
  return isSigned.includes(true) ? params : undefined
}

export const toSignature = (authToken: string, url: string, params: URLSearchParams): string =>
  createHmac('sha1', authToken).update(toSignedForm(url, params)).digest('base64')

/** A body that is not a form is signed by its hash, which is in the URL. */
function paramsOf({ method, url, headers, body }: CallbackRequest): URLSearchParams | undefined {
  if (method !== 'POST') return new URLSearchParams()
  if (/^application\/x-www-form-urlencoded\b/i.test(headers.get('content-type') ?? '')) return formOf(body)
  const hash = URL.parse(url)?.searchParams.get('bodySHA256') ?? ''
  return isSame(createHash('sha256').update(body).digest('hex'), hash) ? new URLSearchParams() : undefined
}

function formOf(body: Uint8Array): URLSearchParams | undefined {
  try {
    return new URLSearchParams(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body))
  } catch {
    return undefined
  }
}

/**
 * The URL as received, as `URL` serialises it (which escapes `'` in the query as `%27`), and with the query as
 * `querystring` serialises it (which does not). Each with and without the port.
 */
function variantsOf(url: string): readonly string[] {
  const normalized = URL.parse(url)?.href ?? url
  const ports = [...bothPorts(url), ...bothPorts(normalized)]
  return [...new Set([...ports, ...bothPorts(normalized).map(withQueryRewritten)])]
}

/** Scheme, user, host and port. In an IPv6 address the port begins after the bracket. */
const AUTHORITY = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*@)?(\[[^\]/?#]*\]|[^/?#:]*)(:[^/?#]*)?/i

const bothPorts = (url: string): readonly string[] => [withoutPort(url), withPort(url)]
const withoutPort = (url: string): string => url.replace(AUTHORITY, '$1$2$3')
const withPort = (url: string): string =>
  url.replace(AUTHORITY, (whole, scheme: string, _user?: string, _host?: string, port?: string) => {
    if (port) return whole
    return whole + (scheme.toLowerCase() === 'https://' ? ':443' : ':80')
  })

function withQueryRewritten(url: string): string {
  const [path = '', query] = url.split(/\?(.*)/s)
  return query ? `${path}?${stringify(parse(query))}` : url
}
