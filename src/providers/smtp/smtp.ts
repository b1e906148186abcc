/**
 * A mail server over SMTP. It has no idempotency key and cannot be asked: what is lost after the end of a mail was
 * on its way is unknown, and nothing is ever given to it twice. It says later by a mail what it could not deliver,
 * and nothing of what it could.
 */

import { isSame } from '../../lib/constant-time.ts'
import type { CallbackRequest, Receipt } from '../../ports/provider.ts'
import { mailOnly, type OpenedProvider, type ProviderContext, type ProviderKind } from '../kind.ts'
import { readDsn } from './dsn.ts'
import { toOutcome, unsent } from './outcome.ts'
import type { Sending } from './sending.ts'
import { Settings, toWarnings } from './settings.ts'

export const SMTP: ProviderKind<typeof Settings> = {
  description:
    'Mail by any mail server over SMTP. What it could not deliver it says by a mail, which may be passed on to our webhook; it cannot be asked.',
  channels: ['email'],
  settings: Settings,
  sendsInThread: true,
  warnings: toWarnings,
  open: (settings, place) => openSmtp(settings, place),
}

const DRAIN_MS = 5_000

const UNSENT = toOutcome(unsent('NOT_CONNECTED'), '')

/** Calls the server when there is a mail to send, and not before. */
export function openSmtp(settings: Settings, place: ProviderContext, drainMs = DRAIN_MS): OpenedProvider {
  const { bounce_secret: secret } = settings
  const load = async (): Promise<Sending> => (await import('./sending.ts')).openSending(settings, place, drainMs)
  let [loading, sending]: [Promise<Sending>?, Sending?] = []
  return {
    name: place.name,
    capabilities: { channels: ['email'], reports: secret === undefined ? 'never' : 'callback' },
    send: mailOnly(async (attempt, signal) => {
      if (!place.sends) return UNSENT
      loading ??= load()
      sending = await loading
      return sending.send(attempt, signal)
    }),
    readCallback: (request) => readCallback(secret, request),
    connections: () => sending?.connections ?? { wanted: 0, up: 0 },
    hasRoom: () => sending?.hasRoom ?? true,
    async [Symbol.asyncDispose]() {
      await (await loading)?.[Symbol.asyncDispose]()
    },
  }
}

/** A bounce, as the mail it came as. */
async function readCallback(
  secret: string | undefined,
  { headers, body }: CallbackRequest,
): Promise<readonly Receipt[] | 'forged'> {
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
  if (secret === undefined || !isSame(secret, given)) return 'forged'
  return readDsn(body)
}
