/**
 * A simulated process. All its effects go through `call`, which may delay or refuse a call or crash the process. The
 * pending calls of a crashed process never resolve, so its code stops; calls in transit may still take effect.
 */
import { Unavailable } from '../../src/ports/unavailable.ts'
import { type CallOutcome, drawCallOutcome } from './call-outcome.ts'
import { SimulatedFault, type Simulation, STALL_MS } from './simulation.ts'

export type CallOptions<Answer> = Readonly<{
  /** The longest transit time of this call. */
  maxDelayMs?: number
  /** The result of a refused call; without it, the call throws. */
  refused?: () => Answer
  /** Whether the call can take effect after its caller has crashed. */
  survivesCaller?: boolean
}>

type Call<Answer> = Readonly<{
  what: string
  effect: () => Promise<Answer>
  options: CallOptions<Answer>
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}>

export class Process {
  readonly name: string
  readonly #sim: Simulation
  readonly #end = new AbortController()
  readonly #onCrash: () => void

  constructor(sim: Simulation, name: string, onCrash: () => void) {
    this.#sim = sim
    this.name = name
    this.#onCrash = onCrash
  }

  get isAlive(): boolean {
    return !this.#end.signal.aborted
  }

  /** Aborted when the process ends. */
  get end(): AbortSignal {
    return this.#end.signal
  }

  call<Answer>(what: string, effect: () => Promise<Answer>, options: CallOptions<Answer> = {}): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const call = { what, effect, options, resolve, reject }
    if (this.isAlive)
      this.#sim.scheduler.after(this.#sim.delay(options.maxDelayMs ?? STALL_MS), () => this.#arrive(call))
    return promise
  }

  crash(): void {
    this.#sim.note(`${this.name} crashes`)
    this.#end.abort(this.name)
    this.#onCrash()
  }

  /** Ends the process gracefully. */
  retire(): void {
    this.#sim.note(`${this.name} ends`)
    this.#end.abort(this.name)
  }

  #arrive<Answer>(call: Call<Answer>): void {
    if (!this.isAlive) {
      this.#arriveLate(call)
      return
    }
    const outcome = drawCallOutcome(this.#sim, call.what)
    this.#sim.note(`${this.name} ${call.what}: ${outcome}`)
    if (outcome === 'refused') this.#refuse(call)
    else if (outcome === 'crash before') {
      this.#sim.counters.count('crash before a call took effect')
      this.crash()
    } else {
      call.effect().then(
        (answer) => this.#answer(call, outcome, answer),
        (error) => call.reject(error),
      )
    }
  }

  #arriveLate<Answer>({ what, effect, options }: Call<Answer>): void {
    if (options.survivesCaller !== true || this.#sim.random.happens(0.5)) return
    this.#sim.counters.count('effect after a crash')
    this.#sim.note(`${this.name} ${what}: ok after its crash`)
    effect().catch((error) => this.#sim.reportFault(this.name, error))
  }

  #refuse<Answer>({ options, resolve, reject }: Call<Answer>): void {
    const { refused } = options
    this.#sim.counters.count(refused === undefined ? 'call refused' : 'connection refused')
    this.#later(() => (refused === undefined ? reject(new Unavailable('not now')) : resolve(refused())))
  }

  #answer<Answer>({ resolve, reject }: Call<Answer>, outcome: CallOutcome, answer: Answer): void {
    const { counters } = this.#sim
    if (!this.isAlive) return
    if (outcome === 'crash after') {
      counters.count('crash after a call took effect')
      this.crash()
    } else if (outcome === 'answer lost') {
      counters.count('answer of a call lost')
      this.#later(() => reject(new SimulatedFault('the answer was lost')))
    } else {
      this.#later(() => resolve(answer), outcome === 'stalled')
    }
  }

  #later(deliver: () => void, isStalled = false): void {
    this.#sim.scheduler.after(isStalled ? this.#sim.stall() : this.#sim.delay(STALL_MS), () => {
      if (this.isAlive) deliver()
    })
  }
}
