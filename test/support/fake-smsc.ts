/**
 * An SMSC on a real socket, built on the server side of the package `smpp`: it accepts binds and submits, sends
 * receipts, and can be made to fail. It records every submit that reached it, whatever it answered.
 */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import type { Received, Session as SmppSession } from 'smpp'
import { type BindFields, type SubmitFields, smppPackage } from '../../src/providers/smpp/pdu.ts'
import { type SmscMessage, toMessages } from './smsc-messages.ts'
import { type ReceiptStyle, toId, toReceipt } from './smsc-receipts.ts'

// Without decoding of texts, so that octets stay octets here too.
const { PDU, Session } = smppPackage()
type Session = SmppSession

export const SMSC = { system_id: 'pombo', password: 'a-secret' }

/** The reaction to a submit: accept it, hold the answer until `release`, drop the connection, a status, a generic_nack. */
export type Reaction = 'take' | 'hold' | 'hang up' | number | Readonly<{ nack: number }>

export type SmscOptions = ReceiptStyle &
  Readonly<{
    port?: number
    tls?: Readonly<{ key: string; cert: string }>
    /** The delay of each answer. */
    latencyMs?: number
    /** Sends a receipt this long after the answer; zero sends it before the answer. */
    receiptDelayMs?: number
    receiptsTwice?: boolean
    /** Sends receipts on another session than that of the submit. */
    receiptsElsewhere?: boolean
    /** Records submits (default true); under load it only counts them. */
    records?: boolean
  }>

export type SmscSubmit = Readonly<{ fields: SubmitFields; session: number; at: number; id: string }>
type Answer = (status: number) => void

const INVALID_PASSWORD = 0x0e
const REPEAT_MS = 100

export class FakeSmsc implements AsyncDisposable {
  readonly #options: SmscOptions
  readonly #sessions: Session[] = []
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  readonly #silent = new WeakSet<Session>()
  #held: Answer[] = []
  /** Sessions with a held answer. */
  readonly #pending = new Set<Session>()
  #lastId = 0x1a2b
  #port = 0
  #bindStatus: number | undefined
  #react: (nth: number, fields: SubmitFields) => Reaction = () => 'take'
  /** Every submit, oldest first. */
  readonly submits: SmscSubmit[] = []
  /** Every bind request. */
  readonly binds: BindFields[] = []
  /** The statuses of the answers to its receipts. */
  readonly acknowledged: number[] = []
  /** The number of submits, and of answers to receipts. */
  submitted = 0
  receipted = 0
  enquiries = 0
  /** The number of failed TLS handshakes. */
  tlsErrors = 0
  unbinds = 0
  /** The number of sessions that unbound while an answer was held. */
  unboundWhilePending = 0
  /** The statuses of the generic_nacks it received. */
  readonly nacks: number[] = []
  /** The highest number of unanswered submits in one session. */
  maxInFlight = 0

  constructor(options: SmscOptions) {
    this.#options = options
  }

  get port(): number {
    return this.#port
  }

  /** The number of bound sessions. */
  get bound(): number {
    return this.#sessions.length
  }

  /** The submitted messages as phones would show them, whatever the answers were. */
  get messages(): readonly SmscMessage[] {
    return toMessages(this.submits.map(({ fields }) => fields))
  }

