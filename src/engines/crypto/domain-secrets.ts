/**
 * The secrets of sending domains. DKIM keys are RSA keys of 2048 bits, which every verifier supports, made one at a time
 * in libuv's threads. A private key is stored sealed under a key derived from the master key.
 */
import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { boundedPerKey } from '../../lib/bounded.ts'
import type { DomainOwner, DomainSecrets } from '../../ports/domain-secrets.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openTextSealer } from './text-sealer.ts'

const TOKEN_BYTES = 24
const SELECTOR_BYTES = 4
const RSA_BITS = 2_048
/** A key takes about 0.1 s, so others wait a second at most. */
const MAX_WAITING_OF_TENANT = 8

const generate = promisify(generateKeyPair)

export function openDomainSecrets(masterKey: Uint8Array): DomainSecrets {
  const sealer = openTextSealer(masterKey, 'pombo domain keys v1')
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
            sealedKey: sealer.seal(boundTo(owner, selector), plain),
          },
        }
      }),

    open: ({ dkim, ...owner }) => sealer.open(boundTo(owner, dkim.selector), dkim.sealedKey),
  }
}

/** What a sealed key is for: it opens for nothing else. JSON keeps the parts apart. */
const boundTo = ({ tenantId, name }: DomainOwner, selector: string): string =>
  JSON.stringify([tenantId, name, selector])
