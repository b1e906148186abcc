/** The checks of the machine: the version of Node, the clock and the port. */
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { codeOf } from '../config/data-dir.ts'
import { DATABASE_FILE } from '../config/secrets.ts'
import { localUrl } from '../config/settings.ts'
import { type Check, failed, passed } from '../lib/check.ts'
import type { World } from './world.ts'

const NEEDED = { major: 24, minor: 12 }

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isEnough = major > NEEDED.major || (major === NEEDED.major && minor >= NEEDED.minor)
  if (isEnough) return passed('node', version)
  return failed('node', `${version} is older than ${NEEDED.major}.${NEEDED.minor}; start Pombo with bin/pombo.cjs`)
}

/** No clock that is right shows an earlier date. */
const RELEASED = Date.parse('2025-11-01')
const TOLERANCE_MS = 60_000

export function checkClock(now: number, { dataDir }: Pick<Config, 'dataDir'>): Check {
  const time = new Date(now).toISOString()
  if (now < RELEASED) return failed('clock', `this machine says ${time}, which is before this release; set the clock`)
  const written = statSync(join(dataDir, DATABASE_FILE), { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (written > now + TOLERANCE_MS) {
    return failed('clock', `this machine says ${time}, and the database was written later than that; set the clock`)
  }
  return passed('clock', time)
}

type Where = Pick<Config, 'host' | 'port'>

export async function checkPort(world: Pick<World, 'fetch'>, config: Where): Promise<Check> {
  const { host, port } = config
  if (port === 0) return passed('port', 'any free port')
  const code = await tryListening(config)
  if (code === undefined) return passed('port', `${port} on ${host} is free`)
  if (code !== 'EADDRINUSE')
    return failed('port', `cannot listen on port ${port} of ${host} (${code}); correct POMBO_HOST or POMBO_PORT`)
  const status = await readiness(world, config)
  if (status === 200) return passed('port', `a gateway is running on ${port} and is ready`)
  if (status === 503) return failed('port', `a gateway is running on ${port} and is not ready; see its /health/ready`)
  return failed('port', `another program uses port ${port} on ${host}; stop it, or set POMBO_PORT to another port`)
}

/** The error code that listening fails with; undefined when it succeeds. */
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

const TIMEOUT_MS = 3000

async function readiness(world: Pick<World, 'fetch'>, config: Where): Promise<number | undefined> {
  try {
    const response = await world.fetch(`${localUrl(config)}/health/ready`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    const isOurs = response.headers.get('content-type')?.includes('json') === true
    await response.body?.cancel()
    return isOurs ? response.status : undefined
  } catch {
    // The program that listens there does not speak HTTP, or not in time.
    return undefined
  }
}
