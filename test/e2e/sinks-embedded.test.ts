import { openFolder } from '../support/folder.ts'
import { openNats } from '../support/nats-server.ts'
import { RestartableGateway } from '../support/restartable-gateway.ts'
import { NATS_VARIABLE, sinksContract } from './sinks.contract.ts'

await sinksContract('embedded', async (sinks, opened) => {
  const nats = opened.use(await openNats())
  const folder = opened.use(await openFolder())
  const env = { [NATS_VARIABLE]: nats.url }
  const gateway = opened.use(new RestartableGateway({ folder: folder.path, config: { sinks }, env }))
  await gateway.start()
  return {
    gateway: () => gateway.current(),
    processes: async () => [await gateway.current()],
    natsUrl: nats.url,
    async restart() {
      await gateway.kill()
      await gateway.start()
    },
  }
})
