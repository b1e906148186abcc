/** Whoever is told by webhook: one who listens, and one who is often too busy, so that there is something to repeat. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chance } from './dice.ts'

export type Receiver = AsyncDisposable & Readonly<{ url: string; told: () => number }>

const BUSY_SHARE = 0.3

export async function openReceiver(): Promise<Receiver> {
  let told = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const isBusy = request.url === '/busy' && chance(BUSY_SHARE)
      told += isBusy ? 0 : 1
      response.writeHead(isBusy ? 503 : 204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    told: () => told,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
