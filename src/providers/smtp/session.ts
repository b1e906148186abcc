/**
 * One connection to a mail server, by nodemailer's client: it greets, secures and logs in, and then takes one mail
 * after another. Nothing is ever sent twice by it, and each mail ends with what is known of it and no more.
 */
import type { NodemailerError } from 'nodemailer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SmtpCommand } from './errors.ts'
import { type Reason, type Result, unsent } from './outcome.ts'
import { type Mailing, Parcel, toReply } from './parcel.ts'
import type { TlsMode } from './settings.ts'

export type SessionDeps = Readonly<{
  host: string
  port: number
  tls: TlsMode
  ca?: string
  name?: string
  login?: Readonly<{ user: string; pass: string }>
  connectMs: number
  answerMs: number
}>

/** `inTime` is what is known when the caller has to be told, `atLast` what is known when nothing more will be. */
export type Sending = Readonly<{ inTime: Promise<Result>; atLast: Promise<Result> }>

const LEAVE_MS = 1_000

export class Session {
  readonly #connection: SMTPConnection
  readonly #ended: (() => void)[] = []
  /** Ends what is under way; the client forgets to where it closes the connection itself. */
  #lose = (): void => undefined
  /** How many mails it was given. */
  mails = 0

  constructor(connection: SMTPConnection) {
    this.#connection = connection
    connection.once('end', () => {
      for (const ended of this.#ended) ended()
      // What the client knows of it, it says right after this.
      setImmediate(() => this.#lose())
    })
  }

  get isUp(): boolean {
    return !this.#connection.destroyed
  }

  onEnd(ended: () => void): void {
    this.#ended.push(ended)
  }

  /** One at a time, and only while the signal lives. */
  send(mailing: Mailing, signal: AbortSignal): Sending {
    this.mails += 1
    const parcel = new Parcel(mailing)
    const inTime = Promise.withResolvers<Result>()
    const atLast = Promise.withResolvers<Result>()
    const giveUp = (): void => {
      inTime.resolve(lostWith(parcel, 'TIMEOUT'))
      // What the server may have is worth waiting for its answer.
      if (!parcel.isAllGiven) this.cut()
    }
    const end = (result: Result): void => {
      this.#lose = () => undefined
      signal.removeEventListener('abort', giveUp)
      inTime.resolve(result)
      atLast.resolve(result)
    }
    this.#lose = () => end(lostWith(parcel, 'CONNECTION_LOST'))
    signal.addEventListener('abort', giveUp, { once: true })
    this.#connection.send(parcel.envelope, parcel.content, (error, info) =>
      end(error ? this.#toResult(parcel, error) : takenAs(parcel, info.serverMessageId)),
    )
    return { inTime: inTime.promise, atLast: atLast.promise }
  }

  /** Makes it ready for another mail after one that was refused. It may be down after that. */
  async reset(): Promise<void> {
    if (!this.isUp) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#lose = resolve
    this.#connection.reset((error) => {
      if (error) this.cut()
      resolve()
    })
    await promise
  }

  /** Takes leave, and does not wait for long to be let go. */
  async leave(): Promise<void> {
    if (!this.isUp) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#lose = resolve
    const impatience = setTimeout(() => this.cut(), LEAVE_MS)
    this.#connection.quit()
    await promise
    clearTimeout(impatience)
  }

  cut(): void {
    this.#connection.close()
  }

  #toResult(parcel: Parcel, error: NodemailerError): Result {
    // The server waits for a mail that it will not get.
    if (error.code === 'ESTREAM') this.cut()
    if (error.code === 'EMESSAGE' && error.response === undefined) return { kind: 'too large' }
    // Where the sender is refused, so are all recipients, for want of one.
    const reason = error.command === 'MAIL FROM' ? error : (parcel.refusal ?? error)
    const refused = toRefused(reason, parcel.isAllGiven ? 'data' : 'connect')
    if (refused === undefined) {
      return lostWith(parcel, error.response === undefined ? reasonOf(error, 'CONNECTION_LOST') : 'ANSWER_GARBLED')
    }
    return { ...refused, isShared: parcel.isShared && refused.command !== 'rcpt' }
  }
}

