/**
 * One session with an SMSC, from the call to the end of the connection: binding, submits and their answers,
 * signs of life. It is up once the SMSC has taken us, and ends once; what was not answered then is lost.
 *
 * A single ticker looks after all that may take too long: a timer for each part would cost more than the part.
 */
import { type Address, Link } from './link.ts'
import type { BindFields, Fields, Pdu } from './pdu.ts'
import { type Submission, Window } from './window.ts'

export type Ending = Readonly<{ kind: 'lost'; reason: string } | { kind: 'refused'; status: number }>

const lost = (reason: string): Ending => ({ kind: 'lost', reason })

/** How long things may take, in milliseconds. */
export type Patience = Readonly<{
  /** After so long without a word the SMSC is asked whether it is there. */
  enquireMs: number
  answerMs: number
  /** What is under way has so long to end, and then the farewell. */
  drainMs: number
  unbindMs: number
}>

export type SessionDeps = Readonly<{
  address: Address
  credentials: BindFields
  patience: Patience
  up: () => void
  /** Said once. */
  ended: (ending: Ending) => void
  /** A place in the window is free again. */
  hasRoom: () => void
  /** Takes what the SMSC brings, and answers with a status once that is safe. */
  take: (pdu: Pdu) => Promise<number>
}>

const UNKNOWN_COMMAND = 0x03
const NOT_BOUND = 0x04
const ALREADY_BOUND = 0x05
const UNKNOWN_ERROR = 0xff
const MOST_SEQUENCE = 0x7fffffff
/** No ticker need look more often, nor less. */
const TICK_MS = 1_000

export class Session {
  readonly #deps: SessionDeps
  readonly #link: Link
  readonly #window = new Window()
  readonly #ticker: NodeJS.Timeout
  #phase: 'binding' | 'up' | 'leaving' | 'ended' = 'binding'
  #sequence = 0
  /** What the SMSC brought and is not stored yet. */
  #taking = 0
  #heardAt = performance.now()
  /** Since when the SMSC owes us a word. */
  #owingSince: number | undefined = performance.now()
  #progressed: () => void = () => undefined

  constructor(deps: SessionDeps) {
    this.#deps = deps
    const { enquireMs, answerMs } = deps.patience
    // A process that stood still for a while finds the timer due before it reads answers that are there.
    this.#ticker = setInterval(() => setImmediate(() => this.#look()), Math.min(TICK_MS, enquireMs / 4, answerMs / 4))
    this.#link = new Link(deps.address, {
      open: () => this.#ask('bind_transceiver', deps.credentials),
      hear: (pdu) => this.#hear(pdu),
      closed: (reason) => this.#end(lost(reason)),
    })
  }

  get isUp(): boolean {
    return this.#phase === 'up'
  }

  /** How many submits are unanswered. */
  get busy(): number {
    return this.#window.size
  }

  submit(submission: Submission): void {
    this.#window.add(this.#ask('submit_sm', submission.fields), submission, performance.now())
  }

  /** Lets what is under way end, takes leave, and ends. */
  async leave(): Promise<void> {
    const { drainMs, unbindMs } = this.#deps.patience
    if (this.#phase === 'up') {
      this.#phase = 'leaving'
      await this.#until(() => this.#window.size + this.#taking === 0, drainMs)
    }
    if (this.#phase === 'leaving') {
      this.#ask('unbind')
      await this.#until(() => false, unbindMs)
    }
    this.#end(lost('UNBOUND'))
  }

  #ask(command: string, fields?: Fields): number {
    this.#sequence = this.#sequence === MOST_SEQUENCE ? 1 : this.#sequence + 1
    this.#owingSince ??= performance.now()
    this.#link.say(command, this.#sequence, 0, fields)
    return this.#sequence
  }

  #hear(pdu: Pdu): void {
    const { command, sequence, status } = pdu
    this.#heardAt = performance.now()
    this.#owingSince = this.#window.size === 0 ? undefined : this.#heardAt
    switch (command) {
      case 'deliver_sm':
      case 'data_sm':
        void this.#take(pdu)
        break
      case 'enquire_link':
        this.#link.say('enquire_link_resp', sequence)
        break
      case 'unbind':
        this.#link.say('unbind_resp', sequence)
        this.#end(lost('UNBOUND'))
        break
      case 'unbind_resp':
        this.#end(lost('UNBOUND'))
        break
      case 'bind_transceiver_resp':
        this.#answerBind(status)
        break
      case 'submit_sm_resp':
        this.#answer(sequence, status, pdu.fields.message_id ?? '')
        break
      case 'generic_nack':
        if (this.#phase === 'binding') this.#answerBind(status || UNKNOWN_ERROR)
        else this.#answer(sequence, status || UNKNOWN_ERROR, '')
        break
      case 'alert_notification':
        break
      default:
        if (!pdu.isResponse) this.#link.say('generic_nack', sequence, UNKNOWN_COMMAND)
    }
  }

  #answerBind(status: number): void {
    if (this.#phase !== 'binding') return
    if (status !== 0 && status !== ALREADY_BOUND) {
      this.#end({ kind: 'refused', status })
      return
    }
    this.#phase = 'up'
    this.#deps.up()
  }

  #answer(sequence: number, status: number, name: string): void {
    this.#window.answer(sequence, { kind: 'answered', status, name })
    // It has forgotten us: only a new session helps.
    if (status === NOT_BOUND) this.#end(lost('NOT_BOUND'))
    else this.#moved()
  }

  #moved(): void {
    this.#progressed()
    this.#deps.hasRoom()
  }

  async #take(pdu: Pdu): Promise<void> {
    this.#taking += 1
    const status = await this.#deps.take(pdu)
    this.#taking -= 1
    if (this.#phase !== 'ended') this.#link.say(`${pdu.command}_resp`, pdu.sequence, status)
    this.#progressed()
  }

  #look(): void {
    if (this.#phase === 'ended') return
    const { enquireMs, answerMs } = this.#deps.patience
    const at = performance.now()
    const wasBusy = this.#window.size
    this.#window.expire(at - answerMs)
    if (this.#owingSince !== undefined && at - this.#owingSince >= answerMs) this.#end(lost('SILENT'))
    else if (this.#window.size < wasBusy) this.#moved()
    else if (this.#owingSince === undefined && at - this.#heardAt >= enquireMs) this.#ask('enquire_link')
  }

  #end(ending: Ending): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    clearInterval(this.#ticker)
    this.#link.end()
    this.#window.loseAll()
    this.#progressed()
    this.#deps.ended(ending)
  }

  /** Until it is so, the session ends, or the time is up. */
  #until(isSo: () => boolean, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs)
      this.#progressed = () => {
        if (!isSo() && this.#phase !== 'ended') return
        clearTimeout(timer)
        resolve()
      }
      this.#progressed()
    })
  }
}
