import { openCluster, toGateway } from '../support/cluster.ts'
import { observingContract } from './observing.contract.ts'

/** The API and the callbacks in one process, and everything else in another: the trace crosses the broker. */
await observingContract('cluster', async (options) => {
  const cluster = await openCluster({ ...options, plan: { api: 1, 'worker,poller,projector': 1 } })
  const [api, ...others] = cluster.members
  if (api === undefined) throw new Error('the cluster has no member')
  return {
    gateway: toGateway(cluster, api),
    async stop() {
      const ended = await Promise.all([api, ...others].map((member) => member.kill('SIGTERM')))
      return ended.flatMap(({ err }) => err.trim().split('\n'))
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
})
