/**
 * A simulated process. All it does to the world goes through `call`, and there it may be held up,
 * refused, or die. A dead process hears nothing any more: what it waits for never comes, so its code
 * stops where it stands. Calls that were under way may still arrive.
 */
import { Unavailable } from '../../src/ports/unavailable.ts'
import { drawFate, type Fate } from './fate.ts'
import { SimulatedFault, type Simulation, STALL_MS } from './simulation.ts'

export type Habits<Answer> = Readonly<{
  /** The longest this call is under way, in milliseconds. */
  slowest?: number
  /** What a refusal of this call looks like, where it does not throw. */
  refused?: () => Answer
  /** Whether it can take effect when its caller has died meanwhile. */
  outlives?: boolean
}>

type Call<Answer> = Readonly<{
  what: string
  effect: () => Promise<Answer>
  habits: Habits<Answer>
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

  /** Aborted when the process dies. */
  get end(): AbortSignal {
    return this.#end.signal
  }

  call<Answer>(what: string, effect: () => Promise<Answer>, habits: Habits<Answer> = {}): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const call = { what, effect, habits, resolve, reject }
    if (this.isAlive) this.#sim.agenda.after(this.#sim.delay(habits.slowest ?? STALL_MS), () => this.#arrive(call))
    return promise
  }

  crash(): void {
    this.#sim.note(`${this.name} dies`)
    this.#end.abort(this.name)
    this.#onCrash()
  }

  /** Ends it in peace: it has nothing more to do. */
  retire(): void {
    this.#sim.note(`${this.name} ends`)
    this.#end.abort(this.name)
  }

  #arrive<Answer>(call: Call<Answer>): void {
    if (!this.isAlive) {
      this.#arriveLate(call)
      return
    }
    const fate = drawFate(this.#sim, call.what)
    this.#sim.note(`${this.name} ${call.what}: ${fate}`)
    if (fate === 'refused') this.#refuse(call)
    else if (fate === 'crash before') {
      this.#sim.tally.count('crash before a call took effect')
      this.crash()
    } else {
      call.effect().then(
        (answer) => this.#answer(call, fate, answer),
        (error) => call.reject(error),
      )
    }
  }

  #arriveLate<Answer>({ what, effect, habits }: Call<Answer>): void {
    if (habits.outlives !== true || this.#sim.chance.happens(0.5)) return
    this.#sim.tally.count('effect after death')
    this.#sim.note(`${this.name} ${what}: taken after its death`)
    effect().catch((error) => this.#sim.faulted(this.name, error))
  }

  #refuse<Answer>({ habits, resolve, reject }: Call<Answer>): void {
    const { refused } = habits
    this.#sim.tally.count(refused === undefined ? 'call refused' : 'connection refused')
    this.#later(() => (refused === undefined ? reject(new Unavailable('not now')) : resolve(refused())))
  }

  #answer<Answer>({ resolve, reject }: Call<Answer>, fate: Fate, answer: Answer): void {
    const { tally } = this.#sim
    if (!this.isAlive) return
    if (fate === 'crash after') {
      tally.count('crash after a call took effect')
      this.crash()
    } else if (fate === 'answer lost') {
      tally.count('answer of a call lost')
      this.#later(() => reject(new SimulatedFault('the answer was lost')))
    } else {
      this.#later(() => resolve(answer), fate === 'stalled')
    }
  }

  #later(tell: () => void, isStalled = false): void {
    this.#sim.agenda.after(isStalled ? this.#sim.stall() : this.#sim.delay(STALL_MS), () => {
      if (this.isAlive) tell()
    })
  }
}
