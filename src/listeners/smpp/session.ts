/**
 * One session of a client, from connecting to closing.
 *
 * | phase   | may be asked                                               | ends with                          |
 * |---------|------------------------------------------------------------|------------------------------------|
 * | open    | bind_*                                                     | a bind, or the time for one        |
 * | bound   | by the kind of bind: submits and queries, or only receipts | unbind, silence, the key's end     |
 * | closing | answers to what we sent                                    | unbind_resp, or a moment           |
 *
 * Whoever unbinds, what is in flight is answered first, within bounds.
 */
import type { Socket } from 'node:net'
import type { Caller } from '../../domain/access/caller.ts'
import { pause } from '../../lib/pause.ts'
import type { Millis } from '../../lib/time.ts'
import { Connection } from './connection.ts'
import { Unreadable } from './octet-reader.ts'
import { type Answer, Outgoing } from './outgoing.ts'
import { COMMANDS, type Command, RESPONSE, readHeader, STATUS, type Status, toPdu } from './pdu.ts'
import { statusOf } from './statuses.ts'

export type BindKind = 'transmitter' | 'receiver' | 'transceiver'

/** Whom a session is bound for. */
export type Bound = Readonly<{ caller: Caller; keyId: string; kind: BindKind }>

/** The status of an answer, and its body where there is one. */
export type Reply = Readonly<{ status: Status; body?: Buffer }>

export type SessionTimes = Readonly<{
  /** How long a client may take to bind. */
  bind: Millis
  /** After so much silence we ask whether the client is there, which it must answer in time, like receipts. */
  enquire: Millis
  answer: Millis
}>

export type SessionDeps = Readonly<{
  window: number
  times: SessionTimes
  bind: (kind: BindKind, frame: Buffer, session: Session) => Reply & Readonly<{ bound?: Bound }>
  /** Answers a request of a bound session that may send; undefined for commands that nobody serves. */
  serve: (command: Command, frame: Buffer, bound: Bound) => Promise<Reply> | Reply | undefined
  onClose: (session: Session) => void
  onAnswer: (command: Command, status: Status) => void
  onFault: (error: unknown) => void
}>

const BINDS: Partial<Readonly<Record<Command, BindKind>>> = {
  bind_receiver: 'receiver',
  bind_transmitter: 'transmitter',
  bind_transceiver: 'transceiver',
}

/** How long a client that unbinds may have to wait for what is in flight. */
const UNBIND_MS = 3_000

export class Session {
  readonly #deps: SessionDeps
  readonly #connection: Connection
  readonly #outgoing = new Outgoing()
  readonly #openedAt = performance.now()
  #bound: Bound | undefined
  #phase: 'open' | 'bound' | 'closing' | 'closed' = 'open'
  #inFlight = 0
  #heardAt = performance.now()
  #isEnquiring = false
  /** The next answer is the last. */
  #isEnding = false
  #isUnbinding = false
  #closing: Promise<void> | undefined
  /** Aborts once nothing is in flight and nothing more will be, or the client is gone. */
  readonly #idle = new AbortController()

