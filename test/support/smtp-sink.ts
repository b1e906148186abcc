/**
 * A mail server on a real socket, built on the package `smtp-server`. It can be made to fail at any point of a session,
 * and records every mail that reached it completely, whatever it answered.
 */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerDataStream,
  type SMTPServerOptions,
  type SMTPServerSession,
} from 'smtp-server'

/** A point in a session: `data` is when the first bytes of a mail have arrived, `end` when all of it has. */
export type Point = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data' | 'end'

/** Continues, drops the connection, holds the answer until `release`, or refuses with a reply such as `550 5.1.1 nobody`. */
export type Reaction = 'take' | 'hang up' | 'hold' | `${4 | 5}${string}`

/** `nth` counts the sessions that reached this point, from 1; `address` is the sender's or the recipient's. */
export type React = (nth: number, address: string) => Reaction

export type SinkMail = Readonly<{
  from: SMTPServerAddress
  to: readonly SMTPServerAddress[]
  raw: Buffer
  /** The id of the connection. */
  session: string
  isSecure: boolean
  user: string | undefined
  at: number
}>

export type SinkOptions = Omit<SMTPServerOptions, `on${string}`> &
  Readonly<{
    user?: string
    password?: string
    /** Records mails (default true); under load it only counts them. */
    records?: boolean
  }>

type Reply = (reply?: string) => void

export class SmtpSink implements AsyncDisposable {
  readonly #options: SinkOptions
  readonly #reacts = new Map<Point, Readonly<{ react: React; from: number }>>()
  readonly #reached = new Map<Point, number>()
  readonly #sockets = new Set<Socket>()
  #held: Reply[] = []
  #server: SMTPServer | undefined
  #port = 0
  readonly mails: SinkMail[] = []
  /** The number of complete mails. */
  received = 0

  constructor(options: SinkOptions = {}) {
    this.#options = options
  }

  get port(): number {
    return this.#port
  }

  get connected(): number {
    return this.#sockets.size
  }

  /** How often a session reached this point. */
  reached(point: Point): number {
    return this.#reached.get(point) ?? 0
  }

  async start(): Promise<void> {
    const server = new SMTPServer({
      authOptional: this.#options.user === undefined,
      disabledCommands: this.#disabled,
      hideDSN: false,
      disableReverseLookup: true,
      closeTimeout: 1,
      ...this.#options,
      ...this.#hooks(),
    })
    this.#server = server
    // A client that closes its connection is not an error of the test.
    server.on('error', () => undefined)
    // With implicit TLS, the TLS socket must be destroyed, not the socket below it.
    server.server.on(this.#options.secure ? 'secureConnection' : 'connection', (socket) => this.#accept(socket))
    server.listen(this.#port, '127.0.0.1')
    await once(server.server, 'listening')
    const address = server.server.address()
    this.#port = typeof address === 'object' ? (address?.port ?? 0) : 0
  }

  /** Closes the port and all connections. */
  async stop(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    this.hangUp()
    if (server !== undefined) await new Promise<void>((resolve) => server.close(() => resolve()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  react(point: Point, react: Reaction | React): void {
    const from = this.reached(point)
    this.#reacts.set(point, { react: typeof react === 'function' ? react : () => react, from })
  }

  /** Continues the held sessions, or refuses them with this reply. */
  release(reply?: string): void {
    for (const go of this.#held.splice(0)) go(reply)
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** AUTH needs an account, and STARTTLS a key. */
  get #disabled(): string[] {
    const { user, key } = this.#options
    return [...(user === undefined ? ['AUTH'] : []), ...(key === undefined ? ['STARTTLS'] : [])]
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
  }

  #hooks(): SMTPServerOptions {
    const { user, password } = this.#options
    return {
      onConnect: (session, next) => this.#at('connect', session, '', (reply) => next(refusal(reply))),
      onAuth: (auth, session, next) =>
        this.#at('auth', session, '', (reply) => {
          const isAuthentic = auth.username === user && auth.password === password
          const problem = refusal(reply ?? (isAuthentic ? undefined : '535 5.7.8 no'))
          next(problem, problem === null ? { user } : undefined)
        }),
      onMailFrom: ({ address }, session, next) => this.#at('mail', session, address, (reply) => next(refusal(reply))),
      onRcptTo: ({ address }, session, next) => this.#at('rcpt', session, address, (reply) => next(refusal(reply))),
      onData: (stream, session, next) =>
        void this.#read(stream, session, (reply) => next(refusal(reply), 'queued as 4Z')),
    }
  }

  async #read(stream: SMTPServerDataStream, session: SMTPServerSession, answer: Reply): Promise<void> {
    const begun = Promise.withResolvers<void>()
    this.#at('data', session, '', () => begun.resolve())
    await begun.promise
    const raw = await buffer(stream).catch(() => undefined)
    if (raw === undefined) return
    const { mailFrom, rcptTo: to } = session.envelope
    this.received += 1
    const isSecure = session.secure
    if (this.#options.records !== false && mailFrom !== false) {
      this.mails.push({
        from: mailFrom,
        to,
        raw,
        session: session.id,
        isSecure,
        user: session.user,
        at: performance.now(),
      })
    }
    this.#at('end', session, '', answer)
  }

  #at(point: Point, session: SMTPServerSession, address: string, go: Reply): void {
    const nth = this.reached(point) + 1
    this.#reached.set(point, nth)
    const { react, from } = this.#reacts.get(point) ?? TAKE
    const reaction = react(nth - from, address)
    if (reaction === 'take') go()
    else if (reaction === 'hold') this.#held.push(go)
    else if (reaction === 'hang up') this.#socketOf(session)?.destroy()
    else go(reaction)
  }

  #socketOf({ remotePort }: SMTPServerSession): Socket | undefined {
    return [...this.#sockets].find((socket) => socket.remotePort === remotePort)
  }
}

const TAKE = { react: (): Reaction => 'take', from: 0 }

function refusal(reply: string | undefined): Error | null {
  if (reply === undefined) return null
  return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) })
}

export async function openSmtpSink(options: SinkOptions = {}): Promise<SmtpSink> {
  const sink = new SmtpSink(options)
  await sink.start()
  return sink
}
