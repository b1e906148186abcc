/**
 * The one connection of a process to Redis. A command is answered, or rejected with `Unavailable` within
 * a quarter of a second, and at once while Redis is known to be away; it is never sent a second time,
 * because most of them count. What is said in one turn of the loop leaves in one go.
 */
import { Redis } from 'ioredis'
import { Unavailable } from '../../ports/unavailable.ts'
import { SCRIPTS, type ScriptName } from './scripts.ts'

type Word = string | number
type Said = Readonly<{
  words: [string, ...Word[]]
  resolve: (answer: unknown) => void
  reject: (error: Error) => void
}>

const ANSWER_MS = 250
const CONNECT_MS = 1_000
const RECONNECT_MS = 100
const KEEP_ALIVE_MS = 10_000

/** Opens also while Redis is away, and connects as soon as it is there. */
export async function openRedis(url: string): Promise<Connection> {
  const driver = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    keepAlive: KEEP_ALIVE_MS,
    retryStrategy: () => RECONNECT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // Whether it is well is asked by a command like any other.
    enableReadyCheck: false,
    disableClientInfo: true,
    connectionName: 'pombo',
    scripts: SCRIPTS,
  })
  // What breaks the connection also fails the commands that wait for it.
  driver.on('error', () => undefined)
  await driver.connect().catch(() => undefined)
  return new Connection(driver)
}

export class Connection implements AsyncDisposable {
  readonly #driver: Redis
  #outbox: Said[] = []

  constructor(driver: Redis) {
    this.#driver = driver
  }

  run(script: ScriptName, keys: readonly string[], args: readonly Word[]): Promise<unknown> {
    return this.#say([script, keys.length, ...keys, ...args])
  }

  ask(command: string, ...args: readonly Word[]): Promise<unknown> {
    return this.#say([command, ...args])
  }

  /** Ends the connection so that nothing said over it arrives late, and makes a new one. */
  reset(): void {
    if (this.#driver.status === 'ready') this.#driver.stream.resetAndDestroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#send()
    this.#driver.disconnect()
  }

  #say(words: Said['words']): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#driver.status !== 'ready') throw new Unavailable('Redis is away')
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
    // A process that stood still for a while finds the timer due before it reads an answer that is there.
    const timer = setTimeout(() => setImmediate(giveUp), ANSWER_MS)
    const answers = await this.#driver.pipeline(outbox.map(({ words }) => words)).exec()
    clearTimeout(timer)
    for (const [nth, { resolve, reject }] of outbox.entries()) {
      const [error, answer] = answers?.[nth] ?? [new Error('there is no answer')]
      if (error === null) resolve(answer)
      else reject(new Unavailable('Redis cannot do it right now', { cause: error }))
    }
  }
}
