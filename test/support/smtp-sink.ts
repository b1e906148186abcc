/**
 * A mail server on a real socket, by the package `smtp-server`: it takes mails, and behaves as badly as a test wants
 * at any point of a session. What it keeps is what reached it whole, whatever it answered.
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

/** Where in a session: `data` is when the first of a mail has arrived, `end` when all of it has. */
export type Point = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data' | 'end'

/** Goes on, cuts the line, says nothing until it is released, or refuses by such a reply as `550 5.1.1 nobody`. */
export type Reaction = 'take' | 'hang up' | 'hold' | `${4 | 5}${string}`

/** `nth` counts what came to this point, from one; `address` is the sender's or the recipient's. */
export type React = (nth: number, address: string) => Reaction

export type SinkMail = Readonly<{
  from: SMTPServerAddress
  to: readonly SMTPServerAddress[]
  raw: Buffer
  /** By which connection, whether that was secure, and who had logged in. */
  session: string
  isSecure: boolean
  user: string | undefined
  at: number
}>

export type SinkOptions = Omit<SMTPServerOptions, `on${string}`> &
  Readonly<{
    user?: string
    password?: string /** Whether it remembers mails (true); under load it only counts. */
    keeps?: boolean
  }>

type Held = (reply?: string) => void

export class SmtpSink implements AsyncDisposable {
  readonly #options: SinkOptions
  readonly #reacts = new Map<Point, Readonly<{ react: React; from: number }>>()
  readonly #reached = new Map<Point, number>()
  readonly #sockets = new Set<Socket>()
  #held: Held[] = []
  #server: SMTPServer | undefined
  #port = 0
  readonly mails: SinkMail[] = []
  /** How many mails came whole. */
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

  /** How often a session came to this point. */
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
    // Whoever hangs up on it is no fault of the test.
    server.on('error', () => undefined)
    // Where TLS is on from the start, the socket below it is not ours to destroy.
    server.server.on(this.#options.secure ? 'secureConnection' : 'connection', (socket) => this.#welcome(socket))
    server.listen(this.#port, '127.0.0.1')
    await once(server.server, 'listening')
    const address = server.server.address()
    this.#port = typeof address === 'object' ? (address?.port ?? 0) : 0
  }

  /** From now on nothing listens there, and nobody is connected. */
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

  /** Goes on where it was held, or refuses by this reply. */
  release(reply?: string): void {
    for (const go of this.#held.splice(0)) go(reply)
  }

  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Without an account nobody can log in, and without a key nothing can be secured. */
  get #disabled(): string[] {
    const { user, key } = this.#options
    return [...(user === undefined ? ['AUTH'] : []), ...(key === undefined ? ['STARTTLS'] : [])]
  }

  #welcome(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
  }

  #hooks(): SMTPServerOptions {
    const { user, password } = this.#options
    return {
      onConnect: (session, next) => this.#at('connect', session, '', (reply) => next(refusal(reply))),
      onAuth: (auth, session, next) =>
        this.#at('auth', session, '', (reply) => {
          const isKnown = auth.username === user && auth.password === password
          const problem = refusal(reply ?? (isKnown ? undefined : '535 5.7.8 no'))
          next(problem, problem === null ? { user } : undefined)
        }),
      onMailFrom: ({ address }, session, next) => this.#at('mail', session, address, (reply) => next(refusal(reply))),
      onRcptTo: ({ address }, session, next) => this.#at('rcpt', session, address, (reply) => next(refusal(reply))),
      onData: (stream, session, next) =>
        void this.#read(stream, session, (reply) => next(refusal(reply), 'queued as 4Z')),
    }
  }

  async #read(stream: SMTPServerDataStream, session: SMTPServerSession, answer: Held): Promise<void> {
    const begun = Promise.withResolvers<void>()
    this.#at('data', session, '', () => begun.resolve())
    await begun.promise
    const raw = await buffer(stream).catch(() => undefined)
    if (raw === undefined) return
    const { mailFrom, rcptTo: to } = session.envelope
    this.received += 1
    const isSecure = session.secure
    if (this.#options.keeps !== false && mailFrom !== false) {
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

  #at(point: Point, session: SMTPServerSession, address: string, go: Held): void {
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
