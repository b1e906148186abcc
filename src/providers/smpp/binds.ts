/**
 * The binds of a connector, and the parts that wait for a place in one of their windows and for their turn
 * in the pace. The least busy bind is taken. While none is up nothing waits: the message may go elsewhere.
 */
import { Pace } from '../../lib/pace.ts'
import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { Connections } from '../../ports/provider.ts'
import { type Deferral, forNow, TOO_FAST, unknownOutcome } from '../provider-errors.ts'
import { Bind, type BindDeps, type Condition } from './bind.ts'
import { isThrottling, type StatusOverrides, toSmppError } from './errors.ts'
import type { PartResult } from './outcome.ts'
import type { SubmitFields } from './pdu.ts'
import { SessionQueue } from './sessions-queue.ts'
import type { Answer } from './window.ts'

export type Part = Readonly<{
  fields: SubmitFields
  /** Said once, and last. */
  settled: (result: PartResult) => void
  /** Said at most once: the answer has not come in time, and may still come. */
  overdue: () => void
}>

/** A part on its way. It is `written` from when the SMSC may have it until it answers. */
export type Ticket = {
  readonly part: Part
  readonly since: Instant
  state: 'waiting' | 'written' | 'over'
  /** Whether nobody waits for it any more. */
  isGivenUp: boolean
  /** Why it has not gone yet. */
  reason: PartResult
}

export type BindsDeps = Omit<BindDeps, 'hasRoom' | 'changed'> &
  Readonly<{
    changed: (condition: Condition, connections: Connections) => void
    binds: number
    partsPerSecond?: number
    statuses: StatusOverrides
    /** The name that a part goes by, from the one the SMSC answered with. */
    toName: (id: string) => string
  }>

/** Much shorter than a provider may take to answer. */
const SOON = seconds(2)

const left = (deferral: Deferral, retryAfter: Millis = millis(0)): PartResult => ({
  kind: 'left',
  outcome: { ...deferral, retryAfter },
})
const NOT_CONNECTED = left(forNow('NOT_CONNECTED', 'no session with the SMSC is up'))
const NO_TURN = left(forNow('TIMEOUT', 'the message found no place on the way to the SMSC in time'))
const THROTTLED = left(TOO_FAST, seconds(1))
const CONNECTION_LOST: PartResult = {
  kind: 'lost',
  outcome: unknownOutcome('CONNECTION_LOST', 'the session with the SMSC ended before it answered'),
}

export class Binds implements AsyncDisposable {
  readonly #binds: readonly Bind[]
  readonly #deps: Pick<BindsDeps, 'statuses' | 'toName'>
  readonly #pace: Pace
  readonly #line = new SessionQueue<Ticket>()
  #timer: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(deps: BindsDeps) {
    this.#deps = deps
    this.#pace = new Pace(deps.partsPerSecond)
    const ofOne: BindDeps = {
      ...deps,
      hasRoom: () => this.#pump(),
      changed: (condition) => {
        if (!this.#isUp) this.#refuse()
        deps.changed(condition, this.connections)
      },
    }
    this.#binds = Array.from({ length: deps.binds }, () => new Bind(ofOne))
  }

  get connections(): Connections {
    return { wanted: this.#binds.length, up: this.#binds.filter(({ isUp }) => isUp).length }
  }

  /** Whether a part would find its turn soon: the first in line has not waited for long. */
  get hasRoom(): boolean {
    const { first } = this.#line
    return first === undefined || now() < later(first.since, SOON)
  }

  submit(part: Part): Ticket {
    const ticket: Ticket = { part, since: now(), state: 'waiting', isGivenUp: false, reason: NO_TURN }
    this.#queue(ticket)
    return ticket
  }

  /** Whoever waited for it has no more time. What was written stays written, and is not written again. */
  giveUp(ticket: Ticket): void {
    ticket.isGivenUp = true
    if (ticket.state === 'waiting') settle(ticket, ticket.reason)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true
    clearTimeout(this.#timer)
    this.#refuse()
    await Promise.all(this.#binds.map((bind) => bind[Symbol.asyncDispose]()))
  }

  get #isUp(): boolean {
    return !this.#isClosing && this.#binds.some(({ isUp }) => isUp)
  }

  #queue(ticket: Ticket, isAgain = false): void {
    if (!this.#isUp) {
      settle(ticket, NOT_CONNECTED)
      return
    }
    if (isAgain) this.#line.putBack(ticket)
    else this.#line.push(ticket)
    this.#pump()
  }

  #refuse(): void {
    for (const ticket of this.#line.clear()) if (ticket.state === 'waiting') settle(ticket, NOT_CONNECTED)
  }

  /** Lets go whatever can. */
  #pump(): void {
    for (let ticket = this.#line.first; ticket !== undefined; ticket = this.#line.first) {
      if (ticket.state === 'waiting') {
        const bind = this.#leastBusy()
        if (bind === undefined) return
        const wait = this.#pace.admit(now())
        if (wait > 0) {
          this.#pumpAfter(wait)
          return
        }
        this.#write(bind, ticket)
      }
      this.#line.shift()
    }
  }

  #pumpAfter(wait: Millis): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#pump()
    }, wait)
  }

  #leastBusy(): Bind | undefined {
    let found: Bind | undefined
    for (const bind of this.#binds) {
      if (bind.hasRoom && (found === undefined || bind.busy < found.busy)) found = bind
    }
    return found
  }

  #write(bind: Bind, ticket: Ticket): void {
    const { fields, overdue } = ticket.part
    ticket.state = 'written'
    bind.submit({ fields, overdue, answered: (answer) => this.#answered(ticket, answer) })
  }

  #answered(ticket: Ticket, answer: Answer): void {
    if (answer.kind === 'lost') {
      settle(ticket, CONNECTION_LOST)
      return
    }
    if (!isThrottling(answer.status)) {
      settle(ticket, this.#toResult(answer.status, answer.name))
      return
    }
    this.#pace.throttle(now())
    ticket.reason = THROTTLED
    ticket.state = 'waiting'
    if (ticket.isGivenUp) settle(ticket, THROTTLED)
    else this.#queue(ticket, true)
  }

  #toResult(status: number, name: string): PartResult {
    const { statuses, toName } = this.#deps
    const error = toSmppError(status, statuses)
    if (error === undefined) return { kind: 'taken', name: toName(name) }
    return error.kind === 'deferred' ? left(error) : { kind: 'refused', outcome: error }
  }
}

function settle(ticket: Ticket, result: PartResult): void {
  ticket.state = 'over'
  ticket.part.settled(result)
}

/** Of a clock that nobody sets. */
const now = () => instant(performance.now())
