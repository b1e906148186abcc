/** A Redis server of the tests' own, in a folder that goes with it. It keeps nothing: what starts again is empty. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { START_WITHIN_MS, until } from './until.ts'

const PATH = process.env['PATH'] ?? ''
const OLDEST = 7
const ANSWER_WITHIN_MS = 5_000

/** The first redis-server of the PATH that is new enough. */
export const findRedis = (): string | undefined =>
  PATH.split(delimiter)
    .map((folder) => join(folder, 'redis-server'))
    .find((program) => versionOf(program) >= OLDEST)

function versionOf(program: string): number {
  try {
    const said = execFileSync(program, ['--version'], { encoding: 'utf8', stdio: 'pipe' })
    return Number(said.match(/v=(\d+)/)?.[1])
  } catch {
    return 0
  }
}

const running = new Set<ChildProcess>()
const folders = new Set<string>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
// Without these a test that is interrupted would end before it is told to.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

export async function startRedis(program: string): Promise<RedisProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-redis-'))
  folders.add(folder)
  const server = new RedisProcess(program, folder, await freePort())
  await server.start()
  return server
}

export class RedisProcess implements AsyncDisposable {
  readonly url: string
  readonly #program: string
  readonly #folder: string
  readonly #port: number
  #child: ChildProcess | undefined

  constructor(program: string, folder: string, port: number) {
    this.#program = program
    this.#folder = folder
    this.#port = port
    this.url = `redis://127.0.0.1:${port}`
  }

  /** Where it was, and empty; as it is when it runs already. */
  async start(): Promise<void> {
    if (this.#child !== undefined && !hasEnded(this.#child)) return
    const place = ['--bind', '127.0.0.1', '--port', String(this.#port), '--dir', this.#folder]
    const child = spawn(this.#program, [...place, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' })
    running.add(child)
    child.once('exit', () => running.delete(child))
    this.#child = child
    await until('Redis to answer', () => hasEnded(child) || answers(this.#port), {
      withinMs: START_WITHIN_MS,
      everyMs: 5,
    })
    if (hasEnded(child)) throw new Error('redis-server ended before it was ready')
  }

  /** In order. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  /** Without any order, as when the power fails. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** From now on it takes connections and commands, and answers none. */
  freeze(): void {
    this.#child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child?.kill('SIGCONT')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
    folders.delete(this.#folder)
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child === undefined || hasEnded(child)) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1').setTimeout(ANSWER_WITHIN_MS)
    const end = (isThere: boolean): void => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', () => socket.write('PING\r\n'))
    socket.once('data', (said) => end(said.toString().startsWith('+PONG')))
    for (const failure of ['error', 'timeout', 'close'] as const) socket.once(failure, () => end(false))
  })

export function freePort(): Promise<number> {
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
