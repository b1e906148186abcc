/** Composes, signs and sends mails, and reports what the server says about them. Loaded only by processes that send. */
import { buffer } from 'node:stream/consumers'
import DKIM from 'nodemailer/lib/dkim'
import type { Mailbox } from '../../domain/email/mailbox.ts'
import { toReference } from '../../domain/message/attempt-reference.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { EmailAttempt } from '../../ports/provider.ts'
import { envelopeOf, toSender } from '../envelope.ts'
import { type DkimSigning, type ProviderContext, validityOf } from '../kind.ts'
import { toMail } from '../mime.ts'
import { EXPIRED } from '../provider-errors.ts'
import { isTooFast, toSmtpError } from './errors.ts'
import { type Result, toOutcome } from './outcome.ts'
import { Pool } from './pool.ts'
import { reportCopies, reportLate } from './reports.ts'
import { type Settings, toTlsMode } from './settings.ts'

export type Mailer = AsyncDisposable &
  Readonly<{ pool: Pool; send: (attempt: EmailAttempt, signal: AbortSignal) => Promise<SendOutcome> }>

export function openMailer(settings: Settings, context: ProviderContext, drainMs: number): Mailer {
  const pool = openPool(settings, drainMs)
  const deps: Deps = { context, sender: toSender(settings), sign: signerOf(settings), pool }
  return {
    pool,
    send: (attempt, signal) => send(deps, attempt, signal),
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

/** `own` is the key of the sender's domain, which replaces that of the settings. */
type Sign = (raw: Buffer, own: DkimSigning | undefined) => Promise<Buffer>
type Deps = Readonly<{ context: ProviderContext; sender: Mailbox; sign: Sign; pool: Pool }>

/** Includes the unsubscribe headers: otherwise receivers do not offer one-click unsubscribe (RFC 8058, 4). */
const SIGNED =
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:In-Reply-To:References:List-Unsubscribe:List-Unsubscribe-Post:Auto-Submitted'

function signerOf({ dkim }: Settings): Sign {
  const general = dkim && toSigner({ ...dkim, privateKey: dkim.private_key })
  return async (raw, own) => {
    const signer = own === undefined ? general : toSigner(own)
    return signer === undefined ? raw : buffer(signer.sign(raw))
  }
}

const toSigner = ({ domain: domainName, selector: keySelector, privateKey }: DkimSigning): DKIM =>
  new DKIM({ domainName, keySelector, privateKey, headerFieldNames: SIGNED })

function openPool(settings: Settings, drainMs: number): Pool {
  const { host, ca, user, password, connections = 5, mails_per_connection: mailsPerConnection = 100 } = settings
  const { max_per_second: maxPerSecond, ehlo_name: name } = settings
  const { connect_seconds: connect = 10, answer_seconds: answer = 120, idle_seconds: idle = 30 } = settings
  const tls = toTlsMode(settings)
  return new Pool(
    omitUndefined({
      host,
      port: settings.port ?? (tls === 'implicit' ? 465 : 587),
      tls,
      ca,
      name,
      login: user === undefined || password === undefined ? undefined : { user, pass: password },
      connectMs: connect * 1_000,
      answerMs: answer * 1_000,
      connections,
      mailsPerConnection,
      maxPerSecond,
      idleMs: idle * 1_000,
      drainMs,
    }),
  )
}

async function send(deps: Deps, attempt: EmailAttempt, signal: AbortSignal): Promise<SendOutcome> {
  const { context, sender, sign, pool } = deps
  const { content, ref, expiresAt } = attempt
  if (expiresAt !== undefined && validityOf(expiresAt, context.clock()) === 0) return EXPIRED
  const { raw, messageId } = await toMail(attempt, sender, context.clock())
  const signed = await sign(raw, context.dkimSigningFor?.(attempt))
  const envelope = envelopeOf(content, sender, context.bounceAddressFor?.(attempt))
  const mail = { envelope, raw: signed, reference: toReference(ref) }
  const { byDeadline, final } = await pool.send(mail, signal)
  const result = await byDeadline
  if (isThrottled(result)) pool.throttle()
  const outcome = toOutcome(result, messageId)
  if (outcome.kind === 'unknown') void final.then((last) => reportLate(context, attempt, last, messageId))
  // Before we return the outcome: the process may stop right after it.
  if (outcome.kind === 'accepted') {
    await reportCopies(context, { ref, providerMessageId: outcome.providerMessageId }, result)
  }
  return outcome
}

const isThrottled = (result: Result): boolean =>
  result.kind === 'refused' && isTooFast(toSmtpError(result.reply, result.command))
