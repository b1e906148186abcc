/** Runs programs of this machine, and finds out how its npm is configured. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'

export function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Throws what the program wrote, unless it succeeds. */
export async function runLong(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`${program} ended with ${code}:\n${out.slice(-4_000)}${err.slice(-4_000)}`)
  return out
}

/** What a replay needs of this machine, if it is missing. */
export function missingForReplay(): string | undefined {
  if (process.platform !== 'linux') return 'the replay of the image needs Linux'
  if (process.getuid?.() !== 0) return 'the replay of the image needs root, to mount and to change the root folder'
  const { status } = spawnSync('unshare', ['--mount', '--pid', '--net', '--fork', 'ip', 'link', 'set', 'lo', 'up'])
  return status === 0 ? undefined : 'namespaces cannot be made here (unshare, ip), which the replay of the image needs'
}

/** Files and folders of this machine that a step sees, by their path there, and the variables that point to them. */
export type Lent = Readonly<{ files: Readonly<Record<string, string>>; env: Readonly<Record<string, string>> }>

const LENT = '/run/npm'
const PASSED_ON = /^(?:https?|no)_proxy$/i

/** How npm reaches its registry from this machine. None of it stays in the image. */
export function lendNpm(): Lent {
  const lent = ['userconfig', 'globalconfig', 'cafile', 'cache'].flatMap((setting) => {
    const path = execFileSync('npm', ['config', 'get', setting], { encoding: 'utf8', stdio: 'pipe' }).trim()
    return existsSync(path) ? [{ setting, path, there: `${LENT}/${setting}` }] : []
  })
  const proxies = Object.entries(process.env).filter(([name, value]) => PASSED_ON.test(name) && value !== undefined)
  return {
    files: Object.fromEntries(lent.map(({ path, there }) => [there, path])),
    env: Object.fromEntries([
      ...(proxies as [string, string][]),
      ...lent.map(({ setting, there }): [string, string] => [`npm_config_${setting}`, there]),
    ]),
  }
}
