/** Finds peers on this machine, or installs them from packages as root. */
import { accessSync, constants } from 'node:fs'
import { runToEnd } from '../processes.ts'

/** The path of a program; installs its packages if it is missing. */
export async function findProgram(places: readonly string[], packages: readonly string[]): Promise<string> {
  const found = places.find(isThere)
  if (found !== undefined) return found
  if (process.getuid?.() !== 0)
    throw new Error(
      `run as root, or first: apt-get install ${packages.join(' ')}; or leave the peers out with --no-peers`,
    )
  await runToEnd('apt-get', ['install', '-y', '--no-install-recommends', ...packages])
  const installed = places.find(isThere)
  if (installed === undefined) throw new Error(`${packages.join(' ')} did not install any of ${places.join(', ')}`)
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
