/**
 * The secrets of webhook endpoints and the signatures made with them. Secrets are not stored: each is an HMAC of
 * endpoint and version under the master key, so rotating one only increments its version.
 */
import type { EndpointKey } from '../../ports/endpoints.ts'
import type { SigningEndpoint, WebhookSigner } from '../../ports/webhook-signer.ts'
import { openHmac } from './hmac.ts'

const KEY_BYTES = 32
/** Separates these secrets from other keys derived from the master key. */
const LABEL = 'pombo webhook delivery v1'

export function openWebhookSigner(masterKey: Uint8Array): WebhookSigner {
  if (masterKey.length !== KEY_BYTES) throw new Error(`the master key must have ${KEY_BYTES} bytes`)
  const master = openHmac(masterKey)
  // JSON keeps the parts apart, so different endpoints never have the same encoding.
  const bytesOf = ({ tenantId, accountId, id }: EndpointKey, version: number): Buffer =>
    master(JSON.stringify([LABEL, tenantId, accountId, id, version]))

  return {
    secretOf: (key, version) => `whsec_${bytesOf(key, version).toString('base64')}`,

    sign(endpoint, id, at, body) {
      const timestamp = String(Math.floor(at / 1000))
      const content = `${id}.${timestamp}.${body}`
      const signatures = versionsOf(endpoint, at).map((version) => signatureOf(bytesOf(endpoint, version), content))
      return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
    },
  }
}

/** Newest first. */
function versionsOf({ secretVersion, previousSecretUntil }: SigningEndpoint, at: number): readonly number[] {
  const isOldOneGood = previousSecretUntil !== undefined && previousSecretUntil > at && secretVersion > 1
  return isOldOneGood ? [secretVersion, secretVersion - 1] : [secretVersion]
}

/** One symmetric signature. `secret` is the decoded part after `whsec_`. */
export const signatureOf = (secret: Uint8Array, content: string): string =>
  `v1,${openHmac(secret)(content).toString('base64')}`
