/**
 * The load generator: its own process, cheap enough to leave the CPU to the server.
 *
 * Closed loop: every connection sends its next request when the previous one is answered. Open loop: requests are sent
 * on schedule, whether or not earlier ones are answered, and latency counts from the scheduled time, so that a stalling
 * server cannot hide it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Connection } from './connection.ts'
import { Histogram, type Latency, toLatency } from './histogram.ts'
import type { Request } from './request.ts'

export type Pace = Readonly<{ kind: 'closed' } | { kind: 'open'; rate: number; arrivals: 'poisson' | 'even' }>

export type LoadSpec = Readonly<{
  /** Connections are spread evenly over the ports. */
  ports: readonly number[]
  request: Request
  connections: number
  pace: Pace
  warmUpSeconds: number
  /** The duration, or until this many requests are answered. */
  seconds: number
  requests?: number
}>

export type LoadReport = Readonly<{
  /** Responses during the measurement. */
  answers: number
  seconds: number
  perSecond: number
  /** In milliseconds. */
  latency: Latency
  /**
   * How late the load generator itself was in an open loop: from the scheduled time of a request until it could have
   * sent it. Part of the latency. Waiting for a free connection is not included: that is the server's doing.
   */
  lateness: Latency
  statuses: Readonly<Record<string, number>>
  /** Requests that were not answered, or lost with their connection. */
  lost: number
  /** CPU of the load generator itself. */
  cpuMicrosPerAnswer: number
}>

const TICK_MS = 1
const GRACE_MS = 5_000

export class Load {
  readonly #spec: LoadSpec
  readonly #connections = new Set<Connection>()
  /** Last in, first out, so that no more connections are used than necessary. */
  readonly #idle: Connection[] = []
  readonly #waiting: number[] = []
  readonly #latency = new Histogram()
  readonly #lateness = new Histogram()
  readonly #statuses = new Map<number, number>()
  readonly #broken = Promise.withResolvers<never>()
  readonly #finished = Promise.withResolvers<void>()
  #rate: number
  #nextAt = Number.POSITIVE_INFINITY
  #from = Number.POSITIVE_INFINITY
  #until = Number.POSITIVE_INFINITY
  #lastNumber = 0
  #sent = 0
  #underWay = 0
  #answers = 0
  #lost = 0
  #stopped = false

  constructor(spec: LoadSpec) {
    this.#spec = spec
    this.#rate = spec.pace.kind === 'open' ? spec.pace.rate : 0
  }

  /** Changes the rate of an open loop from the next request on. */
  setRate(rate: number): void {
    this.#rate = rate
  }

