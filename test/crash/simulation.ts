/** The shared state of one simulation: time, randomness, fault rates, counters, trace and violations. */
import type { MessageId } from '../../src/domain/ids.ts'
import type { MessageEvent } from '../../src/domain/message/events.ts'
import type { Random } from '../../src/engines/crypto/random.ts'
import { Refusal } from '../../src/flows/errors.ts'
import { instant } from '../../src/lib/time.ts'
import { Unavailable } from '../../src/ports/unavailable.ts'
import { drawTargetedFaults, type TargetedFault } from './call-outcome.ts'
import { Counters } from './counters.ts'
import { drawFaultRates, type FaultRates, NO_FAULTS } from './fault-rates.ts'
import { type SeededRandom, seededRandom } from './random.ts'
import { Scheduler } from './scheduler.ts'
import { Trace } from './trace.ts'

export type Property = 'S2-CRASH' | 'S2-REPLAY'
export type Violation = Readonly<{ property: Property; what: string }>

/** An injected fault, which the code under test must handle. */
export class SimulatedFault extends Error {}

const START = instant(1_750_000_000_000)

export class Simulation {
  readonly random: SeededRandom
  readonly scheduler: Scheduler
  readonly counters = new Counters()
  readonly trace: Trace
  readonly violations: Violation[] = []
  /** The events appended to the log, as observed by the simulation. */
  readonly written = new Map<MessageId, MessageEvent[]>()
  /** The number of client calls and receipts that are still to be answered. */
  pending = 0
  /** The calls that this schedule interrupts in particular. */
  readonly targetedFaults: readonly TargetedFault[]
  #faultRates: FaultRates
  readonly #poison = new Map<MessageId, boolean>()

  constructor(seed: number, print?: (line: string) => void) {
    this.random = seededRandom(seed)
    this.scheduler = new Scheduler(START, this.random)
    this.trace = new Trace(START, print)
    this.#faultRates = drawFaultRates(this.random)
    this.targetedFaults = drawTargetedFaults(this.random)
  }

  get faultRates(): FaultRates {
    return this.#faultRates
  }

  get isFaultFree(): boolean {
    return this.#faultRates === NO_FAULTS
  }

  /** Stops injecting faults. */
  endFaults(): void {
    this.note('the faults end')
    this.#faultRates = NO_FAULTS
  }

  /** Whether the content of a message can never be read. */
  isPoison(id: MessageId): boolean {
    const known = this.#poison.get(id)
    if (known !== undefined) return known
    const isPoison = this.random.happens(this.#faultRates.poison)
    this.#poison.set(id, isPoison)
    return isPoison
  }

  note(what: string): void {
    this.trace.note(this.scheduler.now, what)
  }

  reportViolation(what: string, property: Property = 'S2-CRASH'): void {
    this.note(`${property} is violated: ${what}`)
    this.violations.push({ property, what })
  }

  /** Ignores injected faults; any other error is a bug. */
  reportFault(who: string, error: unknown): void {
    if (error instanceof Unavailable || error instanceof SimulatedFault) return
    const what =
      error instanceof Refusal ? `refusal ${error.code}` : String(error instanceof Error ? error.stack : error)
    this.reportViolation(`${who} met an unexpected fault: ${what}`)
  }

  /** The transit time of a call or of its answer. */
  delay(slowestMs: number): number {
    if (this.isFaultFree) return this.random.integer(0, 2)
    if (slowestMs >= STALL_MS && this.random.happens(this.#faultRates.stall)) return this.stall()
    const share = this.random.next()
    const most = share < 0.6 ? 2 : share < 0.92 ? 40 : 1_500
    return this.random.integer(0, Math.min(most, slowestMs))
  }

  /** A very long delay. */
  stall(): number {
    this.counters.count('call stalled')
    return this.random.integer(1_000, this.random.pick([STALL_MS / 6, STALL_MS / 2, STALL_MS]))
  }

  cryptoRandom(): Random {
    const { hex } = this.random
    return { hex, bytes: (length) => Uint8Array.from(Buffer.from(hex(length), 'hex')) }
  }
}

/** Longer than any lease: the leases of a stalled process expire. */
export const STALL_MS = 90_000