  constructor(socket: Socket, deps: SessionDeps) {
    this.#deps = deps
    this.#connection = new Connection(socket, {
      onPdu: (frame) => this.#receive(frame),
      onBadLength: () => {
        this.#nack(0, STATUS.invalidCommandLength)
        this.#connection.end()
      },
      onClose: () => this.#closed(),
      isFull: () => this.#inFlight >= deps.window,
    })
  }

  get bound(): Bound | undefined {
    return this.#phase === 'bound' ? this.#bound : undefined
  }

  /** How it was bound, also after it is gone; undefined if it never was. */
  get kind(): BindKind | undefined {
    return this.#bound?.kind
  }

  get address(): string {
    return this.#connection.address
  }

  /** How many receipts this session can take now. */
  get room(): number {
    const isReceiver = this.#phase === 'bound' && this.#bound?.kind !== 'transmitter'
    return isReceiver ? Math.max(0, this.#deps.window - this.#outgoing.size) : 0
  }

  deliver(body: Buffer): Promise<Answer> {
    return this.#request('deliver_sm', body)
  }

  /** Answers what is in flight, unbinds and closes. */
  async close(within: Millis): Promise<void> {
    if (this.#phase === 'bound') {
      this.#phase = 'closing'
      this.#closing = this.#leave(within)
    }
    if (this.#closing !== undefined) await Promise.race([this.#closing, pause(within)])
    this.#connection.end()
  }

  /** Called about once a second. */
  check(now: number): void {
    const { bind, enquire, answer } = this.#deps.times
    if (this.#phase === 'open' && now - this.#openedAt >= bind) this.#connection.end()
    if (this.#phase !== 'bound') return
    const silence = now - this.#heardAt
    // Receipts that are not answered are due again; a client that says nothing at all is gone.
    if (this.#outgoing.expire(now - answer) && silence >= answer) this.#connection.destroy()
    else if (silence >= enquire && !this.#isEnquiring) void this.#enquire()
  }

  async #leave(within: Millis): Promise<void> {
    await this.#untilIdle(within)
    await this.#request('unbind')
  }

  /** For a session that takes no more. */
  async #untilIdle(within: number): Promise<void> {
    if (this.#inFlight > 0) await pause(within, this.#idle.signal)
  }

  async #enquire(): Promise<void> {
    this.#isEnquiring = true
    await this.#request('enquire_link')
    this.#isEnquiring = false
  }

  async #request(command: Command, body?: Buffer): Promise<Answer> {
    if (this.#phase === 'closed') return undefined
    return this.#outgoing.send((sequence) =>
      this.#connection.write(toPdu(COMMANDS[command], sequence, STATUS.ok, body)),
    )
  }

  #receive(frame: Buffer): void {
    this.#heardAt = performance.now()
    const { command, isResponse, sequence, status } = readHeader(frame)
    if (isResponse) this.#outgoing.answer(sequence, status)
    else if (command === undefined) this.#nack(sequence, STATUS.invalidCommand)
    else if (command === 'unbind' && !this.#isUnbinding) this.#unbind(sequence)
    else this.#handle(command, sequence, frame)
  }

  #handle(command: Command, sequence: number, frame: Buffer): void {
    try {
      const reply = this.#replyTo(command, frame)
      if (reply === undefined) this.#nack(sequence, STATUS.invalidCommand)
      else if (reply instanceof Promise) void this.#answerLater(command, sequence, reply)
      else this.#answer(command, sequence, reply)
    } catch (error) {
      this.#fail(command, sequence, error)
    }
    if (this.#isEnding) this.#connection.end()
  }

  /** Undefined for commands that nobody serves. */
  #replyTo(command: Command, frame: Buffer): Promise<Reply> | Reply | undefined {
    const kind = BINDS[command]
    if (kind !== undefined) return this.#bind(kind, frame)
    if (command === 'enquire_link') return { status: STATUS.ok }
    // The client may try again at another process.
    if (this.#phase === 'closing') return { status: STATUS.systemError }
    const bound = this.bound
    if (bound === undefined || bound.kind === 'receiver') return { status: STATUS.wrongBindState }
    return this.#deps.serve(command, frame, bound)
  }

  #unbind(sequence: number): void {
    this.#isUnbinding = true
    this.#phase = 'closing'
    const end = async (): Promise<void> => {
      if (this.#inFlight > 0) await this.#untilIdle(UNBIND_MS)
      this.#answer('unbind', sequence, { status: STATUS.ok })
      this.#connection.end()
    }
    const ended = end()
    this.#closing ??= ended
  }

  #bind(kind: BindKind, frame: Buffer): Reply {
    if (this.#phase !== 'open') return { status: this.#bound ? STATUS.alreadyBound : STATUS.wrongBindState }
    this.#isEnding = true
    const { bound, ...reply } = this.#deps.bind(kind, frame, this)
    if (bound === undefined) return reply
    this.#isEnding = false
    this.#bound = bound
    this.#phase = 'bound'
    return reply
  }

  async #answerLater(command: Command, sequence: number, reply: Promise<Reply>): Promise<void> {
    this.#inFlight += 1
    try {
      this.#answer(command, sequence, await reply)
    } catch (error) {
      this.#fail(command, sequence, error)
    }
    this.#inFlight -= 1
    if (this.#inFlight === 0 && this.#phase === 'closing') this.#idle.abort()
    this.#connection.read()
  }

  /** A fault is ours: the client may try again. */
  #fail(command: Command, sequence: number, error: unknown): void {
    const status = error instanceof Unreadable ? STATUS.invalidCommandLength : statusOf(error)
    if (status === undefined) this.#deps.onFault(error)
    this.#answer(command, sequence, { status: status ?? STATUS.systemError })
  }

  #answer(command: Command, sequence: number, { status, body }: Reply): void {
    this.#deps.onAnswer(command, status)
    this.#connection.write(toPdu(COMMANDS[command] + RESPONSE, sequence, status, body))
  }

  #nack(sequence: number, status: Status): void {
    this.#connection.write(toPdu(COMMANDS.generic_nack, sequence, status))
  }

  #closed(): void {
    this.#phase = 'closed'
    this.#outgoing.end()
    this.#idle.abort()
    this.#deps.onClose(this)
  }
}
