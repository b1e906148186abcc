/** One gateway for all tests of a suite, started before the first and gone after the last. */
import { after } from 'node:test'
import { type ClusterOptions, openCluster } from './cluster.ts'
import { openFolder } from './folder.ts'
import { callerOf, type Gateway, type GatewayOptions, startGateway } from './gateway.ts'

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
  const plan: ClusterOptions['plan'] = { all: 1 }
  const cluster = opened.use(await openCluster({ ...options, plan }))
  const [member] = cluster.members
  if (member === undefined) throw new Error('the cluster has no member')
  const { token } = cluster
  const { url, kill, err, hasEnded } = member
  return {
    url,
    token,
    call: callerOf(url, token),
    kill,
    err,
    hasEnded,
    exited: member.exited(),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
