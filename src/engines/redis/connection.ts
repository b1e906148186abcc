/**
 * The one connection of a process to Redis. A command is answered, or rejected with `Unavailable` within a quarter of
 * a second, and at once while Redis is unreachable. It is never sent twice, because most commands count. Commands of
 * one turn of the event loop leave in one write.
 */
import { Redis } from 'ioredis'
import { Unavailable } from '../../ports/unavailable.ts'
import { SCRIPTS, type ScriptName } from './scripts.ts'

export type Word = string | number
/** What a script is called with. */
export type Call = Readonly<{ keys: readonly string[]; args: readonly Word[] }>

type PendingCommand = Readonly<{
  name: string
  toWords: () => readonly Word[]
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

  /** Asks for the call only when the turn ends, so that it can include what is wanted by then. */
  run(script: ScriptName, toCall: () => Call): Promise<unknown> {
    return this.#enqueue(script, () => {
      const { keys, args } = toCall()
      return [keys.length, ...keys, ...args]
    })
  }

  command(command: string, ...args: readonly Word[]): Promise<unknown> {
    return this.#enqueue(command, () => args)
  }

  /** Closes the connection, so that nothing sent over it arrives late, and reconnects. */
  reset(): void {
    if (this.#driver.status === 'ready') this.#driver.stream.resetAndDestroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#send()
    this.#driver.disconnect()
  }

  #enqueue(name: string, toWords: PendingCommand['toWords']): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#driver.status !== 'ready') throw new Unavailable('Redis is unreachable')
      if (this.#outbox.length === 0) setImmediate(() => void this.#send())
      this.#outbox.push({ name, toWords, resolve, reject })
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
    const { stream } = this.#driver
    stream.cork()
    const answered = outbox.map((command) => this.#sendOne(command))
    stream.uncork()
    await Promise.all(answered)
    clearTimeout(timer)
  }

  async #sendOne({ name, toWords, resolve, reject }: PendingCommand): Promise<void> {
    try {
      resolve(await callByName(this.#driver, name, toWords()))
    } catch (cause) {
      reject(new Unavailable('Redis refused the command', { cause }))
    }
  }
}

type Commands = Readonly<Record<string, (...words: readonly Word[]) => Promise<unknown>>>

/** The driver has a method for every command and every script. */
function callByName(driver: Redis, name: string, words: readonly Word[]): Promise<unknown> {
  const call = (driver as unknown as Commands)[name]
  if (call === undefined) throw new Error(`no such command: ${name}`)
  return call.apply(driver, [...words])
}
