/** A Redis server without persistence, as in deploy/: lost counters are loaded from PostgreSQL. */
import { findRedis } from '../../test/support/redis-process.ts'
import { missingRedis } from '../../test/support/redis-server.ts'
import { freePort, openFolder, startProcess } from '../processes.ts'

export type RedisServer = Readonly<{ url: string; pid: number }> & AsyncDisposable

export async function openRedis(): Promise<RedisServer> {
  const program = findRedis()
  if (program === undefined) throw new Error(missingRedis() ?? 'redis-server not found')
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(openFolder())
  const port = await freePort()
  const address = ['--bind', '127.0.0.1', '--port', String(port), '--dir', path]
  const args = [...address, '--save', '', '--appendonly', 'no']
  const command = { name: 'redis-server', file: program, args, ready: /Ready to accept connections/ }
  const { pid } = opened.use(await startProcess(command))
  const closing = opened.move()
  return { url: `redis://127.0.0.1:${port}`, pid, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}
