/** Signs what customers are told, so that they know it is from us: Standard Webhooks 1.0.0, with a secret for each endpoint. */
import type { Endpoint } from '../domain/webhooks/endpoint.ts'
import type { Instant } from '../lib/time.ts'
import type { EndpointKey } from './endpoints.ts'

/** Whose secrets sign. While `previousSecretUntil` is to come, the version before signs too. */
export type SigningEndpoint = EndpointKey & Pick<Endpoint, 'secretVersion' | 'previousSecretUntil'>

export type WebhookHeaders = Readonly<{
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}>

export interface WebhookSigner {
  /** `whsec_` and 32 bytes in base64: the same for the same endpoint and version, in every process of one master key. */
  secretOf(key: EndpointKey, version: number): string

  /** `id` names the event and has no dot in it; `at` is the moment of the try; `body` is what travels, to the byte. */
  sign(endpoint: SigningEndpoint, id: string, at: Instant, body: string): WebhookHeaders
}
