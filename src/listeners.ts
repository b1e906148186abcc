/** Opens the listeners for other protocols than HTTP, on the same flows. Only processes with the role `api` have any. */
import type { Logger } from 'pino'
import type { KeyVerifier } from './api/access/api-key-auth.ts'
import { TenantMemoryBudget } from './api/http/tenant-memory-budget.ts'
import { smtpListenerOf } from './config/smtp-listener-settings.ts'
import { certificateFilesOf } from './config/tls-settings.ts'
import type { Caller } from './domain/access/caller.ts'
import type { TenantId } from './domain/ids.ts'
import { openBounceAddresses } from './engines/crypto/bounce-addresses.ts'
import { openMailReader } from './engines/mime/mail-reader.ts'
import { Refusal } from './flows/errors.ts'
import { seconds } from './lib/time.ts'
import { openSmtpListener, type SmtpListenerDeps } from './listeners/smtp/smtp-listener.ts'
import { openServerTls, type ServerTls } from './listeners/tls.ts'
import type { SmtpMetrics } from './observe/metrics/smtp-metrics.ts'
import { Unavailable } from './ports/unavailable.ts'
import type { Opening } from './profiles/profile.ts'
import { openDsnReader } from './providers/smtp/dsn-reader.ts'
import { openSmpp, type SmppWorld } from './smpp.ts'

type Own = 'verifyKey' | 'reader' | 'reserve' | 'tls' | 'bounces' | 'onMail' | 'onBounce' | 'onSignInRefused' | 'logger'

/** What all listeners work with. */
export type ListenersWorld = Omit<SmtpListenerDeps, Own> &
  SmppWorld &
  Readonly<{ metrics: SmtpMetrics; logger: Logger }>

/** Mails that are arriving may take this long when the process stops. */
const MAX_GRACE_SECONDS = 10

/** Who may sign in, as over HTTP. */
export type Credentials = Readonly<{ verifyKey: KeyVerifier; checkTenant: (caller: Caller) => void }>

/** Resolves an API key to its caller, or throws a refusal. */
type VerifyKey = (key: string, ip: string) => Caller

export async function openListeners(world: ListenersWorld, opening: Opening, credentials: Credentials): Promise<void> {
  const tls = openListenerTls(opening)
  const verifyKey: VerifyKey = (key, ip) => {
    const caller = credentials.verifyKey(key, { ip })
    credentials.checkTenant(caller)
    return caller
  }
  await openSmtp({ ...world, verifyKey }, opening, tls)
  await openSmpp(world, opening, { tls, checkTenant: credentials.checkTenant })
}

/** The certificate of the listeners, if one is set. */
function openListenerTls({ config, opened, logLine }: Opening): ServerTls | undefined {
  const files = certificateFilesOf(config)
  return files && opened.use(openServerTls(files, { log: logLine }))
}

/** Takes mail from SMTP clients, if a port is set. */
async function openSmtp(
  world: ListenersWorld & Readonly<{ verifyKey: VerifyKey }>,
  opening: Opening,
  tls: ServerTls | undefined,
): Promise<void> {
  const { config, opened } = opening
  const listener = smtpListenerOf(config)
  if (listener === undefined) return
  const { logger, metrics } = world
  const deps: SmtpListenerDeps = {
    ...world,
    ...openBounces(opening),
    tls,
    reader: opened.use(openMailReader()),
    reserve: reserveIn(new TenantMemoryBudget()),
    onMail: metrics.onSmtpMail,
    onBounce: ({ messageId }, result) => {
      metrics.onBounce(result)
      if (result !== 'applied') logger.info({ message_id: messageId, reason: result }, 'smtp: bounce ignored')
    },
    onSignInRefused: (client, reason) => logger.warn({ client, reason }, 'smtp: sign-in refused'),
  }
  const graceMs = seconds(Math.min(config.shutdownSeconds, MAX_GRACE_SECONDS))
  for (const port of listener.ports) opened.use(await openSmtpListener(deps, { ...listener, ...port, graceMs }))
}

function openBounces({ config, secrets, opened }: Opening): Pick<SmtpListenerDeps, 'bounces'> {
  if (config.bounceDomain === undefined) return {}
  const { parse } = openBounceAddresses(secrets.masterKey, config.bounceDomain)
  const { read } = opened.use(openDsnReader())
  return { bounces: { parse, read } }
}

/** Undefined where there is no room for the tenant, or for any. */
const reserveIn =
  (memory: TenantMemoryBudget) =>
  (tenantId: TenantId, bytes: number): (() => void) | undefined => {
    try {
      return memory.reserve(tenantId, bytes)
    } catch (error) {
      if (error instanceof Refusal || error instanceof Unavailable) return undefined
      throw error
    }
  }