/** A session that takes mails, or why there is none. */
export async function openSession(deps: SessionDeps, signal: AbortSignal): Promise<Session | Result> {
  const connection = new SMTPConnection(toOptions(deps))
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(deps.connectMs)])
  const giveUp = (): void => connection.close()
  inTime.addEventListener('abort', giveUp, { once: true })
  // Whoever waits for an answer is told by it; the rest is told by the end.
  connection.on('error', () => undefined)
  const session = new Session(connection)
  const failure = await ready(connection, deps).catch((error: NodemailerError) => error)
  inTime.removeEventListener('abort', giveUp)
  if (failure === undefined && session.isUp) return session
  connection.close()
  if (failure === undefined || inTime.aborted) return unsent(inTime.aborted ? 'TIMEOUT' : 'NOT_CONNECTED')
  if (isWithoutTls(failure)) return unsent('TLS_REQUIRED')
  return toRefused(failure, 'connect') ?? unsent(reasonOf(failure, 'NOT_CONNECTED'))
}

/** Resolves once mails may be sent; rejects with why they may not. */
function ready(connection: SMTPConnection, { login, tls }: SessionDeps): Promise<undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  connection.once('error', reject)
  connection.once('end', () => setImmediate(reject, new Error('the connection ended')))
  connection.connect((error) => {
    if (error) reject(error)
    else if (login === undefined) resolve(undefined)
    else if (tls !== 'none' && !connection.secure) reject(NOT_SECURE)
    else connection.login({ credentials: { ...login } }, (refusal) => (refusal ? reject(refusal) : resolve(undefined)))
  })
  return promise
}

/** A password is sent unencrypted only by `none`, where the operator asked for it; not even to this machine. */
const NOT_SECURE = new Error('the server offers no TLS')

/** The server does not offer STARTTLS, or refuses it. Somebody in between may have made it look so. */
const isWithoutTls = (error: NodemailerError): boolean =>
  error === NOT_SECURE || (error.command === 'STARTTLS' && error.responseCode !== undefined && error.responseCode > 421)

function toOptions({ host, port, tls, ca, name, connectMs, answerMs }: SessionDeps): SMTPConnection.Options {
  return {
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    opportunisticTLS: tls === 'opportunistic',
    tls: { rejectUnauthorized: tls !== 'opportunistic', ...(ca === undefined ? {} : { ca }) },
    ...(name === undefined ? {} : { name }),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: answerMs,
  }
}

const takenAs = ({ refusedCopies: refused }: Parcel, serverMessageId: string | undefined): Result => ({
  kind: 'taken',
  refused,
  ...(serverMessageId === undefined ? {} : { name: serverMessageId.replace(/^<|>$/g, '') }),
})

const lostWith = ({ isAllGiven, isUntouched }: Parcel, reason: Reason): Result => ({
  kind: 'lost',
  reason,
  mayHaveIt: isAllGiven,
  hasNothing: isUntouched,
})

const COMMANDS: Readonly<Record<string, SmtpCommand>> = { 'MAIL FROM': 'mail', 'RCPT TO': 'rcpt', DATA: 'data' }

function toRefused(error: NodemailerError, otherwise: SmtpCommand) {
  const { command = '' } = error
  const reply = toReply(error)
  if (reply.status < 400 || reply.status > 599) return undefined
  const said = COMMANDS[command] ?? (command.startsWith('AUTH') ? 'auth' : otherwise)
  return { kind: 'refused', command: said, reply } as const
}

/** What goes wrong with certificates comes under many codes, and all of them tell of one. */
const ABOUT_TLS = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|CRL|HOSTNAME/

function reasonOf({ code = '', originalCode = '' }: NodemailerError, otherwise: Reason): Reason {
  if (code === 'ETIMEDOUT') return 'TIMEOUT'
  return ABOUT_TLS.test(code) || ABOUT_TLS.test(originalCode) ? 'TLS_FAILED' : otherwise
}
