/**
 * The cluster for the faults: three NATS nodes with three replicas, PostgreSQL, the simulator, and members with every
 * role. Timeouts are short, so that interrupted work is recovered soon.
 */
import { type Reception, readReceptions } from '../e2e/kill-checks.ts'
import { type Cluster, type Member, openCluster, toGateway } from '../support/cluster.ts'
import type { Gateway } from '../support/gateway.ts'

export type Site = AsyncDisposable &
  Readonly<{
    cluster: Cluster
    /** Clients of the API processes. */
    apis: readonly [Gateway, ...Gateway[]]
    /** The API processes and workers. */
    workforce: readonly Member[]
    /** The messages of earlier loads, which are ignored on the handsets. */
    earlier: Set<string>
  }>

/** The attempt of a dead process is recovered after twice this time. */
const PROVIDER_TIMEOUT_SECONDS = '2'

/** Slow calls, so that many are in flight; short waits for unknown outcomes and retries. */
const SIMULATOR = ['--latency-ms', '100', '--receipt-delay-ms', '300']
const ROUTE = {
  id: 'default',
  channel: 'sms',
  providers: ['simulator'],
  retry: { delays_seconds: [0.2, 0.5], max_attempts: 8 },
  unknown: { wait_seconds: 0.3 },
}

/** `proxied`: members reach NATS and PostgreSQL through proxies that can be slowed down. */
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
  const [first, ...others] = cluster.withRole('api').map((member) => toGateway(cluster, member))
  if (first === undefined) throw new Error('the site has no API process')
  return {
    cluster,
    apis: [first, ...others],
    workforce: [...cluster.withRole('api'), ...cluster.withRole('worker')],
    earlier: new Set(),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}

/** The messages on the handsets. Restarts the simulator, whose file can only be read while it is stopped. */
export async function receptionsAt({ cluster, earlier }: Site): Promise<readonly Reception[]> {
  const { code, err } = await cluster.simulator.kill('SIGTERM')
  if (code !== 0) throw new Error(`the simulator ended with ${code}: ${err}`)
  const receptions = readReceptions(cluster.simulatorFile)
  await cluster.simulator.start()
  return receptions.filter(({ messageId }) => !earlier.has(messageId))
}
