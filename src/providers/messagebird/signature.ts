/**
 * Verifies the signature of a MessageBird callback. There are three schemes: a JWT with hashes of the URL and the body,
 * and two that share their headers, over the URL (Bird) or over the sorted query (older).
 *
 * If there is a JWT, it alone decides, so that nobody can bypass it with an older signature. A replayed callback passes
 * while it is recent; it repeats a report we already have, which changes nothing.
 */
import { createHash, createHmac } from 'node:crypto'
import { parse, stringify } from 'node:querystring'
import { jwtVerify } from 'jose'
import { isSame } from '../../lib/constant-time.ts'
import { type Instant, seconds } from '../../lib/time.ts'
import type { CallbackRequest } from '../../ports/provider.ts'

export const JWT_HEADER = 'messagebird-signature-jwt'
export const SIGNATURE_HEADER = 'messagebird-signature'
export const TIMESTAMP_HEADER = 'messagebird-request-timestamp'

/** Whether there is a signature to verify. */
export const hasSignature = (headers: Headers): boolean => headers.has(JWT_HEADER) || headers.has(SIGNATURE_HEADER)

const MAX_AGE = seconds(100)
const CLOCK_TOLERANCE_SECONDS = 5

export async function isSigned(signingKey: string, request: CallbackRequest, now: Instant): Promise<boolean> {
  const jwt = request.headers.get(JWT_HEADER)
  return jwt === null ? isSignedByHeaders(signingKey, request, now) : isSignedByJwt(signingKey, request, jwt, now)
}

async function isSignedByJwt(signingKey: string, { url, body }: CallbackRequest, jwt: string, now: Instant) {
  const verified = await jwtVerify(jwt, new TextEncoder().encode(signingKey), {
    issuer: 'MessageBird',
    algorithms: ['HS256', 'HS384', 'HS512'],
    requiredClaims: ['exp', 'jti', 'url_hash'],
    clockTolerance: CLOCK_TOLERANCE_SECONDS,
    currentDate: new Date(now),
  }).catch(() => undefined)
  if (verified === undefined) return false
  const { url_hash: ofUrl, payload_hash: ofBody } = verified.payload
  // The hash is missing only if the body is empty.
  return isHash(ofUrl, url) && (ofBody === undefined ? body.length === 0 : isHash(ofBody, body))
}

const isHash = (claim: unknown, of: string | Uint8Array): boolean =>
  typeof claim === 'string' && isSame(createHash('sha256').update(of).digest('hex'), claim.toLowerCase())

function isSignedByHeaders(signingKey: string, { url, headers, body }: CallbackRequest, now: Instant): boolean {
  const timestamp = headers.get(TIMESTAMP_HEADER) ?? ''
  const given = headers.get(SIGNATURE_HEADER) ?? ''
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * 1000) >= MAX_AGE) return false
  const isSigned = [url, toSortedQuery(url)].map((target) =>
    isSame(toSignature(signingKey, { timestamp, target, body }), given),
  )
  return isSigned.includes(true)
}

export type Signed = Readonly<{ timestamp: string; target: string; body: Uint8Array }>

export const toSignature = (signingKey: string, { timestamp, target, body }: Signed): string =>
  createHmac('sha256', signingKey)
    .update(`${timestamp}\n${target}\n`)
    .update(createHash('sha256').update(body).digest())
    .digest('base64')

/** The plus sign of a time zone often arrives decoded as a space. */
export function toSortedQuery(url: string): string {
  const [, query = ''] = url.split(/\?(.*)/s)
  const sorted = Object.entries(parse(query)).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return stringify(
    Object.fromEntries(
      sorted.map(([name, value]) => [name, name === 'statusDatetime' ? `${value}`.replaceAll(' ', '+') : value]),
    ),
  )
}
