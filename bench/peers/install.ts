/** Peers come from packages: they are used where they are, and installed where that is allowed. */

import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { runToEnd } from '../processes.ts'

/** Where a program is; installs its packages when it is missing and we may. */
export async function findProgram(places: readonly string[], packages: readonly string[]): Promise<string> {
  const found = places.find(isThere)
  if (found !== undefined) return found
  if (process.getuid?.() !== 0) throw new Error(`run as root, or first: apt-get install ${packages.join(' ')}`)
  await runToEnd('apt-get', ['install', '-y', '--no-install-recommends', ...packages])
  const installed = places.find(isThere)
  if (installed === undefined) throw new Error(`${packages.join(' ')} brought none of ${places.join(', ')}`)
  return installed
}

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A port of loopback that nobody uses at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
