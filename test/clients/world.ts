/**
 * What the clients are tried against: a gateway, a proxy in front of it that cuts connections, and a webhook receiver.
 * Scripts of any language cut the proxy and read what was received over HTTP.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { after } from 'node:test'
import type { Env } from '../support/command.ts'
import { type CuttingProxy, openCuttingProxy } from '../support/cutting-proxy.ts'
import { openFolder } from '../support/folder.ts'
import { type SharedGateway, shareEmbedded } from '../support/shared-gateway.ts'

export type World = Readonly<{
  gateway: SharedGateway
  /** What scripts find everything by. */
  env: Env
  /** An empty folder, deleted after the tests. */
  folder: string
}>

export async function openWorld(): Promise<World> {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const { path: folder } = opened.use(await openFolder())
  const gateway = await shareEmbedded({ receiptDelayMs: 20, env: { POMBO_WEBHOOK_NETWORKS: '127.0.0.0/8' } })
  const { hostname, port } = new URL(gateway.url)
  const proxy = opened.use(await openCuttingProxy({ host: hostname, port: Number(port) }))
  const helper = opened.use(await openHelper(proxy))
  const env = {
    POMBO_URL: gateway.url,
    POMBO_KEY: gateway.token,
    POMBO_PROXY: `http://127.0.0.1:${proxy.port}`,
    HELPER: helper.url,
  }
  return { gateway, env, folder }
}

type Helper = AsyncDisposable & Readonly<{ url: string }>
type Received = Readonly<{ headers: Readonly<Record<string, unknown>>; body: string }>

/** `POST /cut/100` lets the next 100 bytes through; `POST /hook` receives webhooks, which `GET /received` lists. */
async function openHelper(proxy: CuttingProxy): Promise<Helper> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const [, action, bytes] = (request.url ?? '').split('/')
      if (action === 'hook') received.push({ headers: request.headers, body })
      if (action === 'cut') void proxy.cutAfter(Number(bytes))
      response.end(action === 'received' ? JSON.stringify(received) : '{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
