/** Receives webhooks: one endpoint always succeeds, the other often answers 503, so that deliveries are retried. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chance } from './random.ts'

export type Receiver = AsyncDisposable & Readonly<{ url: string; received: () => number }>

const BUSY_SHARE = 0.3

export async function openReceiver(): Promise<Receiver> {
  let received = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const isBusy = request.url === '/busy' && chance(BUSY_SHARE)
      received += isBusy ? 0 : 1
      response.writeHead(isBusy ? 503 : 204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received: () => received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
