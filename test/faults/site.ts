/**
 * Where the faults happen: a broker of three nodes that keeps everything three times, a database, the
 * simulator, and members with every role. All waits are short, so that what was cut off is soon taken up.
 */
import { type Reception, readReceptions } from '../e2e/kill-checks.ts'
import { type Cluster, type Member, openCluster, toGateway } from '../support/cluster.ts'
import type { Gateway } from '../support/gateway.ts'

export type Site = AsyncDisposable &
  Readonly<{
    cluster: Cluster
    /** Those who take messages, as a caller sees them. */
    apis: readonly [Gateway, ...Gateway[]]
    /** Those who take messages and those who send them. */
    workforce: readonly Member[]
    /** The messages of loads that are over: what is received of them is no news. */
    earlier: Set<string>
  }>

/** An attempt whose owner is gone is given up after twice this time. */
const PROVIDER_TIMEOUT_SECONDS = '2'

/** Calls that take a while, so that many are under way at any moment; doubts and retries that do not take forever. */
const SIMULATOR = ['--latency-ms', '100', '--receipt-delay-ms', '300']
const ROUTE = {
  id: 'default',
  channel: 'sms',
  providers: ['simulator'],
  retry: { delays_seconds: [0.2, 0.5], max_attempts: 8 },
  unknown: { wait_seconds: 0.3 },
}

/** `proxied`: members reach the broker and the database by ways that can be made slow. */
export async function openSite(proxied: boolean): Promise<Site> {
  const cluster = await openCluster({
    own: true,
    nats: { nodes: 3 },
    replicas: 3,
    plan: { api: 2, worker: 2, projector: 1 },
    config: { routes: [ROUTE] },
    env: { POMBO_PROVIDER_TIMEOUT_SECONDS: PROVIDER_TIMEOUT_SECONDS },
    simulator: SIMULATOR,
    proxied,
  })
  const [first, ...others] = cluster.having('api').map((member) => toGateway(cluster, member))
  if (first === undefined) throw new Error('a site without an api')
  return {
    cluster,
    apis: [first, ...others],
    workforce: [...cluster.having('api'), ...cluster.having('worker')],
    earlier: new Set(),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

/** What the handsets hold; the simulator is away for the moment it takes to read it. */
export async function receptionsAt({ cluster, earlier }: Site): Promise<readonly Reception[]> {
  const { code, err } = await cluster.simulator.kill('SIGTERM')
  if (code !== 0) throw new Error(`the simulator ended with ${code}: ${err}`)
  const receptions = readReceptions(cluster.simulatorFile)
  await cluster.simulator.start()
  return receptions.filter(({ messageId }) => !earlier.has(messageId))
}
