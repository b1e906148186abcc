/**
 * The one connection of a process to Redis. A command is answered, or rejected with `Unavailable` within a quarter of
 * a second, and at once while Redis is unreachable. It is never sent twice, because most commands count. Commands of
 * one turn of the event loop leave in one pipeline.
 */
import { Redis } from 'ioredis'
import { Unavailable } from '../../ports/unavailable.ts'
import { SCRIPTS, type ScriptName } from './scripts.ts'

type Word = string | number
type PendingCommand = Readonly<{
  words: [string, ...Word[]]
  resolve: (answer: unknown) => void
  reject: (error: Error) => void
}>

const ANSWER_MS = 250
const CONNECT_MS = 1_000
const RECONNECT_MS = 100
const KEEP_ALIVE_MS = 10_000

/** Opens even while Redis is unreachable, and connects as soon as it is back. */
export async function openRedis(url: string): Promise<Connection> {
  const driver = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    keepAlive: KEEP_ALIVE_MS,
    retryStrategy: () => RECONNECT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // Health is checked by an ordinary command.
    enableReadyCheck: false,
    disableClientInfo: true,
    connectionName: 'pombo',
    scripts: SCRIPTS,
  })
  // An error of the connection also rejects the commands waiting for it.
  driver.on('error', () => undefined)
  await driver.connect().catch(() => undefined)
  return new Connection(driver)
}

export class Connection implements AsyncDisposable {
  readonly #driver: Redis
  #outbox: PendingCommand[] = []

  constructor(driver: Redis) {
    this.#driver = driver
  }

  run(script: ScriptName, keys: readonly string[], args: readonly Word[]): Promise<unknown> {
    return this.#enqueue([script, keys.length, ...keys, ...args])
  }

  command(command: string, ...args: readonly Word[]): Promise<unknown> {
    return this.#enqueue([command, ...args])
  }

  /** Closes the connection, so that nothing sent over it arrives late, and reconnects. */
  reset(): void {
    if (this.#driver.status === 'ready') this.#driver.stream.resetAndDestroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#send()
    this.#driver.disconnect()
  }

  #enqueue(words: PendingCommand['words']): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#driver.status !== 'ready') throw new Unavailable('Redis is unreachable')
      if (this.#outbox.length === 0) setImmediate(() => void this.#send())
      this.#outbox.push({ words, resolve, reject })
    })
  }

  async #send(): Promise<void> {
    const outbox = this.#outbox
    this.#outbox = []
    if (outbox.length === 0) return
    const giveUp = (): void => {
      for (const { reject } of outbox) reject(new Unavailable(`Redis did not answer within ${ANSWER_MS} ms`))
    }
    // A process that was suspended finds the timer due before it reads an answer that has arrived.
    const timer = setTimeout(() => setImmediate(giveUp), ANSWER_MS)
    const answers = await this.#driver.pipeline(outbox.map(({ words }) => words)).exec()
    clearTimeout(timer)
    for (const [nth, { resolve, reject }] of outbox.entries()) {
      const [error, answer] = answers?.[nth] ?? [new Error('no answer')]
      if (error === null) resolve(answer)
      else reject(new Unavailable('Redis refused the command', { cause: error }))
    }
  }
}
