/**
 * How Twilio signs a callback: HMAC-SHA1, keyed with the auth token, of the whole address it called and,
 * of a form, every parameter. All that arrived is signed, so no list of known parameters is kept here.
 *
 * Its signers do not agree on the standard port, nor on how the query is written; like its own client
 * this tries each way.
 */
import { createHash, createHmac } from 'node:crypto'
import { parse, stringify } from 'node:querystring'
import { isSame } from '../../lib/constant-time.ts'
import type { CallbackRequest } from '../../ports/provider.ts'

export const SIGNATURE_HEADER = 'x-twilio-signature'

/** The parameters of a callback that Twilio signed; undefined when it did not. */
export function readSigned(authToken: string, request: CallbackRequest): URLSearchParams | undefined {
  const params = paramsOf(request)
  const given = request.headers.get(SIGNATURE_HEADER) ?? ''
  if (params === undefined || given === '') return undefined
  const tail = toTail(params)
  const isSigned = writingsOf(request.url).map((url) => isSame(sign(authToken, url + tail), given))
  return isSigned.includes(true) ? params : undefined
}

const sign = (authToken: string, data: string): string => createHmac('sha1', authToken).update(data).digest('base64')

export const toSignature = (authToken: string, url: string, params: URLSearchParams): string =>
  sign(authToken, url + toTail(params))

/** By name, in the order of code units; of a repeated one each value once. */
function toTail(params: URLSearchParams): string {
  const names = [...new Set(params.keys())].toSorted()
  return names
    .flatMap((name) => [...new Set(params.getAll(name))].toSorted().map((value) => `${name}${value}`))
    .join('')
}

/** Anything but a form is signed by its hash, which stands in the address. */
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
 * The URL as received and as `URL` writes it, which escapes a `'` in the query as `%27`; the latter also with the
 * query as `querystring` writes it, which does not. Each with and without the port.
 */
function writingsOf(url: string): readonly string[] {
  const normalized = URL.parse(url)?.href ?? url
  const ports = [...bothPorts(url), ...bothPorts(normalized)]
  return [...new Set([...ports, ...bothPorts(normalized).map(withQueryRewritten)])]
}

/** Scheme, user, host and port. A colon begins the port only after the brackets of an IPv6 address. */
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