  async start(): Promise<void> {
    const { tls, port = 0 } = this.#options
    const accept = (socket: Socket): void => this.#accept(socket)
    this.#server = tls ? createSecureServer(tls, accept) : createServer({ noDelay: true }, accept)
    this.#server.on('tlsClientError', () => {
      this.tlsErrors += 1
    })
    this.#server.listen(this.#port || port, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    this.#port = typeof address === 'object' ? (address?.port ?? 0) : 0
  }

  /** Closes the port and all connections. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    this.hangUp()
    if (server !== undefined) await new Promise((resolve) => server.close(resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** `nth` counts the submits from now on, starting with 1. */
  react(react: Reaction | ((nth: number, fields: SubmitFields) => Reaction)): void {
    const first = this.submitted
    this.#react = typeof react === 'function' ? (nth, fields) => react(nth - first, fields) : () => react
  }

  refuseBinds(status: number | undefined): void {
    this.#bindStatus = status
  }

  /** Sends the held answers, in either order. */
  release(order: 'forwards' | 'backwards' = 'forwards', status = 0): void {
    const held = order === 'forwards' ? this.#held : this.#held.toReversed()
    this.#held = []
    this.#pending.clear()
    for (const answer of held) answer(status)
  }

  get connected(): number {
    return this.#sockets.size
  }

  /** Keeps reading, and answers nothing more in the current sessions. */
  stopResponding(): void {
    for (const session of this.#sessions) this.#silent.add(session)
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Unbinds every session, as for maintenance. */
  unbind(): void {
    for (const session of this.#sessions) session.send(new PDU('unbind', {}))
  }

  /** Sends a PDU in every session. */
  sendPdu(command: string, fields: object = {}): void {
    for (const session of this.#sessions) session.send(new PDU(command, fields))
  }

  /** Resolves when the other side has read everything sent so far. */
  async drain(): Promise<void> {
    const enquiries = this.#sessions.map(
      (session) => new Promise((resolve) => session.send(new PDU('enquire_link', {}), resolve)),
    )
    await Promise.all(enquiries)
  }

  /** Writes raw octets, which need not be SMPP. */
  writeRaw(octets: Buffer): void {
    for (const { socket } of this.#sessions) socket.write(octets)
  }

  /** Sends a receipt and resolves to the status of the answer; repeats a receipt that is refused. */
  report(id: string, stat = 'DELIVRD', session = 0): Promise<number> {
    return new Promise((resolve) => {
      const link = this.#sessions[session % this.#sessions.length]
      if (link === undefined) throw new Error('no session is bound')
      link.send(new PDU('deliver_sm', toReceipt(id, stat, this.#options)), ({ command_status: status }) => {
        resolve(status)
        const repeat = (): void => void (this.#sessions.length > 0 && this.report(id, stat, session))
        if (status !== 0) setTimeout(repeat, REPEAT_MS).unref()
      })
    })
  }

  get #records(): boolean {
    return this.#options.records ?? true
  }

  #accept(socket: Socket): void {
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
      this.maxInFlight = Math.max(this.maxInFlight, open)
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
      if (this.#records) this.acknowledged.push(status)
    })
    session.on('unbind', (pdu) => {
      this.unbinds += 1
      if (this.#pending.has(session)) this.unboundWhilePending += 1
      this.#forget(session)
      session.send(pdu.response())
    })
  }

  #forget(session: Session): void {
    const index = this.#sessions.indexOf(session)
    if (index >= 0) this.#sessions.splice(index, 1)
  }

  #bind(session: Session, pdu: Received): void {
    const fields = pdu as unknown as BindFields
    this.binds.push(fields)
    const isAuthentic = fields.system_id === SMSC.system_id && fields.password === SMSC.password
    const status = this.#bindStatus ?? (isAuthentic ? 0 : INVALID_PASSWORD)
    session.send(pdu.response({ command_status: status, system_id: 'fake' }))
    if (status === 0) this.#sessions.push(session)
  }

  #submit(session: Session, pdu: Received, answered: () => void): void {
    const fields = pdu as unknown as SubmitFields
    this.#lastId += 1
    const id = toId(this.#lastId, this.#options)
    const index = this.#sessions.indexOf(session)
    this.submitted += 1
    if (this.#records) this.submits.push({ fields, session: index, at: performance.now(), id })
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
    const answer: Answer = (status) => {
      answered()
      session.send(pdu.response({ command_status: status, message_id: id }))
    }
    if (status === 0) this.#scheduleReceipts(id, index)
    if (reaction === 'hold') {
      this.#held.push(answer)
      this.#pending.add(session)
    } else if (this.#options.latencyMs) setTimeout(answer, this.#options.latencyMs, status)
    else answer(status)
  }

  /** Schedules the receipts of an accepted submit. */
  #scheduleReceipts(id: string, session: number): void {
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
