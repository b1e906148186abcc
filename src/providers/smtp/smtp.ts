/**
 * A mail server over SMTP. It has no idempotency key and no lookup: if the connection is lost after the end of a mail
 * was sent, the outcome is unknown, and we never send the mail again by ourselves. The server reports failed deliveries
 * by bounce mails, and successful ones not at all.
 */
import { isSame } from '../../lib/constant-time.ts'
import type { CallbackRequest, Receipt } from '../../ports/provider.ts'
import { mailOnly, type OpenedProvider, type ProviderContext, type ProviderKind } from '../kind.ts'
import { readDsn } from './dsn.ts'
import type { Mailer } from './mailer.ts'
import { toOutcome, unsent } from './outcome.ts'
import { Settings, toWarnings } from './settings.ts'

export const SMTP: ProviderKind<typeof Settings> = {
  description:
    'Email through any mail server over SMTP. Failed deliveries come back as bounce mails, which you can forward to our callback URL; there is no lookup.',
  channels: ['email'],
  settings: Settings,
  sendsInThread: true,
  warnings: toWarnings,
  open: (settings, context) => openSmtp(settings, context),
}

const DRAIN_MS = 5_000
/** The longest report is a bounce mail with the response of the failing server. */
const BOUNCE_LIMIT = 1024 * 1024

const UNSENT = toOutcome(unsent('NOT_CONNECTED'), '')

/** Connects to the server when the first mail is sent. */
export function openSmtp(settings: Settings, context: ProviderContext, drainMs = DRAIN_MS): OpenedProvider {
  const { bounce_secret: secret } = settings
  const load = async (): Promise<Mailer> => (await import('./mailer.ts')).openMailer(settings, context, drainMs)
  let [loading, mailer]: [Promise<Mailer>?, Mailer?] = []
  return {
    name: context.name,
    capabilities: { channels: ['email'], reports: secret === undefined ? 'never' : 'callback' },
    send: mailOnly(async (attempt, signal) => {
      if (!context.sends) return UNSENT
      loading ??= load()
      mailer = await loading
      return mailer.send(attempt, signal)
    }),
    callbacks: { maxBytes: BOUNCE_LIMIT, mayBeGenuine: (headers) => hasSecret(secret, headers) },
    readCallback: (request) => readCallback(secret, request),
    connections: () => mailer?.pool.connections ?? { wanted: 0, up: 0 },
    hasRoom: () => mailer?.pool.hasRoom ?? true,
    async [Symbol.asyncDispose]() {
      await (await loading)?.[Symbol.asyncDispose]()
    },
  }
}

/** The body is the bounce mail. */
async function readCallback(
  secret: string | undefined,
  { headers, body }: CallbackRequest,
): Promise<readonly Receipt[] | 'forged'> {
  return hasSecret(secret, headers) ? readDsn(body) : 'forged'
}

function hasSecret(secret: string | undefined, headers: Headers): boolean {
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  return secret !== undefined && isSame(secret, given)
}
