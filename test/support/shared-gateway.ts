/** One gateway for all tests of a file, started before the first and gone after the last. */
import { after } from 'node:test'
import { openFolder } from './folder.ts'
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts'

/** To be called at the top of a test file. */
export async function shareGateway(options: Omit<GatewayOptions, 'folder'>): Promise<Gateway> {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const folder = opened.use(await openFolder())
  return opened.use(await startGateway({ folder: folder.path, ...options }))
}
