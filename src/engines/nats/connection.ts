/**
 * The one connection of a process to the broker. A request is answered, or rejected with `Unavailable` within a
 * bounded time, and at once while the broker is unreachable. The connection reconnects by itself without a limit.
 *
 * Requests use an inbox of our own, and we encode what we send, which is several times as fast as the driver with many
 * requests in flight. Messages sent in one turn of the event loop leave in one write, because a write costs more than
 * its payload.
 */

import {
  type ConnectionOptions,
  connect,
  createInbox,
  type Msg,
  type NatsConnection,
  type Subscription,
} from '@nats-io/transport-node'
import { Unavailable } from '../../ports/unavailable.ts'
import { waitAtMost, withTimeout } from './deadlines.ts'
import { takeOver } from './driver-internals.ts'
import { type Frame, FrameWriter } from './frames.ts'
import { NoResponders, PendingRequests } from './pending-requests.ts'
import { parseServers, toDisplay } from './servers.ts'

export type Headers = Readonly<Record<string, string | number>>
export type Payload = string | Uint8Array

export type NatsOptions = Readonly<{
  /** One or more servers, separated by commas: `nats://user:password@host:4222`, or `tls://…`. */
  url: string
  /** The name shown in the broker's list of connections. */
  name?: string
  /** How long an reply may take. */
  timeoutMs?: number
}>

/** The broker is too old, or runs without JetStream. */
export class UnsupportedBroker extends Error {
  readonly exitCode = 78
}

/** The broker could not be reached at startup. */
export class BrokerUnreachable extends Unavailable {
  readonly exitCode = 69
}

const OLDEST: readonly [major: number, minor: number] = [2, 12]
const TIMEOUT_MS = 5_000
const CLOSE_WITHIN_MS = 2_000

/** Refuses a broker that is too old or runs without JetStream. */
export async function openNats({ url, name = 'pombo', timeoutMs = TIMEOUT_MS }: NatsOptions): Promise<Connection> {
  const where = toDisplay(url)
  const driver = await connect({ ...parseServers(url), ...RECONNECT_FOREVER, name }).catch((cause: unknown) => {
    throw new BrokerUnreachable(`cannot reach NATS at ${where}: start it, or correct its address`, { cause })
  })
  const connection = new Connection(driver, timeoutMs)
  try {
    await assertSupported(connection, where)
  } catch (error) {
    await connection[Symbol.asyncDispose]()
    throw error
  }
  return connection
}

const RECONNECT_FOREVER: ConnectionOptions = {
  noAsyncTraces: true,
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: 250,
  reconnectJitter: 250,
  timeout: TIMEOUT_MS,
  pingInterval: 10_000,
}

async function assertSupported(connection: Connection, where: string): Promise<void> {
  const { version } = connection
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new UnsupportedBroker(`NATS at ${where} is version ${version}; Pombo needs ${OLDEST.join('.')} or newer`)
  }
  const reply = await connection.request('$JS.API.INFO', '').catch((error: unknown) => error)
  const disabled = reply instanceof NoResponders || (isMsg(reply) && 'error' in reply.json<object>())
  if (disabled) throw new UnsupportedBroker(`NATS at ${where} runs without JetStream: start it with JetStream enabled`)
  if (reply instanceof Error) throw reply
}

const isMsg = (reply: unknown): reply is Msg => !(reply instanceof Error)

export class Connection implements AsyncDisposable {
  readonly #driver: NatsConnection
  readonly #frames: FrameWriter
  readonly #inbox = createInbox()
  readonly #pending: PendingRequests
  readonly #listeners = new Set<() => void>()
  #requests = 0
  #willFlush = false
  #isUp = true

