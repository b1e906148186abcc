/**
 * (j): like (c), with an SMSC instead of the simulator: accepted → submitted → answered → receipt → delivered in the
 * log. The SMSC is its own process and shares the cores.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { SMSC } from '../test/support/fake-smsc.ts'
import { type EndToEnd, sustain } from './end-to-end.ts'
import { toHeaders } from './messages.ts'
import type { Times } from './options.ts'
import { type Gateway, openGateway, type Peer, startPeer } from './server.ts'
import { withProcess } from './target.ts'

const BINDS = 2
const WINDOW = 100
const RECEIPT_DELAY_MS = 100
const CONNECT_MS = 20_000

export async function measureSmpp(times: Times): Promise<EndToEnd> {
  await using smsc = await startSmsc()
  await using gateway = await openGateway({ config: toConfig(smsc.port), tree: times.tree })
  await connected(gateway)
  return await sustain(withProcess(gateway, 'SMSC', smsc.pid), times)
}

const startSmsc = (): Promise<Peer> =>
  startPeer('the SMSC', 'test/support/fake-smsc-main.ts', '--receipt-delay-ms', `${RECEIPT_DELAY_MS}`)

const toConfig = (port: number) => ({
  providers: [
    { name: 'smsc', kind: 'smpp', settings: { host: '127.0.0.1', port, ...SMSC, binds: BINDS, window: WINDOW } },
  ],
})

type Listed = Readonly<{ items: readonly Readonly<{ connections: Readonly<{ up: number }> | null }>[] }>

/** Before that, sends would be deferred and retried later. */
async function connected({ port, token }: Gateway): Promise<void> {
  const deadline = performance.now() + CONNECT_MS
  while (performance.now() < deadline) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/providers`, { headers: toHeaders(token) })
    const { items } = (await answer.json()) as Listed
    if (items[0]?.connections?.up === BINDS) return
    await wait(50)
  }
  throw new Error('the gateway did not bind to the SMSC')
}
