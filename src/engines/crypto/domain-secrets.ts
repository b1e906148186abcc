/**
 * The secrets of sending domains. DKIM keys are RSA keys of 2048 bits, which every verifier supports, made one at a time
 * in libuv's threads. A private key is stored sealed with AES-256-GCM under a key derived from the master key.
 */
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  generateKeyPair,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto'
import { promisify } from 'node:util'
import { boundedPerKey } from '../../lib/bounded.ts'
import type { DomainOwner, DomainSecrets } from '../../ports/domain-secrets.ts'
import { Unavailable } from '../../ports/unavailable.ts'

const KEY_BYTES = 32
const TOKEN_BYTES = 24
const SELECTOR_BYTES = 4
const RSA_BITS = 2_048
const CIPHER = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16
const TAG = { authTagLength: TAG_BYTES }
/** A key takes about 0.1 s, so others wait a second at most. */
const MAX_WAITING_OF_TENANT = 8

const generate = promisify(generateKeyPair)

export function openDomainSecrets(masterKey: Uint8Array): DomainSecrets {
  if (masterKey.length !== KEY_BYTES) throw new Error(`the master key must have ${KEY_BYTES} bytes`)
  const sealing = createSecretKey(new Uint8Array(hkdfSync('sha256', masterKey, '', 'pombo domain keys v1', KEY_BYTES)))
  const bounded = boundedPerKey(MAX_WAITING_OF_TENANT, () => new Unavailable('too many keys are being made'))
  let last: Promise<unknown> = Promise.resolve()

  /** The other threads of the pool stay free. */
  function generateNext() {
    const pair = last.then(() => generate('rsa', { modulusLength: RSA_BITS }))
    last = pair.catch(() => undefined)
    return pair
  }

  return {
    create: (owner) =>
      bounded(owner.tenantId, async () => {
        const { publicKey, privateKey } = await generateNext()
        const selector = `pombo${randomBytes(SELECTOR_BYTES).toString('hex')}`
        const plain = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
        return {
          token: randomBytes(TOKEN_BYTES).toString('base64url'),
          dkim: {
            selector,
            publicKey: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
            sealedKey: seal(sealing, boundTo(owner, selector), plain),
          },
        }
      }),

    open: ({ dkim, ...owner }) => open(sealing, boundTo(owner, dkim.selector), dkim.sealedKey),
  }
}

/** What a sealed key is for: it opens for nothing else. JSON keeps the parts apart. */
const boundTo = ({ tenantId, name }: DomainOwner, selector: string): Buffer =>
  Buffer.from(JSON.stringify([tenantId, name, selector]))

/** In base64: a random IV, the ciphertext, the tag. */
function seal(key: KeyObject, context: Buffer, plain: string): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv, TAG).setAAD(context)
  return Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

function open(key: KeyObject, context: Buffer, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  if (bytes.length < IV_BYTES + TAG_BYTES) throw new Error('too short to be a sealed key')
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), TAG)
  decipher.setAAD(context).setAuthTag(bytes.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8')
}
