/** Wires the SMPP listener, if a port is set for it. */
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import type { Secrets } from './config/secrets.ts'
import type { Caller } from './domain/access/caller.ts'
import { openPartSealer } from './engines/crypto/part-sealer.ts'
import { openSmppPasswords, type SmppPasswords } from './engines/crypto/smpp-passwords.ts'
import { LOOPBACK } from './lib/loopback.ts'
import { omitUndefined } from './lib/omit-undefined.ts'
import { seconds } from './lib/time.ts'
import { openSmppListener, type SmppListenerDeps } from './listeners/smpp/smpp-listener.ts'
import type { ServerTls } from './listeners/tls.ts'
import type { Metrics } from './observe/metrics/metrics.ts'
import type { SmppMetrics } from './observe/metrics/smpp-metrics.ts'
import type { ApiKeySecrets } from './ports/api-key-secrets.ts'
import { Unavailable } from './ports/unavailable.ts'
import type { Opening } from './profiles/profile.ts'
import type { ApiKeyUses } from './workers/api-key-uses.ts'

type Own =
  | 'secrets'
  | 'partSealer'
  | 'shortPassword'
  | 'checkTenant'
  | 'onUse'
  | 'onFault'
  | 'onAccepted'
  | 'onSmppAnswer'
  | 'onSmppReceipt'
  | 'onSmppSession'
  | 'tls'
  | 'maxParts'
  | 'defaultLane'
  | 'joinWithin'

export type SmppWorld = Omit<SmppListenerDeps, Own> &
  Readonly<{
    apiKeySecrets: Pick<ApiKeySecrets, 'hash'>
    apiKeyUses: Pick<ApiKeyUses, 'note'>
    metrics: SmppMetrics & Pick<Metrics, 'onAccepted'>
    logger: Logger
  }>

/** The short passwords of API keys, where they are allowed. */
export const smppPasswordsOf = (
  { smppShortPasswords }: Pick<Config, 'smppShortPasswords'>,
  { masterKey }: Pick<Secrets, 'masterKey'>,
): Readonly<{ smppPassword?: SmppPasswords }> =>
  smppShortPasswords ? { smppPassword: openSmppPasswords(masterKey) } : {}

/** Requests in flight may take this long when the process stops. */
const MAX_GRACE_SECONDS = 10

export async function openSmpp(
  world: SmppWorld,
  { config, secrets, opened }: Opening,
  { tls, checkTenant }: Readonly<{ tls: ServerTls | undefined; checkTenant: (caller: Caller) => void }>,
): Promise<void> {
  const { smppPort: port, smppsPort: tlsPort } = config
  if (port === undefined && tlsPort === undefined) return
  const { logger, metrics } = world
  const { smppPassword } = smppPasswordsOf(config, secrets)
  const deps: SmppListenerDeps = {
    ...world,
    secrets: world.apiKeySecrets,
    partSealer: openPartSealer(secrets.masterKey),
    ...(smppPassword && { shortPassword: smppPassword }),
    checkTenant,
    tls,
    maxParts: config.maxParts,
    defaultLane: config.smppDefaultLane,
    joinWithin: seconds(config.smppJoinSeconds),
    onUse: world.apiKeyUses.note,
    onAccepted: metrics.onAccepted,
    onSmppAnswer: metrics.onSmppAnswer,
    onSmppReceipt: metrics.onSmppReceipt,
    onSmppSession: metrics.onSmppSession,
    // Stores that are unreachable are logged by their engines, once per outage.
    onFault: (error) => {
      if (!(error instanceof Unavailable)) logger.error({ err: error }, 'smpp: unexpected error')
    },
  }
  const answer = seconds(config.smppAnswerSeconds)
  const bounds = {
    sessions: config.smppMaxSessions,
    sessionsPerAddress: config.smppMaxSessionsPerAddress,
    sessionsPerAccount: config.smppMaxSessionsPerAccount,
    window: config.smppWindow,
  }
  const times = { bind: answer, enquire: seconds(config.smppEnquireSeconds), answer }
  const grace = seconds(Math.min(config.shutdownSeconds, MAX_GRACE_SECONDS))
  const host = config.smppHost ?? config.host
  if (port !== undefined && !LOOPBACK.test(host)) {
    logger.warn({ host, port }, 'smpp: this port is not encrypted, keep it within a VPN')
  }
  opened.use(await openSmppListener(deps, { ...omitUndefined({ port, tlsPort }), host, ...bounds, times, grace }))
}