  /** Calls `onStarted` when the warm-up is over and the measurement begins. */
  async run(onStarted: () => void = () => {}): Promise<LoadReport> {
    const { warmUpSeconds, seconds } = this.#spec
    // Avoids an unhandled rejection when nothing awaits it.
    this.#broken.promise.catch(() => undefined)
    let ticking: NodeJS.Timeout | undefined
    try {
      await Promise.all(
        Array.from({ length: this.#spec.connections }, (_, index) => this.#connect(this.#portAt(index))),
      )
      const isWarm = warmUpSeconds === 0
      if (!isWarm) {
        ticking = this.#begin()
        await this.#orBroken(wait(warmUpSeconds * 1000))
      }
      onStarted()
      const cpu = process.cpuUsage()
      this.#from = performance.now()
      if (isWarm) ticking = this.#begin()
      await this.#orBroken(Promise.race([wait(seconds * 1000), this.#finished.promise]))
      this.#until = performance.now()
      const used = process.cpuUsage(cpu)
      await this.#orBroken(this.#end())
      return this.#report((used.user + used.system) / Math.max(this.#answers, 1))
    } finally {
      clearInterval(ticking)
      this.#stopped = true
      for (const connection of this.#connections) connection.close()
    }
  }

  #orBroken<Value>(promise: Promise<Value>): Promise<Value> {
    return Promise.race([promise, this.#broken.promise])
  }

  #begin(): NodeJS.Timeout | undefined {
    if (this.#spec.pace.kind === 'open') {
      this.#nextAt = performance.now()
      return setInterval(() => this.#pump(performance.now()), TICK_MS)
    }
    for (const connection of this.#idle.splice(0)) this.#sendNext(connection, performance.now())
    return undefined
  }

  /** Stops sending, and waits for outstanding responses for a while. */
  async #end(): Promise<void> {
    this.#stopped = true
    this.#nextAt = Number.POSITIVE_INFINITY
    const deadline = performance.now() + GRACE_MS
    while (this.#underWay + this.#waiting.length > 0 && performance.now() < deadline) await wait(TICK_MS)
    this.#lost += this.#underWay + this.#waiting.length
  }

  #report(cpuMicrosPerAnswer: number): LoadReport {
    const seconds = (this.#until - this.#from) / 1000
    return {
      answers: this.#answers,
      seconds,
      perSecond: this.#answers / seconds,
      latency: toLatency(this.#latency),
      lateness: toLatency(this.#lateness),
      statuses: Object.fromEntries(this.#statuses),
      lost: this.#lost,
      cpuMicrosPerAnswer,
    }
  }

  #portAt(index: number): number {
    const { ports } = this.#spec
    return ports[index % ports.length] ?? 0
  }

  async #connect(port: number): Promise<void> {
    const connection = await Connection.open(port, this.#spec.request, {
      onAnswer: (answered, status) => this.#answered(answered, status),
      onBroken: (broken, busy) => this.#replace(broken, busy),
      onFault: (error) => this.#broken.reject(error),
    })
    this.#connections.add(connection)
    this.#idle.push(connection)
  }

  /** The server may close an idle connection at any time; only a request in flight counts as lost. */
  #replace(broken: Connection, busy: boolean): void {
    this.#connections.delete(broken)
    const index = this.#idle.indexOf(broken)
    if (index !== -1) this.#idle.splice(index, 1)
    if (busy) {
      this.#lost += 1
      this.#underWay -= 1
    }
    if (!this.#stopped) this.#connect(broken.port).then(() => this.#continue(performance.now()), this.#broken.reject)
  }

  #answered(connection: Connection, status: number): void {
    const now = performance.now()
    const { since } = connection
    this.#underWay -= 1
    if (now >= this.#from && now < this.#until) {
      this.#answers += 1
      this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1)
    }
    if (since >= this.#from && since < this.#until) this.#latency.record((now - since) * 1000)
    if (this.#sent === this.#spec.requests && this.#underWay === 0) this.#finished.resolve()
    this.#idle.push(connection)
    this.#continue(now)
  }

  #continue(now: number): void {
    if (this.#spec.pace.kind === 'open') this.#pump(now)
    else if (!this.#stopped) {
      const connection = this.#idle.pop()
      if (connection !== undefined) this.#sendNext(connection, now)
    }
  }

  #pump(now: number): void {
    while (this.#nextAt <= now) {
      if (this.#nextAt >= this.#from) this.#lateness.record((now - this.#nextAt) * 1000)
      this.#waiting.push(this.#nextAt)
      this.#nextAt += this.#interval()
    }
    while (this.#waiting.length > 0) {
      const connection = this.#idle.pop()
      if (connection === undefined) return
      const meantAt = this.#waiting.shift() ?? now
      this.#sendNext(connection, meantAt)
    }
  }

  #interval(): number {
    const mean = 1000 / this.#rate
    const { pace } = this.#spec
    return pace.kind === 'open' && pace.arrivals === 'poisson' ? -Math.log(1 - Math.random()) * mean : mean
  }

  #sendNext(connection: Connection, since: number): void {
    if (this.#sent === this.#spec.requests) return
    this.#underWay += 1
    this.#lastNumber = connection.send(since, this.#lastNumber, this.#sent)
    this.#sent += 1
  }
}

/** The messages between the load generator and the process that started it. */
export type LoadOrder = Readonly<{ kind: 'run'; spec: LoadSpec } | { kind: 'rate'; rate: number }>
export type LoadMessage = Readonly<{ kind: 'started' } | { kind: 'done'; report: LoadReport }>

function serve(): void {
  let load: Load | undefined
  const report = (message: LoadMessage): void => void process.send?.(message)
  process.on('disconnect', () => process.exit())
  process.on('message', (order: LoadOrder) => {
    if (order.kind === 'rate') return load?.setRate(order.rate)
    load = new Load(order.spec)
    load
      .run(() => report({ kind: 'started' }))
      .then(
        (result) => report({ kind: 'done', report: result }),
        (error: Error) => {
          process.stderr.write(`the load generator: ${error.message}\n`)
          process.exit(1)
        },
      )
  })
}

if (import.meta.main) serve()
