/** Verification of webhooks (https://www.standardwebhooks.com), with the Web Crypto API that every runtime has. */
import { WebhookVerificationError } from './errors.ts'
import type { WebhookData, WebhookEventType } from './generated/types.ts'

/** `type` tells which `data` it is. */
export type WebhookEvent = {
  [Type in WebhookEventType]: Readonly<{
    /** The same in every attempt and every replay: use it to recognise an event that you already have. */
    id: string
    type: Type
    /** When it happened. */
    timestamp: string
    data: WebhookData[Type]
  }>
}[WebhookEventType]

/** Those of fetch, of Node, or any object; names in any case. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export type VerifyOptions = Readonly<{
  /** How old, or how far ahead of your clock, a webhook may be; by default 300. */
  toleranceSeconds?: number | undefined
  /** In milliseconds; by default the time of the machine. */
  now?: number | undefined
}>

const TOLERANCE_SECONDS = 300
const VERSION = 'v1,'

/**
 * Resolves with the event if the webhook is from Pombo, and rejects with a WebhookVerificationError if not. `body` is
 * what arrived, before anything has parsed it. `secret` may be several, while you change it.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signatures = readHeader(headers, 'webhook-signature').split(' ')
  const ageSeconds = /^\d+$/.test(timestamp) ? Math.abs(now / 1000 - Number(timestamp)) : Number.POSITIVE_INFINITY
  if (ageSeconds > toleranceSeconds) {
    throw new WebhookVerificationError(`The webhook is not of the last ${toleranceSeconds} seconds`)
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  const secrets = typeof secret === 'string' ? [secret] : secret
  const verdicts = await Promise.all(secrets.map((one) => isSigned(signed, signatures, one)))
  if (!verdicts.includes(true)) throw new WebhookVerificationError('No signature of the webhook is right')
  return { ...JSON.parse(new TextDecoder().decode(bytes)), id } as WebhookEvent
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value = isHeaders(headers)
    ? headers.get(name)
    : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw new WebhookVerificationError(`The header ${name} is missing`)
  return value
}

const isHeaders = (headers: WebhookHeaders): headers is Headers => typeof headers['get'] === 'function'

/** The Web Crypto API compares in constant time. */
async function isSigned(
  signed: Uint8Array<ArrayBuffer>,
  signatures: readonly string[],
  secret: string,
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', toKeyBytes(secret), algorithm, false, ['verify'])
  const candidates = signatures
    .filter((one) => one.startsWith(VERSION))
    .map((one) => fromBase64(one.slice(VERSION.length)))
  const verdicts = await Promise.all(
    candidates.map((bytes) => bytes !== undefined && crypto.subtle.verify(algorithm, key, bytes, signed)),
  )
  return verdicts.includes(true)
}

function toKeyBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''))
  if (bytes === undefined || bytes.length === 0) throw new TypeError('the secret is not that of a webhook')
  return bytes
}

/** Undefined if it is none. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}

/** Of no gateway: webhooks come to you. */
export class Webhooks {
  verify(
    body: string | Uint8Array,
    headers: WebhookHeaders,
    secret: string | readonly string[],
    options?: VerifyOptions,
  ): Promise<WebhookEvent> {
    return verifyWebhook(body, headers, secret, options)
  }
}
