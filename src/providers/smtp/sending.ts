/**
 * The way of a mail to its server: it is written, signed, given to a connection that has time for it, and what the
 * server says of it is told. Loaded by whoever sends, and by nobody else.
 */
import { buffer } from 'node:stream/consumers'
import DKIM from 'nodemailer/lib/dkim'
import type { Mailbox } from '../../domain/email/mailbox.ts'
import { toReference } from '../../domain/message/attempt-reference.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import type { EmailAttempt } from '../../ports/provider.ts'
import { envelopeOf } from '../envelope.ts'
import type { ProviderContext } from '../kind.ts'
import { toMail } from '../mime.ts'
import { toSender } from '../sender.ts'
import { EXPIRED, validityOf } from '../validity.ts'
import { isTooFast, toSmtpError } from './errors.ts'
import { type Result, toOutcome } from './outcome.ts'
import { Pool } from './pool.ts'
import { reportCopies, reportLate } from './reports.ts'
import { type Settings, toTlsMode } from './settings.ts'

export type Sending = AsyncDisposable &
  Pick<Pool, 'connections' | 'hasRoom'> &
  Readonly<{ send: (attempt: EmailAttempt, signal: AbortSignal) => Promise<SendOutcome> }>

export function openSending(settings: Settings, place: ProviderContext, drainMs: number): Sending {
  const pool = openPool(settings, drainMs)
  const connector: Connector = { place, sender: toSender(settings), sign: signerOf(settings), pool }
  return {
    send: (attempt, signal) => send(connector, attempt, signal),
    get connections() {
      return pool.connections
    },
    get hasRoom() {
      return pool.hasRoom
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  }
}

type Sign = (raw: Buffer) => Promise<Buffer>
type Connector = Readonly<{ place: ProviderContext; sender: Mailbox; sign: Sign; pool: Pool }>

/** Also over what says how to unsubscribe, or receivers do not offer the one click (RFC 8058, 4). */
const SIGNED =
  'From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:In-Reply-To:References:List-Unsubscribe:List-Unsubscribe-Post:Auto-Submitted'

function signerOf({ dkim }: Settings): Sign {
  if (dkim === undefined) return async (raw) => raw
  const { domain: domainName, selector: keySelector, private_key: privateKey } = dkim
  const signer = new DKIM({ domainName, keySelector, privateKey, headerFieldNames: SIGNED })
  return (raw) => buffer(signer.sign(raw))
}

function openPool(settings: Settings, drainMs: number): Pool {
  const { host, ca, user, password, connections = 5, mails_per_connection: mailsPerConnection = 100 } = settings
  const { max_per_second: maxPerSecond, ehlo_name: name } = settings
  const { connect_seconds: connect = 10, answer_seconds: answer = 120, idle_seconds: idle = 30 } = settings
  const tls = toTlsMode(settings)
  return new Pool({
    host,
    port: settings.port ?? (tls === 'implicit' ? 465 : 587),
    tls,
    ...(ca === undefined ? {} : { ca }),
    ...(name === undefined ? {} : { name }),
    ...(user === undefined || password === undefined ? {} : { login: { user, pass: password } }),
    connectMs: connect * 1_000,
    answerMs: answer * 1_000,
    connections,
    mailsPerConnection,
    ...(maxPerSecond === undefined ? {} : { maxPerSecond }),
    idleMs: idle * 1_000,
    drainMs,
  })
}

async function send(connector: Connector, attempt: EmailAttempt, signal: AbortSignal): Promise<SendOutcome> {
  const { place, sender, sign, pool } = connector
  const { content, ref, expiresAt } = attempt
  if (expiresAt !== undefined && validityOf(expiresAt, place.clock()) === 0) return EXPIRED
  const { raw, messageId } = await toMail(attempt, sender, place.clock())
  const mailing = { envelope: envelopeOf(content, sender), raw: await sign(raw), reference: toReference(ref) }
  const { inTime, atLast } = await pool.deliver(mailing, signal)
  const result = await inTime
  if (asksToSlowDown(result)) pool.slowDown()
  const outcome = toOutcome(result, messageId)
  if (outcome.kind === 'unknown') void atLast.then((last) => reportLate(place, attempt, last, messageId))
  // Before the answer, which may be the last that this process does.
  if (outcome.kind === 'accepted') {
    await reportCopies(place, { ref, providerMessageId: outcome.providerMessageId }, result)
  }
  return outcome
}

const asksToSlowDown = (result: Result): boolean =>
  result.kind === 'refused' && isTooFast(toSmtpError(result.reply, result.command))
