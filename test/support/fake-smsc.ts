/**
 * An SMSC on a real socket, on the listening side of the package `smpp`: it takes binds and submits, sends
 * receipts, and behaves as badly as a test wants. What it keeps is what reached it, whatever it answered.
 */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import type { Received, Session as SmppSession } from 'smpp'
import { type BindFields, type SubmitFields, smppPackage } from '../../src/providers/smpp/pdu.ts'
import { type SmscMessage, toMessages } from './smsc-messages.ts'
import { type ReceiptStyle, toId, toReceipt } from './smsc-receipts.ts'

// Without its reading of texts, so that octets stay octets here too.
const { PDU, Session } = smppPackage()
type Session = SmppSession

export const SMSC = { system_id: 'pombo', password: 'a-secret' }

/** What becomes of a submit: taken, kept waiting until it is released, the line cut, this status, or a generic_nack. */
export type Reaction = 'take' | 'hold' | 'hang up' | number | Readonly<{ nack: number }>

export type SmscOptions = ReceiptStyle &
  Readonly<{
    port?: number
    tls?: Readonly<{ key: string; cert: string }>
    /** How long each answer takes. */
    latencyMs?: number
    /** Receipts it sends by itself, so long after the answer. Zero: before it. */
    receiptDelayMs?: number
    receiptsTwice?: boolean
    /** Whether they come on another session than the submit. */
    receiptsElsewhere?: boolean
    /** Whether it remembers what it got (true); under load it only counts. */
    keeps?: boolean
  }>

export type SmscSubmit = Readonly<{ fields: SubmitFields; session: number; at: number; id: string }>
type Held = (status: number) => void

const INVALID_PASSWORD = 0x0e
const AGAIN_MS = 100

export class FakeSmsc implements AsyncDisposable {
  readonly #options: SmscOptions
  readonly #sessions: Session[] = []
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  readonly #silent = new WeakSet<Session>()
  #held: Held[] = []
  /** Sessions that an answer is held back from. */
  readonly #owed = new Set<Session>()
  #lastId = 0x1a2b
  #port = 0
  #bindStatus: number | undefined
  #react: (nth: number, fields: SubmitFields) => Reaction = () => 'take'
  /** Every submit that was read, oldest first. */
  readonly submits: SmscSubmit[] = []
  /** Every bind that was asked for. */
  readonly binds: BindFields[] = []
  /** With which statuses it was answered what it brought. */
  readonly acknowledged: number[] = []
  /** How many submits and answers to receipts there were. */
  submitted = 0
  receipted = 0
  enquiries = 0
  /** How often somebody did not take it for what it says it is. */
  distrusted = 0
  unbinds = 0
  /** How many sessions left although an answer was held back from them. */
  unboundWhileOwed = 0
  /** With which statuses it was told that it is not understood. */
  readonly nacks: number[] = []
  /** The most submits that were unanswered at one time in one session. */
  mostOpen = 0

  constructor(options: SmscOptions) {
    this.#options = options
  }

  get port(): number {
    return this.#port
  }

  /** How many sessions are bound now. */
  get bound(): number {
    return this.#sessions.length
  }

  /** What phones would show of all that was submitted, whatever it was answered with. */
  get messages(): readonly SmscMessage[] {
    return toMessages(this.submits.map(({ fields }) => fields))
  }

