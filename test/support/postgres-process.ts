/** Starts a PostgreSQL server for tests in a temporary folder. It syncs writes to disk unless `fsync` is off. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { freePort } from './free-port.ts'
import { START_WITHIN_MS, until } from './until.ts'

const run = promisify(execFile)
const PACKAGED = '/usr/lib/postgresql'
const PATH = process.env['PATH'] ?? ''
const OLDEST = 15
const ANSWER_WITHIN_MS = 5_000
const PASSWORD = 'only-for-tests'

/** The program folder of a supported PostgreSQL: the newest packaged version, else the one in PATH. */
export function findPostgres(): string | undefined {
  const versions = listFolder(PACKAGED).toSorted((one, other) => Number(other) - Number(one))
  const folders = [...versions.map((version) => join(PACKAGED, version, 'bin')), ...PATH.split(delimiter)]
  return folders.find((folder) => versionOf(folder) >= OLDEST)
}

function versionOf(folder: string): number {
  try {
    const output = execFileSync(join(folder, 'initdb'), ['--version'], { encoding: 'utf8', stdio: 'pipe' })
    return Number(output.match(/ (\d+)/)?.[1])
  } catch {
    return 0
  }
}

function listFolder(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

const running = new Set<ChildProcess>()
const folders = new Set<string>()
process.once('exit', () => {
  // A frozen process handles SIGQUIT only after SIGCONT.
  for (const child of running) for (const signal of ['SIGQUIT', 'SIGCONT'] as const) child.kill(signal)
  for (const folder of folders) removeFolder(folder)
})
// Without these handlers an interrupted test would not run its `exit` handlers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

type User = Readonly<{ uid: number; gid: number }> | undefined
type ServerOptions = Readonly<{ programs: string; folder: string; port: number; user: User; fsync: Switch }>
type Switch = 'on' | 'off'

/** Without `fsync` it is faster, and committed data survives a crash of the server but not of the machine. */
export async function startPostgres(programs: string, fsync: Switch = 'on'): Promise<PostgresProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-postgres-'))
  folders.add(folder)
  const [user, port, password] = [await unprivileged(), await freePort(), join(folder, 'password')]
  writeFileSync(password, PASSWORD)
  if (user !== undefined) for (const path of [folder, password]) chownSync(path, user.uid, user.gid)
  const auth = ['-U', 'admin', '-A', 'scram-sha-256', `--pwfile=${password}`]
  const args = ['-D', join(folder, 'data'), ...auth, '-E', 'UTF8', '--locale=C', '--no-sync', '--no-instructions']
  await run(join(programs, 'initdb'), args, { ...user, cwd: folder })
  const server = new PostgresProcess({ programs, folder, port, user, fsync })
  await server.start()
  return server
}

export class PostgresProcess implements AsyncDisposable {
  /** With superuser rights. */
  readonly url: string
  readonly #options: ServerOptions
  #child: ChildProcess | undefined

  constructor(options: ServerOptions) {
    this.#options = options
    this.url = `postgres://admin:${PASSWORD}@127.0.0.1:${options.port}/postgres`
  }

  /** Retries: right after a kill, remains of the old server may block the new one for a moment. */
  async start(): Promise<void> {
    this.#child = await until('PostgreSQL to start', () => launch(this.#options, this.url), {
      withinMs: START_WITHIN_MS,
    })
  }

  /** Stops gracefully (fast shutdown): open connections are closed. */
  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  /** Kills, as a power failure would. */
  async kill(): Promise<void> {
    await this.#toAll('SIGKILL')
    await this.#end('SIGKILL')
  }

  /** The server accepts connections and queries, and answers none. */
  async freeze(): Promise<void> {
    await this.#toAll('SIGSTOP')
  }

  async thaw(): Promise<void> {
    await this.#toAll('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.thaw()
    await this.#end('SIGQUIT')
    removeFolder(this.#options.folder)
  }

  /** Signals the server and the processes that serve its connections. */
  async #toAll(signal: NodeJS.Signals): Promise<void> {
    const { pid } = this.#child ?? {}
    if (pid === undefined) return
    const { stdout } = await run('pgrep', ['-P', String(pid)]).catch(() => ({ stdout: '' }))
    for (const one of [pid, ...stdout.split('\n').filter(Boolean).map(Number)]) signalOne(one, signal)
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
}

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=64MB',
  'max_connections=500',
]

/** Undefined if the server did not start. */
async function launch(
  { programs, folder, port, user, fsync }: ServerOptions,
  url: string,
): Promise<ChildProcess | undefined> {
  const data = join(folder, 'data')
  const settings = [...SETTINGS, `port=${port}`, `fsync=${fsync}`].flatMap((setting) => ['-c', setting])
  const child = spawn(join(programs, 'postgres'), ['-D', data, ...settings], { ...user, cwd: data, stdio: 'ignore' })
  running.add(child)
  let ended = false
  for (const end of ['exit', 'error']) {
    child.once(end, () => {
      ended = true
      running.delete(child)
    })
  }
  await until('PostgreSQL to take connections', async () => ended || (await answers(url)), {
    withinMs: START_WITHIN_MS,
  })
  return ended ? undefined : child
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: ANSWER_WITHIN_MS })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

/** Ignores a process that has already ended. */
function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** PostgreSQL refuses to run as root. */
async function unprivileged(): Promise<User> {
  if (process.getuid?.() !== 0) return undefined
  const idOf = async (flag: string, name: string): Promise<number> => Number((await run('id', [flag, name])).stdout)
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: await idOf('-u', name), gid: await idOf('-g', name) }
    } catch {
      // Not every system has both.
    }
  }
  throw new Error('PostgreSQL cannot be run by root, and there is no user postgres or nobody')
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  folders.delete(folder)
}
