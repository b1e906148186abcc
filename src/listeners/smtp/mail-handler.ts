/** What happens at each step of a session: sign-in, sender, recipients and the mail itself. */
import type { Logger } from 'pino'
import type { SMTPServerAddress, SMTPServerDataStream, SMTPServerSession } from 'smtp-server'
import type { Caller } from '../../domain/access/caller.ts'
import { isTestTenant } from '../../domain/access/test-mode.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Accepted } from '../../flows/send/accept.ts'
import { BOUNCE_BYTES, type BounceDeps, receiveBounce } from './receive-bounce.ts'
import { type ReceiveOptions, receiveMail } from './receive-mail.ts'
import { checkRecipient, type RecipientDeps, toAddress } from './recipients.ts'
import { needsAuth, Reply } from './replies.ts'
import type { Sessions } from './sessions.ts'
import type { SignedIn } from './sign-in.ts'
import { type SubmitDeps, submitMail } from './submit-mail.ts'

export type HandlerDeps = SubmitDeps &
  RecipientDeps &
  BounceDeps &
  Readonly<{
    logger: Logger
    /** Memory for a large mail; undefined where there is no room now. */
    reserve: (tenantId: TenantId, bytes: number) => (() => void) | undefined
    onMail: (result: 'accepted' | 'repeated' | 'deferred' | 'refused') => void
  }>

export type Bounds = Pick<ReceiveOptions, 'maxBytes'> & Readonly<{ maxRecipients: number }>

/** A mail with many recipients is stored once for each. */
const MAX_STORED_BYTES = 128 * 1024 * 1024
const TOO_MANY_FOR_SIZE = () =>
  new Reply('552 5.3.4', 'Too many recipients for a mail of this size; announce its SIZE, or send to fewer at once')

export class MailHandler {
  readonly #deps: HandlerDeps
  readonly #bounds: Bounds
  readonly #sessions: Sessions
  readonly #signIn: (key: string, ip: string) => SignedIn

  constructor(deps: HandlerDeps, bounds: Bounds, sessions: Sessions, signIn: (key: string, ip: string) => SignedIn) {
    this.#deps = deps
    this.#bounds = bounds
    this.#sessions = sessions
    this.#signIn = signIn
  }

  signIn(session: SMTPServerSession, key: string): void {
    this.#sessions.of(session).signedIn = this.#signIn(key, session.remoteAddress)
  }

  /** A connection without sign-in may bring bounces, if there is an address for them. */
  sender(session: SMTPServerSession): void {
    const state = this.#sessions.of(session)
    state.bounces.clear()
    if (state.signedIn !== undefined) state.signedIn.verify()
    else if (this.#deps.bounces === undefined) throw needsAuth()
  }

  async recipient(session: SMTPServerSession, { address }: SMTPServerAddress): Promise<void> {
    const state = this.#sessions.of(session)
    const ref = this.#deps.bounces?.parse(address)
    if (ref !== undefined) {
      state.bounces.set(address, ref)
      return
    }
    if (state.signedIn === undefined) throw needsAuth()
    if ((session.envelope.rcptTo.length + 1) * announcedBy(session) > MAX_STORED_BYTES) {
      throw new Reply('452 4.5.3', 'Too many recipients for a mail of this size, send it to the others again')
    }
    await checkRecipient(this.#deps, state.signedIn.verify(), address)
  }

  /** The text of the reply 250: everything that was received is stored. */
  async mail(stream: SMTPServerDataStream, session: SMTPServerSession, hangUp: (text: string) => void) {
    const { bounces, signedIn } = this.#sessions.of(session)
    const to = session.envelope.rcptTo.map(({ address }) => address).filter((address) => !bounces.has(address))
    const refs = session.envelope.rcptTo.flatMap(({ address }) => bounces.get(address) ?? [])
    const caller = to.length === 0 ? undefined : signedIn?.verify()
    if (to.length > 0 && caller === undefined) throw needsAuth()
    const received = await receiveMail(stream, this.#options(session, caller, hangUp))
    try {
      // The client did not announce it, or would have been told to send to fewer at once.
      if (received.raw.length * to.length > MAX_STORED_BYTES) throw TOO_MANY_FOR_SIZE()
      for (const ref of refs) await receiveBounce(this.#deps, received.raw, ref)
      return caller === undefined ? 'OK: bounce received' : await this.#submit(caller, received.raw, session, to)
    } finally {
      received.release()
    }
  }

  /** Of a bounce only the beginning is read, which is small. */
  #options(session: SMTPServerSession, caller: Caller | undefined, hangUp: (text: string) => void): ReceiveOptions {
    const { maxBytes } = this.#bounds
    const announced = announcedBy(session)
    if (caller === undefined) {
      return { maxBytes, wantedBytes: BOUNCE_BYTES, announced, reserve: () => undefined, hangUp }
    }
    return { maxBytes, announced, reserve: (bytes) => this.#deps.reserve(caller.tenantId, bytes), hangUp }
  }

  async #submit(
    caller: Caller,
    raw: Buffer,
    { envelope: { mailFrom } }: SMTPServerSession,
    recipients: readonly string[],
  ): Promise<string> {
    const to = recipients.flatMap((address) => toAddress(address) ?? [])
    const envelopeFrom = mailFrom === false ? undefined : toAddress(mailFrom.address)
    const accepted = await submitMail(this.#deps, { caller, raw, envelopeFrom, to })
    for (const one of accepted) this.#note(caller, one)
    return toText(accepted, isTestTenant(caller.tenantId))
  }

  #note({ tenantId, actor }: Caller, { id, replayed }: Accepted): void {
    this.#deps.onMail(replayed ? 'repeated' : 'accepted')
    const key = actor.kind === 'api_key' ? { api_key_id: actor.id } : {}
    this.#deps.logger.debug({ tenant_id: tenantId, message_id: id, replayed, ...key }, 'smtp: mail accepted')
  }
}

function announcedBy({ envelope: { mailFrom } }: SMTPServerSession): number {
  const args = mailFrom === false ? false : mailFrom.args
  return args === false ? 0 : Number(args['SIZE'] ?? 0) || 0
}

/** As many ids as fit into a reply. */
const MAX_NAMED = 10

function toText(accepted: readonly Accepted[], isTest: boolean): string {
  const ids = accepted.slice(0, MAX_NAMED).map(({ id }) => id)
  const more = accepted.length > MAX_NAMED ? ` and ${accepted.length - MAX_NAMED} more` : ''
  return `OK: queued as ${ids.join(' ')}${more}${isTest ? ' (test mode)' : ''}`
}
