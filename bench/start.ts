/** How long a gateway takes from its start until it is ready for traffic. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Gateway, type GatewayOptions, openGateway } from './server.ts'

const START_MS = 120_000
const LOOK_MS = 5

export type Started = Readonly<{ gateway: Gateway; readySeconds: number }>

/** The caller disposes the gateway. */
export async function startTimed(options: GatewayOptions): Promise<Started> {
  const begunAt = performance.now()
  await using opened = new AsyncDisposableStack()
  const gateway = opened.use(await openGateway({ startMs: START_MS, ...options }))
  while (!(await isReady(gateway))) {
    if (performance.now() - begunAt > START_MS) throw new Error(`not ready after ${START_MS / 1000} s`)
    await wait(LOOK_MS)
  }
  const readySeconds = (performance.now() - begunAt) / 1000
  opened.move()
  return { gateway, readySeconds }
}

const isReady = async ({ port }: Gateway): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${port}/health/ready`)).status === 200
