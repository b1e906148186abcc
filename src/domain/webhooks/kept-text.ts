/**
 * What is kept of requests to a customer's server and of its responses, to be shown. What the server answers is untrusted
 * text: it is bounded and cleaned here, before it goes anywhere.
 */
import { withoutQuery } from '../../lib/without-query.ts'

/** So many bytes of a body are kept. */
export const KEPT_BODY_BYTES = 4096

/** A body, or its beginning. `text` is missing if it is binary. */
export type KeptBody = Readonly<{
  text?: string
  /** Its size, as far as it was read. */
  bytes: number
  isTruncated: boolean
}>

export type KeptHeaders = Readonly<Record<string, string>>

export const NO_BODY: KeptBody = { text: '', bytes: 0, isTruncated: false }

/** Everything but line breaks and tabs that is not printed, and what reverses the direction of text. */
const UNPRINTABLE = /[[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]--[\t\n]]/gv

export function toKeptBody(body: Uint8Array): KeptBody {
  const [bytes, isTruncated] = [body.length, body.length > KEPT_BODY_BYTES]
  const text = toText(isTruncated ? body.subarray(0, KEPT_BODY_BYTES) : body, isTruncated)
  return text === undefined ? { bytes, isTruncated } : { text, bytes, isTruncated }
}

/** Undefined if it is not UTF-8. A character that was cut at the end is left out. */
function toText(bytes: Uint8Array, isCut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut }).replaceAll(UNPRINTABLE, '')
  } catch {
    return undefined
  }
}

const HIDDEN = '***'
const MOST_HEADERS = 40
const LONGEST_NAME = 100
const LONGEST_VALUE = 500

const SECRET_HEADER = /auth|cookie|credential|csrf|jwt|key|pass|secret|session|signature|token/i
/** Their values are URLs, whose queries may contain a token. */
const URL_HEADER = /^(content-location|link|location|refresh)$/i

/** At most 40 headers with values of at most 500 characters. Those that may be secret are hidden. */
export function toKeptHeaders(headers: Readonly<Record<string, string | readonly string[] | undefined>>): KeptHeaders {
  const kept: [string, string][] = []
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || kept.length === MOST_HEADERS) continue
    kept.push([toLine(name, LONGEST_NAME), toValue(name, [value].flat().join(', '))])
  }
  return Object.fromEntries(kept)
}

function toValue(name: string, value: string): string {
  if (SECRET_HEADER.test(name)) return HIDDEN
  return toLine(URL_HEADER.test(name) ? withoutQuery(value) : value, LONGEST_VALUE)
}

const toLine = (text: string, longest: number): string =>
  text
    .slice(0, longest)
    .replaceAll(UNPRINTABLE, '')
    .replaceAll(/[\t\n]/g, ' ')
    .toWellFormed()
