import { openCluster, toGateway } from '../support/cluster.ts'
import { openNats } from '../support/nats-server.ts'
import { NATS_VARIABLE, sinksContract } from './sinks.contract.ts'

await sinksContract('cluster', async (sinks, opened) => {
  const nats = opened.use(await openNats())
  const env = { [NATS_VARIABLE]: nats.url }
  const cluster = opened.use(await openCluster({ plan: { all: 1, worker: 1 }, config: { sinks }, env }))
  const [all, worker] = cluster.members
  if (all === undefined || worker === undefined) throw new Error('the cluster has no members')
  return {
    gateway: async () => toGateway(cluster, all),
    processes: async () => [all, worker].map((member) => toGateway(cluster, member)),
    natsUrl: nats.url,
    async restart() {
      for (const member of [all, worker]) {
        await member.kill('SIGTERM')
        await member.start()
      }
    },
  }
})
