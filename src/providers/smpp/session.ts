/**
 * One session with an SMSC, from connecting to closing: bind, submits and their answers, enquire_link. It is up once the
 * SMSC has accepted the bind, and ends once; submits that are unanswered then are lost.
 *
 * A single interval checks all timeouts: a timer per part would cost more than the part.
 */
import { type Address, Link } from './link.ts'
import type { BindFields, Fields, Pdu } from './pdu.ts'
import { type Submission, Window } from './window.ts'

export type Ending = Readonly<{ kind: 'lost'; reason: string } | { kind: 'refused'; status: number }>

const lost = (reason: string): Ending => ({ kind: 'lost', reason })

export type Timeouts = Readonly<{
  /** How long the SMSC may be silent before we send enquire_link. */
  enquireMs: number
  answerMs: number
  /** On close, how long unanswered submits may take, and then the unbind. */
  drainMs: number
  unbindMs: number
}>

export type SessionDeps = Readonly<{
  address: Address
  credentials: BindFields
  timeouts: Timeouts
  onUp: () => void
  /** Called once. */
  onEnd: (ending: Ending) => void
  /** A slot in the window is free again. */
  onCapacity: () => void
  /** Handles a deliver_sm or data_sm, and returns the status to answer with. */
  onDelivery: (pdu: Pdu) => Promise<number>
}>

const UNKNOWN_COMMAND = 0x03
const NOT_BOUND = 0x04
const ALREADY_BOUND = 0x05
const UNKNOWN_ERROR = 0xff
const MAX_SEQUENCE = 0x7fffffff
/** The longest interval between two checks of the timeouts. */
const CHECK_MS = 1_000

export class Session {
  readonly #deps: SessionDeps
  readonly #link: Link
  readonly #window = new Window()
  readonly #interval: NodeJS.Timeout
  #phase: 'binding' | 'up' | 'closing' | 'ended' = 'binding'
  #sequence = 0
  /** Deliveries that are not answered yet. */
  #delivering = 0
  #lastPduAt = performance.now()
  /** Since when we wait for an answer of the SMSC. */
  #awaitingSince: number | undefined = performance.now()
  #onProgress: () => void = () => undefined

  constructor(deps: SessionDeps) {
    this.#deps = deps
    const { enquireMs, answerMs } = deps.timeouts
    // setImmediate: a process that was suspended must first read the answers that have arrived meanwhile.
    this.#interval = setInterval(
      () => setImmediate(() => this.#checkTimeouts()),
      Math.min(CHECK_MS, enquireMs / 4, answerMs / 4),
    )
    this.#link = new Link(deps.address, {
      onOpen: () => this.#request('bind_transceiver', deps.credentials),
      onPdu: (pdu) => this.#receive(pdu),
      onClose: (reason) => this.#end(lost(reason)),
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
    this.#window.add(this.#request('submit_sm', submission.fields), submission, performance.now())
  }

  /** Waits for unanswered submits, unbinds and ends. */
  async close(): Promise<void> {
    const { drainMs, unbindMs } = this.#deps.timeouts
    if (this.#phase === 'up') {
      this.#phase = 'closing'
      await this.#until(() => this.#window.size + this.#delivering === 0, drainMs)
    }
    if (this.#phase === 'closing') {
      this.#request('unbind')
      await this.#until(() => false, unbindMs)
    }
    this.#end(lost('UNBOUND'))
  }

  #request(command: string, fields?: Fields): number {
    this.#sequence = this.#sequence === MAX_SEQUENCE ? 1 : this.#sequence + 1
    this.#awaitingSince ??= performance.now()
    this.#link.write(command, this.#sequence, 0, fields)
    return this.#sequence
  }

  #receive(pdu: Pdu): void {
    const { command, sequence, status } = pdu
    this.#lastPduAt = performance.now()
    this.#awaitingSince = this.#window.size === 0 ? undefined : this.#lastPduAt
    switch (command) {
      case 'deliver_sm':
      case 'data_sm':
        void this.#deliver(pdu)
        break
      case 'enquire_link':
        this.#link.write('enquire_link_resp', sequence)
        break
      case 'unbind':
        this.#link.write('unbind_resp', sequence)
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
        if (!pdu.isResponse) this.#link.write('generic_nack', sequence, UNKNOWN_COMMAND)
    }
  }

  #answerBind(status: number): void {
    if (this.#phase !== 'binding') return
    if (status !== 0 && status !== ALREADY_BOUND) {
      this.#end({ kind: 'refused', status })
      return
    }
    this.#phase = 'up'
    this.#deps.onUp()
  }

  #answer(sequence: number, status: number, messageId: string): void {
    this.#window.answer(sequence, { kind: 'answered', status, messageId })
    // The SMSC has lost the session: only a new one helps.
    if (status === NOT_BOUND) this.#end(lost('NOT_BOUND'))
    else this.#progress()
  }

  #progress(): void {
    this.#onProgress()
    this.#deps.onCapacity()
  }

  async #deliver(pdu: Pdu): Promise<void> {
    this.#delivering += 1
    const status = await this.#deps.onDelivery(pdu)
    this.#delivering -= 1
    if (this.#phase !== 'ended') this.#link.write(`${pdu.command}_resp`, pdu.sequence, status)
    this.#onProgress()
  }

  #checkTimeouts(): void {
    if (this.#phase === 'ended') return
    const { enquireMs, answerMs } = this.#deps.timeouts
    const at = performance.now()
    const busyBefore = this.#window.size
    this.#window.expire(at - answerMs)
    if (this.#awaitingSince !== undefined && at - this.#awaitingSince >= answerMs) this.#end(lost('SILENT'))
    else if (this.#window.size < busyBefore) this.#progress()
    else if (this.#awaitingSince === undefined && at - this.#lastPduAt >= enquireMs) this.#request('enquire_link')
  }

  #end(ending: Ending): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    clearInterval(this.#interval)
    this.#link.end()
    this.#window.loseAll()
    this.#onProgress()
    this.#deps.onEnd(ending)
  }

  /** Resolves when the condition holds, the session ends, or the time is up. */
  #until(condition: () => boolean, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs)
      this.#onProgress = () => {
        if (!condition() && this.#phase !== 'ended') return
        clearTimeout(timer)
        resolve()
      }
      this.#onProgress()
    })
  }
}
