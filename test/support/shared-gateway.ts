/** One gateway for all tests of a suite, stopped after the last. */
import { after } from 'node:test'
import { mintToken, readJwtSecret } from '../../src/config/secrets.ts'
import { openCluster, toGateway } from './cluster.ts'
import { openFolder } from './folder.ts'
import { callerOf, dataDirOf, type Gateway, type GatewayOptions, startGateway } from './gateway.ts'

/** `of` returns the same gateway for somebody of another tenant or account, by default an administrator. */
export type SharedGateway = Gateway &
  Readonly<{ of: (tenantId: string, accountId?: string, scopes?: readonly string[]) => Promise<SharedGateway> }>

export type ShareOptions = Pick<GatewayOptions, 'config' | 'env'> &
  Readonly<{
    /** The simulator's delay of delivery reports; short by default. */
    receiptDelayMs?: number
  }>

export type ShareGateway = (options: ShareOptions) => Promise<SharedGateway>

/** The embedded profile: one process on one file. */
export const shareEmbedded: ShareGateway = async ({ receiptDelayMs, ...options }) => {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const folder = opened.use(await openFolder())
  const delayed = receiptDelayMs === undefined ? {} : { config: { ...options.config, ...simulated(receiptDelayMs) } }
  const gateway = opened.use(await startGateway({ folder: folder.path, ...options, ...delayed }))
  return shared(gateway, () => readJwtSecret({ dataDir: dataDirOf(folder.path) }))
}

const simulated = (receipt_delay_ms: number) => ({
  providers: [{ name: 'simulator', kind: 'simulator', settings: { receipt_delay_ms } }],
})

/** The cluster profile: one process with all roles, on NATS, PostgreSQL and Redis, with the simulator in its own process. */
export const shareCluster: ShareGateway = async ({ receiptDelayMs, ...options }) => {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const simulator = receiptDelayMs === undefined ? [] : ['--receipt-delay-ms', String(receiptDelayMs)]
  const cluster = opened.use(await openCluster({ ...options, simulator, plan: { all: 1 } }))
  const [member] = cluster.members
  if (member === undefined) throw new Error('the cluster has no member')
  return shared(toGateway(cluster, member), () => Buffer.from(cluster.settings['POMBO_JWT_SECRET'] ?? ''))
}

export function shared(gateway: Gateway, secret: () => Uint8Array | undefined): SharedGateway {
  return {
    ...gateway,
    async of(tenantId, accountId = 'default', scopes = ['admin']) {
      const claims = { tenantId, accountId, scopes, expiresInSeconds: 86_400 }
      const token = await mintToken(secret() ?? new Uint8Array(), claims)
      return shared({ ...gateway, token, call: callerOf(gateway.url, token) }, secret)
    },
  }
}
