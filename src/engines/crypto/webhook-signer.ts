/**
 * The secrets of endpoints, and the signatures made with them. A secret is not stored: it is an HMAC under
 * the master key of whose it is and of its version, so a new one takes no more than a new number.
 */
import { createHmac, createSecretKey } from 'node:crypto'
import type { EndpointKey } from '../../ports/endpoints.ts'
import type { SigningEndpoint, WebhookSigner } from '../../ports/webhook-signer.ts'

const KEY_BYTES = 32
/** Keeps these secrets apart from whatever else is made from the master key. */
const LABEL = 'pombo webhook delivery v1'

export function openWebhookSigner(masterKey: Uint8Array): WebhookSigner {
  if (masterKey.length !== KEY_BYTES) throw new Error(`the master key must have ${KEY_BYTES} bytes`)
  const master = createSecretKey(masterKey)
  // JSON keeps the parts apart, so that no two endpoints read the same.
  const bytesOf = ({ tenantId, accountId, id }: EndpointKey, version: number): Buffer =>
    createHmac('sha256', master)
      .update(JSON.stringify([LABEL, tenantId, accountId, id, version]))
      .digest()

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

/** The newest first. */
function versionsOf({ secretVersion, previousSecretUntil }: SigningEndpoint, at: number): readonly number[] {
  const isOldOneGood = previousSecretUntil !== undefined && previousSecretUntil > at && secretVersion > 1
  return isOldOneGood ? [secretVersion, secretVersion - 1] : [secretVersion]
}

/** One signature of the symmetric kind. `secret` is what stands behind `whsec_`, decoded. */
export const signatureOf = (secret: Uint8Array, content: string): string =>
  `v1,${createHmac('sha256', secret).update(content).digest('base64')}`
