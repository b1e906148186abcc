/** One data folder and the gateways that live on it, one after the other. */
import type { Ended } from './command.ts'
import { type Gateway, type GatewayOptions, startGateway } from './gateway.ts'

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
  async kill(): Promise<Death> {
    const toldAt = Date.now()
    await this.end('SIGKILL')
    const death = { toldAt, deadAt: Date.now() }
    this.deaths.push(death)
    return death
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<Ended> {
    const gateway = this.#running
    if (gateway === undefined) throw new Error('no gateway is running')
    this.#throne = Promise.withResolvers()
    this.#running = undefined
    return gateway.kill(signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.kill('SIGKILL')
  }
}
