/**
 * Takes short messages from SMPP clients, and brings them delivery receipts. All sessions of an account are equal, whatever
 * process they are bound at: what an answer promises is in the log or in a store.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls'
import type { Logger } from 'pino'
import { toClientKey } from '../../flows/access/sign-in-throttle.ts'
import { type Millis, seconds } from '../../lib/time.ts'
import type { ServerTls } from '../tls.ts'
import { type CredentialDeps, Credentials } from './credentials.ts'
import { STATUS, TAGS, toBody, toOptional } from './pdu.ts'
import { ReceiptSender, type ReceiptSenderDeps } from './receipt-sender.ts'
import { readBind } from './requests.ts'
import { type ServeDeps, serve } from './serve.ts'
import { type BindKind, Session, type SessionTimes } from './session.ts'
import { SessionBook } from './session-book.ts'
import { Answered } from './statuses.ts'

export type SmppListenerDeps = ServeDeps &
  Omit<ReceiptSenderDeps, 'logger'> &
  CredentialDeps &
  Readonly<{
    /** Undefined where there is no certificate. */
    tls: ServerTls | undefined
    logger: Logger
    onFault: (error: unknown) => void
    onSmppAnswer: (command: string, status: string) => void
    /** A session was bound, or is gone. */
    onSmppSession: (bind: BindKind, change: 1 | -1) => void
  }>

export type SmppListenerOptions = Readonly<{
  host: string
  /** Without TLS, and with it; each only where it is set. */
  port?: number
  tlsPort?: number
  sessions: number
  sessionsPerAddress: number
  sessionsPerAccount: number
  window: number
  times: SessionTimes
  /** How long requests in flight may take when the listener closes. */
  grace: Millis
}>

export type SmppListener = AsyncDisposable & Readonly<{ port: number | undefined; tlsPort: number | undefined }>

/** What we speak, as a client sees it in the answer to its bind. */
const SYSTEM_ID = 'pombo'
const VERSION = 0x34
const CHECK_EVERY_MS = 1_000
/** A handshake takes a few round trips, and no work of the client's. */
const MOST_HANDSHAKE = seconds(10)

/** The statuses as the specification writes them. */
const HEX: Readonly<Record<number, string>> = Object.fromEntries(
  Object.values(STATUS).map((status) => [status, `0x${status.toString(16).padStart(2, '0')}`]),
)

export async function openSmppListener(deps: SmppListenerDeps, options: SmppListenerOptions): Promise<SmppListener> {
  await using opened = new AsyncDisposableStack()
  const listening = new Listening(deps, options)
  opened.use(listening)
  const port = await listening.open(options.port, 'connection', () => createServer())
  const tlsPort = await listening.open(options.tlsPort, 'secureConnection', () =>
    toTlsServer(deps.tls, Math.min(options.times.bind, MOST_HANDSHAKE)),
  )
  deps.logger.info({ port, tls_port: tlsPort }, 'smpp: listening')
  const closing = opened.move()
  return { port, tlsPort, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

function toTlsServer(tls: ServerTls | undefined, handshakeTimeout: number): TlsServer {
  if (tls === undefined) throw new Error('POMBO_SMPPS_PORT needs a certificate')
  const server = createTlsServer({ ...tls.current(), minVersion: 'TLSv1.2', handshakeTimeout })
  // Somebody does not speak TLS, or not ours, or nothing at all: Node reports it, and closes nothing.
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  tls.onRenewed((certificate) => server.setSecureContext(certificate))
  return server
}

class Listening implements AsyncDisposable {
  readonly #deps: SmppListenerDeps
  readonly #options: SmppListenerOptions
  readonly #book: SessionBook
  readonly #credentials: Credentials
  readonly #receipts: ReceiptSender
  readonly #servers: Server[] = []
  readonly #timer: NodeJS.Timeout

  constructor(deps: SmppListenerDeps, options: SmppListenerOptions) {
    this.#deps = deps
    this.#options = options
    this.#book = new SessionBook(options)
    this.#credentials = new Credentials(deps)
    this.#receipts = new ReceiptSender(deps, this.#book, options.times.answer)
    this.#timer = setInterval(() => this.#check(), CHECK_EVERY_MS)
    this.#timer.unref()
  }

  /** `ready` is the event of a connection that can carry PDUs. */
  async open(
    port: number | undefined,
    ready: 'connection' | 'secureConnection',
    create: () => Server,
  ): Promise<number | undefined> {
    if (port === undefined) return undefined
    const server = create()
    server.on('connection', (socket: Socket) => this.#admit(socket))
    server.on(ready, (socket: Socket) => {
      if (server.listening && !socket.destroyed) this.#accept(socket)
      else socket.destroy()
    })
    server.maxConnections = this.#options.sessions
    server.listen(port, this.#options.host)
    await once(server, 'listening')
    this.#servers.push(server)
    return (server.address() as AddressInfo).port
  }

  /** Nobody new is let in; those who are bound get their answers, and are asked to bind elsewhere. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    for (const server of this.#servers) server.close()
    const closing = this.#book.all().map((session) => session.close(this.#options.grace))
    await Promise.all(closing)
    await this.#receipts[Symbol.asyncDispose]()
  }

  /** From here on a connection counts, or silent ones from one address would keep everybody else out. */
  #admit(socket: Socket): void {
    const address = toClientKey(socket.remoteAddress ?? '')
    if (this.#book.enter(address)) socket.once('close', () => this.#book.leave(address))
    else socket.destroy()
  }

  #accept(socket: Socket): void {
    const { window, times } = this.#options
    const session = new Session(socket, {
      window,
      times,
      bind: (kind, frame, binding) => this.#bind(kind, frame, binding),
      serve: (command, frame, bound) => serve(this.#deps, command, frame, bound),
      onAnswer: (command, status) => this.#deps.onSmppAnswer(command, HEX[status] ?? ''),
      onClose: (closed) => {
        if (closed.kind !== undefined) this.#deps.onSmppSession(closed.kind, -1)
        this.#book.remove(closed)
      },
      onFault: this.#deps.onFault,
    })
    this.#book.add(session)
  }

  #bind(kind: BindKind, frame: Buffer, session: Session) {
    const { address } = session
    const { systemId, password, version } = readBind(frame)
    try {
      const { key, caller } = this.#credentials.verify({ systemId, password, address })
      if (!this.#book.hasRoomFor(caller)) throw new Answered(STATUS.bindFailed)
      // Optional parameters are only for those who know of them.
      const optional = version >= VERSION ? [toOptional(TAGS.sc_interface_version, Buffer.of(VERSION))] : []
      const bound = { caller, keyId: key.id, kind }
      this.#deps.onSmppSession(kind, 1)
      return { status: STATUS.ok, body: toBody(SYSTEM_ID, ...optional), bound }
    } catch (error) {
      if (!(error instanceof Answered)) throw error
      this.#deps.logger.info({ address, status: error.status }, 'smpp: bind refused')
      return { status: error.status }
    }
  }

  #check(): void {
    const now = performance.now()
    for (const session of this.#book.all()) {
      session.check(now)
      const { bound } = session
      if (bound === undefined || this.#credentials.isStillGood(bound.keyId, session.address)) continue
      void session.close(this.#options.grace)
    }
  }
}
