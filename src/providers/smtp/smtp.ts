/**
 * A mail server over SMTP. It has no idempotency key and cannot be asked: what is lost after the end of a mail was
 * on its way is unknown, and nothing is ever given to it twice. It says later by a mail what it could not deliver,
 * and nothing of what it could.
 */

import { buffer } from 'node:stream/consumers'
import DKIM from 'nodemailer/lib/dkim'
import { toReference } from '../../domain/attempt-reference.ts'
import type { Mailbox } from '../../domain/mailbox.ts'
import type { SendOutcome } from '../../domain/outcome.ts'
import { isTooFast, toSmtpError } from '../../domain/smtp-errors.ts'
import type { CallbackRequest, EmailAttempt, Receipt } from '../../ports/provider.ts'
import { isSame } from '../constant-time.ts'
import { mailOnly, type OpenedProvider, type Place, type ProviderKind } from '../kind.ts'
import { envelopeOf, toMail } from '../mime.ts'
import { toSender } from '../sender.ts'
import { EXPIRED, validityOf } from '../validity.ts'
import { readDsn } from './dsn.ts'
import { type Result, toOutcome, unsent } from './outcome.ts'
import { Pool } from './pool.ts'
import { reportCopies, reportLate } from './reports.ts'
import { Settings, toTlsMode } from './settings.ts'

export const SMTP: ProviderKind<typeof Settings> = {
  description:
    'Mail by any mail server over SMTP. What it could not deliver it says by a mail, which may be passed on to our webhook; it cannot be asked.',
  channels: ['email'],
  settings: Settings,
  sendsApart: true,
  open: (settings, place) => openSmtp(settings, place),
}

const DRAIN_MS = 5_000

/** Calls the server when there is a mail to send, and not before. */
export function openSmtp(settings: Settings, place: Place, drainMs = DRAIN_MS): OpenedProvider {
  const { bounce_secret: secret } = settings
  const connector: Connector = {
    place,
    sender: toSender(settings),
    sign: signerOf(settings),
    ...(place.sends ? { pool: openPool(settings, drainMs) } : {}),
  }
  return {
    name: place.name,
    capabilities: { channels: ['email'], reports: secret === undefined ? 'never' : 'callback' },
    send: mailOnly((attempt, signal) => send(connector, attempt, signal)),
    readCallback: (request) => readCallback(secret, request),
    connections: () => connector.pool?.connections ?? { wanted: 0, up: 0 },
    hasRoom: () => connector.pool?.hasRoom ?? true,
    async [Symbol.asyncDispose]() {
      await connector.pool?.[Symbol.asyncDispose]()
    },
  }
}

type Sign = (raw: Buffer) => Promise<Buffer>
type Connector = Readonly<{ place: Place; sender: Mailbox; sign: Sign; pool?: Pool }>

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
  if (pool === undefined) return toOutcome(unsent('NOT_CONNECTED'), messageId)
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

/** A bounce, as the mail it came as. */
async function readCallback(
  secret: string | undefined,
  { headers, body }: CallbackRequest,
): Promise<readonly Receipt[] | 'forged'> {
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  if (secret === undefined || !isSame(secret, given)) return 'forged'
  return readDsn(body)
}