  async start(): Promise<void> {
    const { tls, port = 0 } = this.#options
    const welcome = (socket: Socket): void => this.#welcome(socket)
    this.#server = tls ? createSecureServer(tls, welcome) : createServer({ noDelay: true }, welcome)
    this.#server.on('tlsClientError', () => {
      this.distrusted += 1
    })
    this.#server.listen(this.#port || port, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    this.#port = typeof address === 'object' ? (address?.port ?? 0) : 0
  }

  /** From now on nothing listens there, and nobody is connected. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    this.hangUp()
    if (server !== undefined) await new Promise((resolve) => server.close(resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** `nth` counts the submits from one. */
  react(react: Reaction | ((nth: number, fields: SubmitFields) => Reaction)): void {
    const first = this.submitted
    this.#react = typeof react === 'function' ? (nth, fields) => react(nth - first, fields) : () => react
  }

  refuseBinds(status: number | undefined): void {
    this.#bindStatus = status
  }

  /** Answers what is held, the last first if so asked. */
  release(order: 'forwards' | 'backwards' = 'forwards', status = 0): void {
    const held = order === 'forwards' ? this.#held : this.#held.toReversed()
    this.#held = []
    this.#owed.clear()
    for (const answer of held) answer(status)
  }

  get connected(): number {
    return this.#sockets.size
  }

  /** Reads on, and says nothing more in the sessions there are. */
  fallSilent(): void {
    for (const session of this.#sessions) this.#silent.add(session)
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Takes leave of everybody, as for maintenance. */
  unbind(): void {
    for (const session of this.#sessions) session.send(new PDU('unbind', {}))
  }

  /** Says something in every session. */
  say(command: string, fields: object = {}): void {
    for (const session of this.#sessions) session.send(new PDU(command, fields))
  }

  /** Resolves when all that was said until now has been read on the other side. */
  async read(): Promise<void> {
    const asked = this.#sessions.map(
      (session) => new Promise((resolve) => session.send(new PDU('enquire_link', {}), resolve)),
    )
    await Promise.all(asked)
  }

  /** Writes octets that need not be SMPP. */
  babble(octets: Buffer): void {
    for (const { socket } of this.#sessions) socket.write(octets)
  }

  /** Sends a receipt and answers with the status it gets; one that is not taken comes again. */
  report(id: string, stat = 'DELIVRD', session = 0): Promise<number> {
    return new Promise((resolve) => {
      const link = this.#sessions[session % this.#sessions.length]
      if (link === undefined) throw new Error('nobody is bound')
      link.send(new PDU('deliver_sm', toReceipt(id, stat, this.#options)), ({ command_status: status }) => {
        resolve(status)
        const again = (): void => void (this.#sessions.length > 0 && this.report(id, stat, session))
        if (status !== 0) setTimeout(again, AGAIN_MS).unref()
      })
    })
  }

  get #keeps(): boolean {
    return this.#options.keeps ?? true
  }

  #welcome(socket: Socket): void {
    this.#sockets.add(socket)
    const session = new Session({ socket })
    session.on('error', () => socket.destroy())
    session.on('close', () => {
      this.#sockets.delete(socket)
      this.#forget(session)
    })
    session.on('bind_transceiver', (pdu) => this.#bind(session, pdu))
    let open = 0
    session.on('submit_sm', (pdu) => {
      open += 1
      this.mostOpen = Math.max(this.mostOpen, open)
      this.#submit(session, pdu, () => {
        open -= 1
      })
    })
    session.on('enquire_link', (pdu) => {
      this.enquiries += 1
      if (!this.#silent.has(session)) session.send(pdu.response())
    })
    session.on('generic_nack', ({ command_status: status }) => this.nacks.push(status))
    session.on('deliver_sm_resp', ({ command_status: status }) => {
      this.receipted += 1
      if (this.#keeps) this.acknowledged.push(status)
    })
    session.on('unbind', (pdu) => {
      this.unbinds += 1
      if (this.#owed.has(session)) this.unboundWhileOwed += 1
      this.#forget(session)
      session.send(pdu.response())
    })
  }

  #forget(session: Session): void {
    const place = this.#sessions.indexOf(session)
    if (place >= 0) this.#sessions.splice(place, 1)
  }

  #bind(session: Session, pdu: Received): void {
    const fields = pdu as unknown as BindFields
    this.binds.push(fields)
    const isKnown = fields.system_id === SMSC.system_id && fields.password === SMSC.password
    const status = this.#bindStatus ?? (isKnown ? 0 : INVALID_PASSWORD)
    session.send(pdu.response({ command_status: status, system_id: 'fake' }))
    if (status === 0) this.#sessions.push(session)
  }

  #submit(session: Session, pdu: Received, answered: () => void): void {
    const fields = pdu as unknown as SubmitFields
    this.#lastId += 1
    const id = toId(this.#lastId, this.#options)
    const place = this.#sessions.indexOf(session)
    this.submitted += 1
    if (this.#keeps) this.submits.push({ fields, session: place, at: performance.now(), id })
    const reaction = this.#react(this.submitted, fields)
    if (reaction === 'hang up') {
      session.destroy()
      return
    }
    if (typeof reaction === 'object') {
      answered()
      const { sequence_number } = pdu
      session.send(new PDU('generic_nack', { command_status: reaction.nack, sequence_number }))
      return
    }
    const status = typeof reaction === 'number' ? reaction : 0
    const answer: Held = (status) => {
      answered()
      session.send(pdu.response({ command_status: status, message_id: id }))
    }
    if (status === 0) this.#promise(id, place)
    if (reaction === 'hold') {
      this.#held.push(answer)
      this.#owed.add(session)
    } else if (this.#options.latencyMs) setTimeout(answer, this.#options.latencyMs, status)
    else answer(status)
  }

  /** The receipts it owes for what it takes. */
  #promise(id: string, session: number): void {
    const { receiptDelayMs, receiptsTwice = false, receiptsElsewhere = false } = this.#options
    if (receiptDelayMs === undefined) return
    const send = (): void => {
      for (let left = receiptsTwice ? 2 : 1; left > 0; left -= 1) {
        if (this.#sessions.length > 0) void this.report(id, 'DELIVRD', session + (receiptsElsewhere ? 1 : 0))
      }
    }
    if (receiptDelayMs === 0) send()
    else setTimeout(send, receiptDelayMs).unref()
  }
}

export async function openFakeSmsc(options: SmscOptions = {}): Promise<FakeSmsc> {
  const smsc = new FakeSmsc(options)
  await smsc.start()
  return smsc
}
