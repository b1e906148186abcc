/** One gateway for all tests of a suite, started before the first and gone after the last. */
import { after } from 'node:test'
import { openCluster, toGateway } from './cluster.ts'
import { openFolder } from './folder.ts'
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts'

export type ShareGateway = (options: Pick<GatewayOptions, 'config' | 'env'>) => Promise<Gateway>

/** One process on one file. */
export const shareEmbedded: ShareGateway = async (options) => {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const folder = opened.use(await openFolder())
  return opened.use(await startGateway({ folder: folder.path, ...options }))
}

/** One process with all roles, on a broker and a database, with the simulator beside it. */
export const shareCluster: ShareGateway = async (options) => {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const cluster = opened.use(await openCluster({ ...options, plan: { all: 1 } }))
  const [member] = cluster.members
  if (member === undefined) throw new Error('the cluster has no member')
  return toGateway(cluster, member)
}
