import { openFolder } from '../support/folder.ts'
import { startGateway } from '../support/gateway.ts'
import { type Observed, observingContract } from './observing.contract.ts'

await observingContract('embedded', async ({ config, env }): Promise<Observed> => {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await openFolder())
  const own = { POMBO_PUBLIC_URL: 'https://pombo.example' }
  const gateway = opened.use(await startGateway({ folder: folder.path, config, env: { ...env, ...own } }))
  const closing = opened.move()
  return {
    gateway,
    stop: async () => (await gateway.kill('SIGTERM')).err.trim().split('\n'),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
})
