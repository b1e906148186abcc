/**
 * The one connection of a process to the broker. A question is answered, or rejected with
 * `Unavailable` within a bounded time, and at once while the broker is known to be away. It
 * reconnects by itself, for as long as it takes.
 *
 * Questions go through an inbox of our own: twice as fast as the driver's with many under way. What
 * is said in one turn of the loop leaves in one go, because a write costs more than what it carries.
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
import { parseServers, toDisplay } from './servers.ts'

export type Headers = Readonly<Record<string, string | number>>
export type Payload = string | Uint8Array

export type NatsOptions = Readonly<{
  /** One or more servers, separated by commas: `nats://user:password@host:4222`, or `tls://…`. */
  url: string
  /** How this process shows up among the broker's connections. */
  name?: string
  /** How long an answer may take. */
  timeoutMs?: number
}>

/** The broker is not one that we can work with. */
export class UnfitBroker extends Error {
  readonly exitCode = 78
}

/** There was no broker to begin with. */
export class BrokerAway extends Unavailable {
  readonly exitCode = 69
}

type Said = Parameters<NatsConnection['publish']>
/** `isDone` says whether an answer is the last one. */
type Asked = Readonly<{
  resolve: (answer: Msg) => void
  reject: (error: Error) => void
  deadline: number
  isDone?: (answer: Msg) => boolean
}>

const OLDEST: readonly [major: number, minor: number] = [2, 12]
const TIMEOUT_MS = 5_000
/** How much later than promised a question may be given up. */
const SWEEP_MS = 250
const CLOSE_WITHIN_MS = 2_000
const NOBODY = 503

/** Refuses a broker that is too old, or keeps no messages. */
export async function openNats({ url, name = 'pombo', timeoutMs = TIMEOUT_MS }: NatsOptions): Promise<Connection> {
  const where = toDisplay(url)
  const driver = await connect({ ...parseServers(url), ...PATIENT, name }).catch((cause: unknown) => {
    throw new BrokerAway(`NATS at ${where} cannot be reached: start it, or correct its address`, { cause })
  })
  const connection = new Connection(driver, timeoutMs)
  try {
    await assertFit(connection, where)
  } catch (error) {
    await connection[Symbol.asyncDispose]()
    throw error
  }
  return connection
}

const PATIENT: ConnectionOptions = {
  noAsyncTraces: true,
  maxReconnectAttempts: -1,
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: 250,
  reconnectJitter: 250,
  timeout: TIMEOUT_MS,
  pingInterval: 10_000,
}

async function assertFit(connection: Connection, where: string): Promise<void> {
  const { version } = connection
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw new UnfitBroker(`NATS at ${where} is version ${version}, and Pombo needs ${OLDEST.join('.')} or newer`)
  }
  const answer = await connection.ask('$JS.API.INFO', '').catch((error: unknown) => error)
  const disabled = answer instanceof NobodyThere || (isMsg(answer) && 'error' in answer.json<object>())
  if (disabled) throw new UnfitBroker(`NATS at ${where} runs without JetStream: start it with JetStream enabled`)
  if (answer instanceof Error) throw answer
}

const isMsg = (answer: unknown): answer is Msg => !(answer instanceof Error)

/** The broker is there, and nobody on it takes what was sent: a stream without a leader, or none at all. */
export class NobodyThere extends Unavailable {}

export class Connection implements AsyncDisposable {
  readonly #driver: NatsConnection
  readonly #timeoutMs: number
  readonly #inbox = createInbox()
  /** In the order of their deadlines. */
  readonly #asked = new Map<string, Asked>()
  readonly #listeners = new Set<() => void>()
  readonly #sweeper: NodeJS.Timeout
  #outbox: Said[] = []
  #questions = 0
  #isUp = true

