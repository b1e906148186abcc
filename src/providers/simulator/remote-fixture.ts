/** Shared by the tests of the remote simulator: its server, a receiver of its callbacks, and a provider that calls it. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { TestContext } from 'node:test'
import { pino } from 'pino'
import type { ProviderName } from '../../domain/ids.ts'
import { millis } from '../../lib/time.ts'
import type { CallbackRequest, Receipt } from '../../ports/provider.ts'
import { clock, newPath } from './fixture.ts'
import { openRemoteSimulator, type RemoteSimulatorOptions } from './remote.ts'
import { openSimulatorServer, type SimulatorServerOptions } from './server.ts'

export const SECRET = 'a secret both ends share'
const QUICK = { receiptDelay: millis(20), limbo: millis(30), slow: millis(60) }

export async function serveHttp(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
}

/** Reads and records callbacks as our API does; refuses them while `state.status` is an error. */
export async function openCallbackServer(t: TestContext) {
  const calls: (readonly Receipt[])[] = []
  const state = { status: 200, refused: 0, forged: 0, urls: new Set<string>() }
  const reader = remoteTo(t, { url: 'http://127.0.0.1:1' })
  const url = await serveHttp(t, async (message, response) => {
    state.urls.add(message.url ?? '')
    const read = await reader.readCallback(await toCallback(message))
    if (read === 'forged') state.forged += 1
    else if (state.status >= 300) state.refused += 1
    else calls.push(read)
    response.writeHead(read === 'forged' ? 401 : state.status).end()
  })
  const receipts = (): readonly Receipt[] => calls.flat()
  const statesOf = (messageId: string): string[] =>
    receipts()
      .filter(({ ref }) => ref.messageId === messageId)
      .map((receipt) => receipt.state)
  return { url: `${url}/v1/callbacks/simulator`, calls, state, receipts, statesOf }
}

async function toCallback(message: IncomingMessage): Promise<CallbackRequest> {
  const headers = new Headers(
    Object.entries(message.headersDistinct).flatMap(([name, [value = ''] = []]) => [[name, value]]),
  )
  const body = Buffer.concat(await Array.fromAsync(message))
  return { method: message.method ?? '', url: message.url ?? '', headers, body }
}

export function remoteTo(t: TestContext, options: Partial<RemoteSimulatorOptions> & Readonly<{ url: string }>) {
  const name = 'simulator' as ProviderName
  const remote = openRemoteSimulator({ name, secret: SECRET, callbackUrl: 'http://127.0.0.1:1/', clock, ...options })
  t.after(() => remote[Symbol.asyncDispose]())
  return remote
}

export async function setUpRemote(t: TestContext, options: Partial<SimulatorServerOptions> = {}) {
  const path = options.path ?? (await newPath(t))
  const lines: Readonly<Record<string, unknown>>[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) })
  const where = { path, host: '127.0.0.1', port: 0, secret: SECRET, clock, logger }
  const server = await openSimulatorServer({ ...where, ...QUICK, ...options })
  t.after(() => server[Symbol.asyncDispose]())
  const callbacks = await openCallbackServer(t)
  const remote = remoteTo(t, { url: server.url, callbackUrl: callbacks.url })
  const ask = async (path: string): Promise<Response> =>
    fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${SECRET}` } })
  return { server, callbacks, remote, path, lines, ask }
}
