/** Starts a Redis server for tests in a temporary folder. It persists nothing: it is empty after a restart. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from './free-port.ts'
import { START_WITHIN_MS, until } from './until.ts'

const PATH = process.env['PATH'] ?? ''
const OLDEST = 7
const ANSWER_WITHIN_MS = 5_000

/** The first supported redis-server in PATH. */
export const findRedis = (): string | undefined =>
  PATH.split(delimiter)
    .map((folder) => join(folder, 'redis-server'))
    .find((program) => versionOf(program) >= OLDEST)

function versionOf(program: string): number {
  try {
    const output = execFileSync(program, ['--version'], { encoding: 'utf8', stdio: 'pipe' })
    return Number(output.match(/v=(\d+)/)?.[1])
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
// Without these handlers an interrupted test would not run its `exit` handlers.
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

  /** Starts it on the same port, empty; does nothing if it is running. */
  async start(): Promise<void> {
    if (this.#child !== undefined && !hasEnded(this.#child)) return
    const args = ['--bind', '127.0.0.1', '--port', String(this.#port), '--dir', this.#folder]
    const child = spawn(this.#program, [...args, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' })
    running.add(child)
    child.once('exit', () => running.delete(child))
    this.#child = child
    await until('Redis to answer', () => hasEnded(child) || answers(this.#port), {
      withinMs: START_WITHIN_MS,
      everyMs: 5,
    })
    if (hasEnded(child)) throw new Error('redis-server ended before it was ready')
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** The server accepts connections and commands, and answers none. */
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
    const end = (isReady: boolean): void => {
      socket.destroy()
      resolve(isReady)
    }
    socket.once('connect', () => socket.write('PING\r\n'))
    socket.once('data', (reply) => end(reply.toString().startsWith('+PONG')))
    for (const failure of ['error', 'timeout', 'close'] as const) socket.once(failure, () => end(false))
  })