  constructor(driver: NatsConnection, timeoutMs: number) {
    this.#driver = driver
    this.#timeoutMs = timeoutMs
    this.subscribe(`${this.#inbox}.*`, (answer) => this.#answered(answer))
    this.#sweeper = setInterval(() => this.#sweep(), SWEEP_MS).unref()
    void this.#watch()
  }

  get version(): string {
    return this.#driver.info?.version ?? '0'
  }

  get isUp(): boolean {
    return this.#isUp
  }

  ask(subject: string, payload: Payload, headers?: Headers): Promise<Msg> {
    return this.#ask([subject, payload, withHeaders(headers)])
  }

  /** All answers to a question that has several, up to and including the one that `isLast`. */
  async askForAll(subject: string, payload: Payload, isLast: (answer: Msg) => boolean): Promise<readonly Msg[]> {
    const answers: Msg[] = []
    const isDone = (answer: Msg): boolean => {
      answers.push(answer)
      return isLast(answer)
    }
    await this.#ask([subject, payload, {}], isDone)
    return answers
  }

  /** Says something that is not answered. What is said while the broker is away is refused, not kept for later. */
  tell(subject: string, payload: Payload = '', reply?: string): void {
    if (!this.#isUp) throw new Unavailable('the broker is away')
    this.#say([subject, payload, reply === undefined ? {} : { reply }])
  }

  subscribe(subject: string, listen: (msg: Msg) => void): Subscription {
    return this.#driver.subscribe(subject, {
      callback: (error, msg) => {
        if (error === null) listen(msg)
      },
    })
  }

  /** Calls whenever the broker went away or came back, until the answer is called. */
  onTurn(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#sweeper)
    this.#flush()
    const { promise: tooLong, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, CLOSE_WITHIN_MS)
    if (this.#isUp) await Promise.race([this.#driver.flush().catch(() => undefined), tooLong])
    clearTimeout(timer)
    this.#turn(false)
    await this.#driver.close()
  }

  #ask([subject, payload, options]: Said, isDone?: Asked['isDone']): Promise<Msg> {
    return new Promise((resolve, reject) => {
      if (!this.#isUp) throw new Unavailable('the broker is away')
      this.#questions += 1
      const token = this.#questions.toString(36)
      this.#say([subject, payload, { ...options, reply: `${this.#inbox}.${token}` }])
      const deadline = performance.now() + this.#timeoutMs
      this.#asked.set(token, { resolve, reject, deadline, ...(isDone === undefined ? {} : { isDone }) })
    })
  }

  #say(said: Said): void {
    if (this.#outbox.length === 0) setImmediate(() => this.#flush())
    this.#outbox.push(said)
  }

  /** Whoever asked while the broker went away knows already. */
  #flush(): void {
    const outbox = this.#outbox
    this.#outbox = []
    if (this.#isUp) for (const said of outbox) this.#publish(said)
  }

  /** What is larger than the broker takes is refused here, to whoever asked, and to nobody else. */
  #publish(said: Said): void {
    try {
      this.#driver.publish(...said)
    } catch (error) {
      const token = said[2]?.reply?.slice(this.#inbox.length + 1) ?? ''
      this.#asked.get(token)?.reject(new Error('the broker cannot be told this', { cause: error }))
      this.#asked.delete(token)
    }
  }

  async #watch(): Promise<void> {
    for await (const { type } of this.#driver.status()) {
      if (type === 'disconnect' || type === 'close') this.#turn(false)
      if (type === 'reconnect') this.#turn(true)
    }
    this.#turn(false)
  }

  #turn(isUp: boolean): void {
    if (isUp === this.#isUp) return
    this.#isUp = isUp
    const asked = [...this.#asked.values()]
    this.#asked.clear()
    for (const { reject } of asked) reject(new Unavailable('the broker went away before it answered'))
    for (const listener of [...this.#listeners]) listener()
  }

  #answered(answer: Msg): void {
    const token = answer.subject.slice(this.#inbox.length + 1)
    const asked = this.#asked.get(token)
    const isNobody = answer.headers?.code === NOBODY && answer.data.length === 0
    if (asked === undefined || (!isNobody && asked.isDone?.(answer) === false)) return
    this.#asked.delete(token)
    if (isNobody) asked.reject(new NobodyThere('nobody on the broker takes this right now'))
    else asked.resolve(answer)
  }

  #sweep(): void {
    const now = performance.now()
    for (const [token, { deadline, reject }] of this.#asked) {
      if (deadline > now) return
      this.#asked.delete(token)
      reject(new Unavailable(`the broker did not answer within ${this.#timeoutMs} ms`))
    }
  }
}

function withHeaders(headers: Headers | undefined) {
  if (headers === undefined) return {}
  const all = newHeaders()
  for (const [name, value] of Object.entries(headers)) all.set(name, String(value))
  return { headers: all }
}
