/** Signs webhooks as Standard Webhooks 1.0.0 defines, with a secret per endpoint. */
import type { Endpoint } from '../domain/webhooks/endpoint.ts'
import type { Instant } from '../lib/time.ts'
import type { EndpointKey } from './endpoints.ts'

/** The endpoint whose secrets sign. Until `previousSecretUntil` the previous version signs too. */
export type SigningEndpoint = EndpointKey & Pick<Endpoint, 'secretVersion' | 'previousSecretUntil'>

export type WebhookHeaders = Readonly<{
  'webhook-id': string
  'webhook-timestamp': string
  'webhook-signature': string
}>

export interface WebhookSigner {
  /**
   * `whsec_` and 32 bytes in base64: the same for an endpoint and version in every process with the same master key.
   */
  secretOf(key: EndpointKey, version: number): string

  /** `id` identifies the event and contains no dot; `at` is the time of the attempt; `body` is the exact body sent. */
  sign(endpoint: SigningEndpoint, id: string, at: Instant, body: string): WebhookHeaders
}
