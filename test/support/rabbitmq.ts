/**
 * RabbitMQ for tests, in a temporary folder. It is durable: what it has confirmed is there after a restart. It gets an
 * `epmd` of its own, because it would otherwise leave one running.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { accessSync, chownSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectAmqp, type GetMessage } from 'amqplib'
import { freePorts } from './free-port.ts'
import { START_WITHIN_MS, until } from './until.ts'

/** The script in the PATH refuses to run as any user but root and rabbitmq. */
const PROGRAM = '/usr/lib/rabbitmq/bin/rabbitmq-server'
const ANSWER_WITHIN_MS = 5_000

export function findRabbit(): string | undefined {
  try {
    accessSync(PROGRAM, constants.X_OK)
    return PROGRAM
  } catch {
    return undefined
  }
}

export const missingRabbit = (): string | undefined =>
  findRabbit() === undefined ? 'rabbitmq-server is not installed' : undefined

const running = new Set<ChildProcess>()
const folders = new Set<string>()
process.once('exit', () => {
  for (const child of running) killGroup(child)
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
// Without these handlers an interrupted test would not run its `exit` handlers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

type User = Readonly<{ uid: number; gid: number }> | undefined

export async function startRabbit(): Promise<RabbitMq> {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-rabbit-'))
  folders.add(folder)
  const user = unprivileged()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const [port = 0, inner = 0, names = 0] = await freePorts(3)
  writeFileSync(join(folder, 'plugins'), '[].')
  writeFileSync(
    join(folder, 'rabbitmq.conf'),
    [`listeners.tcp.1 = 127.0.0.1:${port}`, 'disk_free_limit.absolute = 1MB', 'log.console.level = error'].join('\n'),
  )
  const env = {
    PATH: process.env['PATH'],
    LANG: 'C.UTF-8',
    HOME: folder,
    ERL_EPMD_PORT: String(names),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: `pombo${port}@localhost`,
    RABBITMQ_DIST_PORT: String(inner),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_LOGS: '-',
    // Idle schedulers would spin.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '+S 2:2 +sbwt none -kernel inet_dist_use_interface {127,0,0,1}',
  }
  const run = (program: string, args: readonly string[]): ChildProcess => {
    const child = spawn(program, args, { ...user, env, cwd: folder, stdio: 'ignore', detached: true })
    running.add(child)
    child.once('exit', () => running.delete(child))
    return child
  }
  const namer = run('epmd', ['-address', '127.0.0.1', '-port', String(names)])
  const server = new RabbitMq(port, folder, run, namer)
  await server.start()
  return server
}

export class RabbitMq implements AsyncDisposable {
  readonly url: string
  readonly #port: number
  readonly #folder: string
  readonly #run: (program: string, args: readonly string[]) => ChildProcess
  readonly #namer: ChildProcess
  #child: ChildProcess | undefined

  constructor(
    port: number,
    folder: string,
    run: (program: string, args: readonly string[]) => ChildProcess,
    namer: ChildProcess,
  ) {
    this.#port = port
    this.#folder = folder
    this.#run = run
    this.#namer = namer
    this.url = `amqp://guest:guest@127.0.0.1:${port}`
  }

  /** On the same port and folder as before. */
  async start(): Promise<void> {
    const child = this.#run(PROGRAM, [])
    this.#child = child
    await until('RabbitMQ to answer', () => hasEnded(child) || answers(this.#port), { withinMs: START_WITHIN_MS })
    if (hasEnded(child)) throw new Error('rabbitmq-server ended before it was ready')
  }

  /** As a power failure would, except that the cache of the operating system survives. */
  async kill(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child !== undefined) await endGroup(child)
  }

  /** A durable topic exchange with one durable queue for the routing keys that match. */
  async declare(exchange: string, pattern = '#'): Promise<void> {
    const connection = await connectAmqp(this.url)
    const channel = await connection.createChannel()
    await channel.assertExchange(exchange, 'topic', { durable: true })
    await channel.assertQueue(exchange, { durable: true })
    await channel.bindQueue(exchange, exchange, pattern)
    await connection.close()
  }

  /** Takes everything out of the queue of an exchange. */
  async drain(queue: string): Promise<readonly GetMessage[]> {
    const connection = await connectAmqp(this.url)
    const channel = await connection.createChannel()
    const found: GetMessage[] = []
    for (let next = await channel.get(queue, { noAck: true }); next !== false; ) {
      found.push(next)
      next = await channel.get(queue, { noAck: true })
    }
    await connection.close()
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    await endGroup(this.#namer)
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })
    folders.delete(this.#folder)
  }
}

/** RabbitMQ starts programs of its own. */
function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // All of them have ended.
  }
}

async function endGroup(child: ChildProcess): Promise<void> {
  const ended = hasEnded(child) || new Promise((resolve) => child.once('exit', resolve))
  killGroup(child)
  await ended
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** Its files belong to it, and it needs no rights of root. */
function unprivileged(): User {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1').setTimeout(ANSWER_WITHIN_MS)
    const end = (isReady: boolean): void => {
      socket.destroy()
      resolve(isReady)
    }
    socket.once('connect', () => socket.write(Buffer.from([0x41, 0x4d, 0x51, 0x50, 0, 0, 9, 1])))
    socket.once('data', () => end(true))
    for (const failure of ['error', 'timeout', 'close'] as const) socket.once(failure, () => end(false))
  })
