/** A PostgreSQL server of the tests' own, in a folder that goes with it. It forces its writes to disk, as in life, unless told. */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { START_WITHIN_MS, until } from './until.ts'

const run = promisify(execFile)
const PACKAGED = '/usr/lib/postgresql'
const PATH = process.env['PATH'] ?? ''
const OLDEST = 15
const ANSWER_WITHIN_MS = 5_000
const PASSWORD = 'only-for-tests'

/** The folder of a PostgreSQL that is new enough, the newest packaged one before that of the PATH. */
export function findPostgres(): string | undefined {
  const versions = listFolder(PACKAGED).toSorted((one, other) => Number(other) - Number(one))
  const folders = [...versions.map((version) => join(PACKAGED, version, 'bin')), ...PATH.split(delimiter)]
  return folders.find((folder) => versionOf(folder) >= OLDEST)
}

function versionOf(folder: string): number {
  try {
    const said = execFileSync(join(folder, 'initdb'), ['--version'], { encoding: 'utf8', stdio: 'pipe' })
    return Number(said.match(/ (\d+)/)?.[1])
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
  // A frozen one hears nothing before it is thawed.
  for (const child of running) for (const signal of ['SIGQUIT', 'SIGCONT'] as const) child.kill(signal)
  for (const folder of folders) removeFolder(folder)
})
// Without these a test that is interrupted would end before it is told to.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

type User = Readonly<{ uid: number; gid: number }> | undefined
type Place = Readonly<{ programs: string; folder: string; port: number; user: User; fsync: Switch }>
type Switch = 'on' | 'off'

/** Without `fsync` it is faster, and keeps what was committed as long as the machine does not go down. */
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
  /** With the right to everything. */
  readonly url: string
  readonly #place: Place
  #child: ChildProcess | undefined

  constructor(place: Place) {
    this.#place = place
    this.url = `postgres://admin:${PASSWORD}@127.0.0.1:${place.port}/postgres`
  }

  /** Right after a kill, what is left of the old server may be in the way of the new one for a moment. */
  async start(): Promise<void> {
    this.#child = await until('PostgreSQL to start', () => launch(this.#place, this.url), {
      withinMs: START_WITHIN_MS,
    })
  }

  /** In order: whoever is connected is sent away. */
  async stop(): Promise<void> {
    await this.#end('SIGINT')
  }

  /** Without any order, as when the power fails. */
  async kill(): Promise<void> {
    await this.#toAll('SIGKILL')
    await this.#end('SIGKILL')
  }

  /** From now on it takes connections and questions, and answers none. */
  async freeze(): Promise<void> {
    await this.#toAll('SIGSTOP')
  }

  async thaw(): Promise<void> {
    await this.#toAll('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.thaw()
    await this.#end('SIGQUIT')
    removeFolder(this.#place.folder)
  }

  /** To the server and the processes that serve its connections. */
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

/** Undefined when it did not start. */
async function launch({ programs, folder, port, user, fsync }: Place, url: string): Promise<ChildProcess | undefined> {
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

/** Who has ended by itself in the meantime needs no signal. */
function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** PostgreSQL refuses to be run by root. */
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

function freePort(): Promise<number> {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
}
