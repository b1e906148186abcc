/** Whether the port is free, or a Pombo answers there already. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config/config.ts'
import { codeOf } from '../config/data-dir.ts'
import { localUrl } from '../config/local-url.ts'
import { type Check, failed, passed } from '../lib/check.ts'
import type { World } from './world.ts'

type Where = Pick<Config, 'host' | 'port'>

export async function checkPort(world: Pick<World, 'fetch'>, config: Where): Promise<Check> {
  const { host, port } = config
  if (port === 0) return passed('port', 'any free one')
  const code = await tryListening(config)
  if (code === undefined) return passed('port', `${port} of ${host} is free`)
  if (code !== 'EADDRINUSE')
    return failed('port', `${port} of ${host} cannot be had (${code}); correct POMBO_HOST or POMBO_PORT`)
  const status = await readiness(world, config)
  if (status === 200) return passed('port', `a gateway answers on ${port} and is ready`)
  if (status === 503) return failed('port', `a gateway answers on ${port} and is not ready; its /health/ready says why`)
  return failed('port', `${port} of ${host} is taken by something else; stop it, or set POMBO_PORT to another`)
}

/** The code of what stands in the way of listening; undefined when nothing does. */
async function tryListening({ host, port }: Where): Promise<string | undefined> {
  const server = createServer()
  try {
    server.listen(port, host)
    await once(server, 'listening')
    return undefined
  } catch (error) {
    return codeOf(error)
  } finally {
    server.close()
  }
}

const PATIENCE_MS = 3000

async function readiness(world: Pick<World, 'fetch'>, config: Where): Promise<number | undefined> {
  try {
    const response = await world.fetch(`${localUrl(config)}/health/ready`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    const isOurs = response.headers.get('content-type')?.includes('json') === true
    await response.body?.cancel()
    return isOurs ? response.status : undefined
  } catch {
    // Whatever listens there does not speak HTTP, or not in time.
    return undefined
  }
}
