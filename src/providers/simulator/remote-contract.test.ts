/** The remote simulator fulfils the contract of a provider. */
import { jsonResponse, openFakeHttp } from '../../../test/support/fake-http.ts'
import type { ProviderName } from '../../domain/ids.ts'
import { instant } from '../../lib/time.ts'
import { type ProviderWorld, providerContract } from '../../ports/provider.contract.ts'
import { toReceiptJson } from './json.ts'
import { openRemoteSimulator } from './remote.ts'
import { SIGNATURE_HEADER, sign } from './signature.ts'

const SECRET = 'a secret both ends share'
const callbackUrl = 'https://pombo.example/v1/callbacks/simulator'
const clock = () => instant(Date.now())

async function open(): Promise<ProviderWorld> {
  const fake = await openFakeHttp(({ body }) =>
    JSON.parse(body).expires_at === undefined
      ? jsonResponse(201, { provider_message_id: 'SIM1' })
      : jsonResponse(422, { code: 'EXPIRED', detail: 'too late' }),
  )
  const provider = openRemoteSimulator({
    name: 'simulator' as ProviderName,
    url: fake.url,
    secret: SECRET,
    callbackUrl,
    clock,
  })
  return {
    fake,
    provider,
    callback: ({ ref }, providerMessageId) => {
      const receipt = { ref, providerMessageId, state: 'delivered', reportId: 'r' } as const
      const body = JSON.stringify([toReceiptJson(receipt)])
      const headers = new Headers({ 'content-type': 'application/json', [SIGNATURE_HEADER]: sign(SECRET, body) })
      return { method: 'POST', url: callbackUrl, headers, body: Buffer.from(body) }
    },
    signsAddress: false,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

providerContract('the remote simulator', open)
