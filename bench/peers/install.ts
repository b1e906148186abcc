/** Peers come from packages: they are used where they are, and installed where that is allowed. */
import { accessSync, constants } from 'node:fs'
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
