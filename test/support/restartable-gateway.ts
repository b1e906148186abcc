/** A gateway that can be killed and started again on the same data folder. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Ended, startPombo } from './command.ts'
import { type Gateway, type GatewayOptions, settingsFor, startGateway } from './gateway.ts'

/** When a kill was requested and when the process had exited. */
export type Kill = Readonly<{ requestedAt: number; exitedAt: number }>

export class RestartableGateway implements AsyncDisposable {
  readonly #options: GatewayOptions
  #next = Promise.withResolvers<Gateway>()
  #running: Gateway | undefined
  readonly kills: Kill[] = []

  constructor(options: GatewayOptions) {
    this.#options = options
  }

  /** The running gateway, or the next one once it has started. */
  current(): Promise<Gateway> {
    return this.#next.promise
  }

  async start(): Promise<Gateway> {
    const gateway = await startGateway(this.#options)
    this.#running = gateway
    this.#next.resolve(gateway)
    return gateway
  }

  /** Sends SIGKILL. From now on `current()` waits for the next gateway. */
  kill(): Promise<void> {
    return this.#recordKill(() => this.end('SIGKILL'))
  }

  /** Starts a gateway and kills it after `lifeMs`, possibly before it listens. */
  async killDuringStart(lifeMs: number): Promise<void> {
    const command = startPombo(['serve'], await settingsFor(this.#options))
    await wait(lifeMs)
    await this.#recordKill(() => command.kill('SIGKILL'))
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<Ended> {
    const gateway = this.#running
    if (gateway === undefined) throw new Error('no gateway is running')
    this.#next = Promise.withResolvers()
    this.#running = undefined
    return gateway.kill(signal)
  }

  async #recordKill(kill: () => Promise<unknown>): Promise<void> {
    const requestedAt = Date.now()
    await kill()
    this.kills.push({ requestedAt, exitedAt: Date.now() })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.kill('SIGKILL')
  }
}
