/** A NATS server with JetStream and default settings, except for its sync interval. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { missingNats } from '../../test/support/nats-server.ts'
import { findTool } from '../../test/support/tools.ts'
import { freePort, openFolder, startProcess } from '../processes.ts'

/** When a write reaches the disk: within two minutes (the default of NATS), or before it is acknowledged. */
export const SYNCS = ['default', 'always'] as const
export type Sync = (typeof SYNCS)[number]

export type Broker = Readonly<{ url: string; pid: number }> & AsyncDisposable

export async function openBroker(sync: Sync): Promise<Broker> {
  const program = findTool('nats-server')
  if (program === undefined) throw new Error(missingNats() ?? 'nats-server not found')
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(openFolder())
  const [file, port] = [join(path, 'nats.conf'), await freePort()]
  const always = sync === 'always' ? ', sync_interval: always' : ''
  writeFileSync(
    file,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${join(path, 'store')}", max_file_store: 16GB${always} }\n`,
  )
  const command = { name: 'nats-server', file: program, args: ['-c', file], ready: /Server is ready/ }
  const { pid } = opened.use(await startProcess(command))
  const closing = opened.move()
  return { url: `nats://127.0.0.1:${port}`, pid, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}
