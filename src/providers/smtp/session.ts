/**
 * One connection to a mail server, on nodemailer's client: it connects, starts TLS, logs in, and then sends one mail
 * after another, each at most once.
 */
import type { NodemailerError } from 'nodemailer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { SmtpCommand } from './errors.ts'
import { type Reason, type Result, unsent } from './outcome.ts'
import { type ComposedMail, OutgoingMail, toReply } from './outgoing-mail.ts'
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

/** The result when the caller's signal aborts, and the final result, which may come later and differ. */
export type Results = Readonly<{ byDeadline: Promise<Result>; final: Promise<Result> }>

const QUIT_MS = 1_000

export class Session {
  readonly #connection: SMTPConnection
  readonly #ended: (() => void)[] = []
  /** Ends the command in progress; nodemailer does not when it closes the connection itself. */
  #abandon = (): void => undefined
  /** How many mails were sent over it. */
  mails = 0

  constructor(connection: SMTPConnection) {
    this.#connection = connection
    connection.once('end', () => {
      for (const ended of this.#ended) ended()
      // nodemailer reports the reason right after this event.
      setImmediate(() => this.#abandon())
    })
  }

  get isUp(): boolean {
    return !this.#connection.destroyed
  }

  onEnd(ended: () => void): void {
    this.#ended.push(ended)
  }

  /** One mail at a time. The signal must not be aborted yet. */
  send(composed: ComposedMail, signal: AbortSignal): Results {
    this.mails += 1
    const mail = new OutgoingMail(composed)
    const byDeadline = Promise.withResolvers<Result>()
    const final = Promise.withResolvers<Result>()
    const giveUp = (): void => {
      byDeadline.resolve(lost(mail, 'TIMEOUT'))
      // If the server may have the whole mail, its answer is worth waiting for.
      if (!mail.isFullySent) this.close()
    }
    const end = (result: Result): void => {
      this.#abandon = () => undefined
      signal.removeEventListener('abort', giveUp)
      byDeadline.resolve(result)
      final.resolve(result)
    }
    this.#abandon = () => end(lost(mail, 'CONNECTION_LOST'))
    signal.addEventListener('abort', giveUp, { once: true })
    this.#connection.send(mail.envelope, mail.content, (error, info) =>
      end(error ? this.#toResult(mail, error) : accepted(mail, info.serverMessageId)),
    )
    return { byDeadline: byDeadline.promise, final: final.promise }
  }

  /** Makes it ready for another mail after a refused one. The connection may be down afterwards. */
  async reset(): Promise<void> {
    if (!this.isUp) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#abandon = resolve
    this.#connection.reset((error) => {
      if (error) this.close()
      resolve()
    })
    await promise
  }

  /** Sends QUIT and waits a moment for the server to close the connection. */
  async quit(): Promise<void> {
    if (!this.isUp) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#abandon = resolve
    const timer = setTimeout(() => this.close(), QUIT_MS)
    this.#connection.quit()
    await promise
    clearTimeout(timer)
  }

  close(): void {
    this.#connection.close()
  }

  #toResult(mail: OutgoingMail, error: NodemailerError): Result {
    // The server still waits for the content, which we withheld.
    if (error.code === 'ESTREAM') this.close()
    if (error.code === 'EMESSAGE' && error.response === undefined) return { kind: 'too large' }
    // If the sender was refused, the recipients were refused only as a consequence.
    const reason = error.command === 'MAIL FROM' ? error : (mail.refusal ?? error)
    const refused = toRefused(reason, mail.isFullySent ? 'data' : 'connect')
    if (refused === undefined) {
      return lost(mail, error.response === undefined ? reasonOf(error, 'CONNECTION_LOST') : 'INVALID_RESPONSE')
    }
    return { ...refused, isAboutAll: mail.hasCopies && refused.command !== 'rcpt' }
  }
}

/** A session that is ready to send, or why there is none. */
export async function openSession(deps: SessionDeps, signal: AbortSignal): Promise<Session | Result> {
  const connection = new SMTPConnection(toOptions(deps))
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(deps.connectMs)])
  const giveUp = (): void => connection.close()
  deadline.addEventListener('abort', giveUp, { once: true })
  // A pending command gets the error by its callback; everything else by the event `end`.
  connection.on('error', () => undefined)
  const session = new Session(connection)
  const failure = await ready(connection, deps).catch((error: NodemailerError) => error)
  deadline.removeEventListener('abort', giveUp)
  if (failure === undefined && session.isUp) return session
  connection.close()
  if (failure === undefined || deadline.aborted) return unsent(deadline.aborted ? 'TIMEOUT' : 'NOT_CONNECTED')
  if (isWithoutTls(failure)) return unsent('TLS_REQUIRED')
  return toRefused(failure, 'connect') ?? unsent(reasonOf(failure, 'NOT_CONNECTED'))
}

/** Resolves once mails may be sent; rejects otherwise. */
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

/** A password is sent unencrypted only if the setting is `none`, not even to localhost otherwise. */
const NOT_SECURE = new Error('the server offers no TLS')

/** The server does not offer STARTTLS or refuses it. A man in the middle may pretend so. */
const isWithoutTls = (error: NodemailerError): boolean =>
  error === NOT_SECURE || (error.command === 'STARTTLS' && error.responseCode !== undefined && error.responseCode > 421)

function toOptions({ host, port, tls, ca, name, connectMs, answerMs }: SessionDeps): SMTPConnection.Options {
  return omitUndefined({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    opportunisticTLS: tls === 'opportunistic',
    tls: omitUndefined({ rejectUnauthorized: tls !== 'opportunistic', ca }),
    name,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: answerMs,
  })
}

const accepted = ({ refusedCopies }: OutgoingMail, messageId: string | undefined): Result =>
  omitUndefined({ kind: 'accepted' as const, refusedCopies, messageId: messageId?.replace(/^<|>$/g, '') })

const lost = ({ isFullySent, isUnsent }: OutgoingMail, reason: Reason): Result => ({
  kind: 'lost',
  reason,
  isFullySent,
  isUnsent,
})

const COMMANDS: Readonly<Record<string, SmtpCommand>> = { 'MAIL FROM': 'mail', 'RCPT TO': 'rcpt', DATA: 'data' }

function toRefused(error: NodemailerError, otherwise: SmtpCommand) {
  const { command = '' } = error
  const reply = toReply(error)
  if (reply.status < 400 || reply.status > 599) return undefined
  const refused = COMMANDS[command] ?? (command.startsWith('AUTH') ? 'auth' : otherwise)
  return { kind: 'refused', command: refused, reply } as const
}

/** Certificate errors have many codes; these words are common to them. */
const TLS_CODE = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|CRL|HOSTNAME/

function reasonOf({ code = '', originalCode = '' }: NodemailerError, otherwise: Reason): Reason {
  if (code === 'ETIMEDOUT') return 'TIMEOUT'
  return TLS_CODE.test(code) || TLS_CODE.test(originalCode) ? 'TLS_FAILED' : otherwise
}
