/** One data folder and the gateways that live on it, one after the other. */
import { setTimeout as wait } from 'node:timers/promises'
import { type Ended, startPombo } from './command.ts'
import { type Gateway, type GatewayOptions, settingsFor, startGateway } from './gateway.ts'

/** When a gateway was told to die, and when it was seen to be dead. */
export type Death = Readonly<{ toldAt: number; deadAt: number }>

export class Succession implements AsyncDisposable {
  readonly #options: GatewayOptions
  #throne = Promise.withResolvers<Gateway>()
  #running: Gateway | undefined
  readonly deaths: Death[] = []

  constructor(options: GatewayOptions) {
    this.#options = options
  }

  /** The gateway that runs, or the next that will. */
  up(): Promise<Gateway> {
    return this.#throne.promise
  }

  async start(): Promise<Gateway> {
    const gateway = await startGateway(this.#options)
    this.#running = gateway
    this.#throne.resolve(gateway)
    return gateway
  }

  /** With `kill -9`. Whoever asks from now on gets the successor. */
  kill(): Promise<void> {
    return this.#bury(() => this.end('SIGKILL'))
  }

  /** Starts one and kills it so soon that it may not have come to listen. */
  async startInVain(lifeMs: number): Promise<void> {
    const command = startPombo(['serve'], await settingsFor(this.#options))
    await wait(lifeMs)
    await this.#bury(() => command.kill('SIGKILL'))
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<Ended> {
    const gateway = this.#running
    if (gateway === undefined) throw new Error('no gateway is running')
    this.#throne = Promise.withResolvers()
    this.#running = undefined
    return gateway.kill(signal)
  }

  async #bury(kill: () => Promise<unknown>): Promise<void> {
    const toldAt = Date.now()
    await kill()
    this.deaths.push({ toldAt, deadAt: Date.now() })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.kill('SIGKILL')
  }
}
