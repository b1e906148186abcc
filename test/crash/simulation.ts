/** What everything in one simulated world shares: time, chance, the weather, and what was seen. */

import type { MessageId } from '../../src/domain/ids.ts'
import type { MessageEvent } from '../../src/domain/message/events.ts'
import type { Random } from '../../src/engines/crypto/random.ts'
import { Refusal } from '../../src/flows/errors.ts'
import { instant } from '../../src/lib/time.ts'
import { Unavailable } from '../../src/ports/unavailable.ts'
import { Agenda } from './agenda.ts'
import { type Chance, toChance } from './chance.ts'
import { type Aim, toAims } from './fate.ts'
import { Tally } from './tally.ts'
import { Trace } from './trace.ts'
import { CALM, toWeather, type Weather } from './weather.ts'

export type Property = 'S2-CRASH' | 'S2-REPLAY'
export type Violation = Readonly<{ property: Property; what: string }>

/** A fault that we made: whoever meets it must cope. */
export class SimulatedFault extends Error {}

const START = instant(1_750_000_000_000)

export class Simulation {
  readonly chance: Chance
  readonly agenda: Agenda
  readonly tally = new Tally()
  readonly trace: Trace
  readonly violations: Violation[] = []
  /** What the log has taken, as seen from outside. */
  readonly written = new Map<MessageId, MessageEvent[]>()
  /** How many outside still wait for an answer, or have something left to tell. */
  outstanding = 0
  /** What this schedule strikes at in particular. */
  readonly aims: readonly Aim[]
  #weather: Weather
  readonly #poison = new Map<MessageId, boolean>()

  constructor(seed: number, print?: (line: string) => void) {
    this.chance = toChance(seed)
    this.agenda = new Agenda(START, this.chance)
    this.trace = new Trace(START, print)
    this.#weather = toWeather(this.chance)
    this.aims = toAims(this.chance)
  }

  get weather(): Weather {
    return this.#weather
  }

  get isCalm(): boolean {
    return this.#weather === CALM
  }

  /** From now on nothing goes wrong any more. */
  calmDown(): void {
    this.note('the faults end')
    this.#weather = CALM
  }

  /** Whether the content of a message can never be read. */
  isPoison(id: MessageId): boolean {
    const known = this.#poison.get(id)
    if (known !== undefined) return known
    const isPoison = this.chance.happens(this.#weather.poison)
    this.#poison.set(id, isPoison)
    return isPoison
  }

  note(what: string): void {
    this.trace.note(this.agenda.now, what)
  }

  violated(what: string, property: Property = 'S2-CRASH'): void {
    this.note(`${property} is violated: ${what}`)
    this.violations.push({ property, what })
  }

  /** What goes wrong by our doing is fine; anything else is a bug. */
  faulted(who: string, error: unknown): void {
    if (error instanceof Unavailable || error instanceof SimulatedFault) return
    const what =
      error instanceof Refusal ? `refusal ${error.code}` : String(error instanceof Error ? error.stack : error)
    this.violated(`${who} met an unexpected fault: ${what}`)
  }

  /** How long a call, or the answer to one, is under way. */
  delay(slowestMs: number): number {
    if (this.isCalm) return this.chance.between(0, 2)
    if (slowestMs >= STALL_MS && this.chance.happens(this.#weather.stall)) return this.stall()
    const share = this.chance.roll()
    const most = share < 0.6 ? 2 : share < 0.92 ? 40 : 1_500
    return this.chance.between(0, Math.min(most, slowestMs))
  }

  /** A very long delay. */
  stall(): number {
    this.tally.count('call stalled')
    return this.chance.between(1_000, this.chance.pick([STALL_MS / 6, STALL_MS / 2, STALL_MS]))
  }

  random(): Random {
    const { hex } = this.chance
    return { hex, bytes: (length) => Uint8Array.from(Buffer.from(hex(length), 'hex')) }
  }
}

/** Longer than any lease: whoever comes back after it has been given up for dead. */
export const STALL_MS = 90_000
