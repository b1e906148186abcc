/** The Pombo processes of a cluster, each with a role and a number, such as `worker 2`. */
import { join } from 'node:path'
import { startProcess } from '../processes.ts'
import { compileCacheOf, MEMORY, ROOT } from '../server.ts'

export type Member = Readonly<{ name: string; pid: number; port: number }> & AsyncDisposable

export type Launch = Readonly<{
  cwd: string
  env: Readonly<Record<string, string>>
  /** Additional Node arguments by process name. */
  nodeArgs?: ((name: string) => readonly string[]) | undefined
  /** The checkout they run from; this one by default. */
  tree?: string | undefined
}>

/** As in `deploy/`: an api process also takes callbacks, and a worker also polls. */
const ROLES = { api: 'api,callbacks', worker: 'worker,poller', projector: 'projector' } as const
export type Role = keyof typeof ROLES

const LISTENS = /listens on http:\/\/127\.0\.0\.1:(\d+)/

export class Members implements AsyncDisposable {
  readonly #launch: Launch
  readonly #started: Member[] = []

  constructor(launch: Launch) {
    this.#launch = launch
  }

  get all(): readonly Member[] {
    return this.#started
  }

  withRole(role: Role): readonly Member[] {
    return this.#started.filter(({ name }) => name.startsWith(role))
  }

  /** Starts more processes of a role; the first of them on this port. */
  async serve(role: Role, count: number, port = 0): Promise<void> {
    const running = this.withRole(role).length
    const args = ['serve', '--roles', ROLES[role]]
    const starting = Array.from({ length: count }, (_, index) =>
      this.#start(`${role} ${running + index + 1}`, args, index === 0 ? port : 0),
    )
    await Promise.all(starting)
  }

  async simulate(port: number): Promise<void> {
    const path = join(this.#launch.cwd, 'simulator.db')
    await this.#start('simulator', ['simulator', '--port', String(port), '--path', path], 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#started.map((member) => member[Symbol.asyncDispose]()))
  }

  async #start(name: string, args: readonly string[], port: number): Promise<void> {
    const { cwd, env, nodeArgs, tree = ROOT } = this.#launch
    const running = await startProcess({
      name,
      file: process.execPath,
      args: [...MEMORY, ...(nodeArgs?.(name) ?? []), join(tree, 'src/main.ts'), ...args],
      env: { NODE_COMPILE_CACHE: compileCacheOf(tree), ...env, POMBO_PORT: String(port) },
      cwd,
      ready: LISTENS,
    })
    this.#started.push({ ...running, name, port: Number(running.matched[1]) })
  }
}
