/**
 * The one connection of a process to the broker. A request is answered, or rejected with `Unavailable` within a
 * bounded time, and at once while the broker is unreachable. The connection reconnects by itself without a limit.
 *
 * Requests use an inbox of our own, which is twice as fast as the driver's with many requests in flight. Messages
 * sent in one turn of the event loop leave in one write, because a write costs more than its payload.
 */

import {
  type ConnectionOptions,
  connect,
  createInbox,
  type Msg,
  type NatsConnection,
  headers as newHeaders,
  type Subscription,
} from '@nats-io/transport-node'
import { Unavailable } from '../../ports/unavailable.ts'
import { waitAtMost, withTimeout } from './deadlines.ts'
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

type PublishArgs = Parameters<NatsConnection['publish']>
/** `isDone` returns whether a reply is the last one. */
type PendingRequest = Readonly<{
  resolve: (reply: Msg) => void
  reject: (error: Error) => void
  deadline: number
  isDone: ((reply: Msg) => boolean) | undefined
}>

const OLDEST: readonly [major: number, minor: number] = [2, 12]
const TIMEOUT_MS = 5_000
/** How much later than its deadline a request may time out. */
const SWEEP_MS = 250
const CLOSE_WITHIN_MS = 2_000
const NO_RESPONDERS = 503

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

/** The broker is reachable, but the subject has no responder: the stream has no leader, or does not exist. */
class NoResponders extends Unavailable {}

export class Connection implements AsyncDisposable {
  readonly #driver: NatsConnection
  readonly #timeoutMs: number
  readonly #inbox = createInbox()
  /** Ordered by deadline. */
  readonly #pending = new Map<string, PendingRequest>()
  readonly #listeners = new Set<() => void>()
  readonly #expiry: NodeJS.Timeout
  #outbox: PublishArgs[] = []
  #requests = 0
  #isUp = true

  constructor(driver: NatsConnection, timeoutMs: number) {
    this.#driver = driver
    this.#timeoutMs = timeoutMs
    this.subscribe(`${this.#inbox}.*`, (reply) => this.#receive(reply))
    this.#expiry = setInterval(() => this.#expire(), SWEEP_MS).unref()
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
    const reply = this.#request([subject, payload, withHeaders(headers)])
    return withinMs === undefined ? reply : withTimeout(withinMs, reply)
  }

  /** All replies to a request that has several, up to and including the one that `isLast`. */
  async requestMany(subject: string, payload: Payload, isLast: (reply: Msg) => boolean): Promise<readonly Msg[]> {
    const replies: Msg[] = []
    const isDone = (reply: Msg): boolean => {
      replies.push(reply)
      return isLast(reply)
    }
    await this.#request([subject, payload, {}], isDone)
    return replies
  }

  /** Sends without waiting for a reply. While the broker is unreachable it throws; nothing is buffered. */
  send(subject: string, payload: Payload = '', reply?: string): void {
    if (!this.#isUp) throw new Unavailable('NATS is unreachable')
    this.#enqueue([subject, payload, reply === undefined ? {} : { reply }])
  }

  subscribe(subject: string, listen: (msg: Msg) => void): Subscription {
    return this.#driver.subscribe(subject, {
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
    clearInterval(this.#expiry)
    this.#flush()
    const flush = () => this.#driver.flush().catch(() => undefined)
    if (this.#isUp) await waitAtMost(CLOSE_WITHIN_MS, flush())
    this.#setUp(false)
    await this.#driver.close()
  }

  #request([subject, payload, options]: PublishArgs, isDone?: PendingRequest['isDone']): Promise<Msg> {
    return new Promise((resolve, reject) => {
      if (!this.#isUp) throw new Unavailable('NATS is unreachable')
      this.#requests += 1
      const token = this.#requests.toString(36)
      this.#enqueue([subject, payload, { ...options, reply: `${this.#inbox}.${token}` }])
      const deadline = performance.now() + this.#timeoutMs
      this.#pending.set(token, { resolve, reject, deadline, isDone })
    })
  }

  #enqueue(args: PublishArgs): void {
    if (this.#outbox.length === 0) setImmediate(() => this.#flush())
    this.#outbox.push(args)
  }

  /** If the connection was lost in between, the requests were rejected already. */
  #flush(): void {
    const outbox = this.#outbox
    this.#outbox = []
    if (this.#isUp) for (const args of outbox) this.#publish(args)
  }

  /** A payload above the broker's limit rejects only its own request. */
  #publish(args: PublishArgs): void {
    try {
      this.#driver.publish(...args)
    } catch (error) {
      const token = args[2]?.reply?.slice(this.#inbox.length + 1) ?? ''
      this.#pending.get(token)?.reject(new Error('cannot publish to NATS', { cause: error }))
      this.#pending.delete(token)
    }
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
    const pending = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of pending) reject(new Unavailable('the connection to NATS was lost before it answered'))
    for (const listener of [...this.#listeners]) listener()
  }

  #receive(reply: Msg): void {
    const token = reply.subject.slice(this.#inbox.length + 1)
    const pending = this.#pending.get(token)
    const isUnserved = reply.headers?.code === NO_RESPONDERS && reply.data.length === 0
    if (pending === undefined || (!isUnserved && pending.isDone?.(reply) === false)) return
    this.#pending.delete(token)
    if (isUnserved) pending.reject(new NoResponders('NATS has no responder for this subject right now'))
    else pending.resolve(reply)
  }

  #expire(): void {
    const now = performance.now()
    for (const [token, { deadline, reject }] of this.#pending) {
      if (deadline > now) return
      this.#pending.delete(token)
      reject(new Unavailable(`NATS did not answer within ${this.#timeoutMs} ms`))
    }
  }
}

function withHeaders(headers: Headers | undefined) {
  if (headers === undefined) return {}
  const all = newHeaders()
  for (const [name, value] of Object.entries(headers)) all.set(name, String(value))
  return { headers: all }
}