  constructor(driver: NatsConnection, timeoutMs: number) {
    this.#driver = driver
    this.#frames = new FrameWriter(takeOver(driver))
    this.#pending = new PendingRequests(timeoutMs)
    const ownPart = this.#inbox.length + 1
    this.subscribe(`${this.#inbox}.*`, (reply) => this.#pending.receive(Number(reply.subject.slice(ownPart)), reply))
    void this.#watch()
  }

  get version(): string {
    return this.#driver.info?.version ?? '0'
  }

  get isUp(): boolean {
    return this.#isUp
  }

  /** `withinMs` shortens the time that the reply may take. */
  request(subject: string, payload: Payload, headers?: Headers, withinMs?: number): Promise<Msg> {
    const reply = this.ask(subject, payload, headers, (msg) => msg)
    return withinMs === undefined ? reply : withTimeout(withinMs, reply)
  }

  /** What `toAnswer` makes of the reply; what it throws rejects the promise. */
  ask<Answer>(
    subject: string,
    payload: Payload,
    headers: Headers | undefined,
    toAnswer: (reply: Msg) => Answer,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const take = (reply: Msg): boolean => {
        resolve(toAnswer(reply))
        return true
      }
      this.#pending.add(this.#ask(subject, payload, headers), { take, reject })
    })
  }

  /** All replies to a request that has several, up to and including the one that `isLast`. */
  requestMany(subject: string, payload: Payload, isLast: (reply: Msg) => boolean): Promise<readonly Msg[]> {
    return new Promise((resolve, reject) => {
      const replies: Msg[] = []
      const take = (reply: Msg): boolean => {
        replies.push(reply)
        if (!isLast(reply)) return false
        resolve(replies)
        return true
      }
      this.#pending.add(this.#ask(subject, payload), { take, reject })
    })
  }

  /** Sends without waiting for a reply. While the broker is unreachable it throws; nothing is buffered. */
  send(subject: string, payload: Payload = '', reply?: string): void {
    if (!this.#isUp) throw new Unavailable('NATS is unreachable')
    try {
      this.#write({ subject, payload, reply })
    } catch {
      // It is lost, like a message without a receiver: the answer to a request that named no subject, for example.
    }
  }

  /** Of the subscriptions with the same `queue`, each message reaches one. */
  subscribe(subject: string, listen: (msg: Msg) => void, queue?: string): Subscription {
    return this.#driver.subscribe(subject, {
      ...(queue !== undefined && { queue }),
      callback: (error, msg) => {
        if (error === null) listen(msg)
      },
    })
  }

  /** Calls the listener whenever the connection is lost or restored; returns a function that removes it. */
  onStateChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pending[Symbol.dispose]()
    this.#frames.flush()
    const flush = () => this.#driver.flush().catch(() => undefined)
    if (this.#isUp) await waitAtMost(CLOSE_WITHIN_MS, flush())
    this.#setUp(false)
    await this.#driver.close()
  }

  /** Returns the number of the request. */
  #ask(subject: string, payload: Payload, headers?: Headers): number {
    if (!this.#isUp) throw new Unavailable('NATS is unreachable')
    this.#requests += 1
    this.#write({ subject, payload, reply: `${this.#inbox}.${this.#requests}`, headers })
    return this.#requests
  }

  /** A message that the broker would refuse throws, and does not affect the others. */
  #write(frame: Frame): void {
    try {
      this.#frames.write(frame, this.#driver.info?.max_payload ?? Number.POSITIVE_INFINITY)
    } catch (cause) {
      throw new Error('cannot publish to NATS', { cause })
    }
    if (this.#willFlush) return
    this.#willFlush = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#willFlush = false
    this.#frames.flush()
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.#driver.status()) {
      if (type === 'disconnect' || type === 'close') this.#setUp(false)
      if (type === 'reconnect') this.#setUp(true)
    }
    this.#setUp(false)
  }

  #setUp(isUp: boolean): void {
    if (isUp === this.#isUp) return
    this.#isUp = isUp
    this.#frames.drop()
    this.#pending.rejectAll(new Unavailable('the connection to NATS was lost before it answered'))
    for (const listener of [...this.#listeners]) listener()
  }
}
