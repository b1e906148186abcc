/** Alerts: what raises them, and where they are told. */
import type { Logger } from 'pino'
import type { Config } from './config/config.ts'
import { openIds } from './engines/crypto/ids.ts'
import { type MailAlertDeps, mailAlert } from './flows/alerts/mail-alert.ts'
import { publishAlert } from './flows/alerts/publish-alert.ts'
import type { AlertDeps } from './flows/alerts/raise.ts'
import type { TellDeps } from './flows/alerts/tell.ts'
import { watchBreakers } from './flows/alerts/watch-breakers.ts'
import { alertLogger } from './observe/alert-logger.ts'
import type { Engines } from './ports/engines.ts'
import type { Opening } from './profiles/profile.ts'
import {
  ALERT_ROUND_EVERY_MS,
  type AlertRoundsDeps,
  alertRound,
  BREAKER_ROUND_EVERY_MS,
  breakerRound,
} from './workers/alert-rounds.ts'
import { Ticker } from './workers/ticker.ts'

type AlertEngines = Pick<Engines, 'raisedAlerts' | 'webhookDeliveries' | 'publishEvent'>

/** Outlets are added once what they need is open. */
export type OpenAlerts = AlertDeps & Readonly<{ outlets: TellDeps['outlets'][number][] }>

export const openAlerts = (
  { clock }: Opening,
  { raisedAlerts, webhookDeliveries, publishEvent }: AlertEngines,
  logger: Logger,
): OpenAlerts => ({
  raisedAlerts,
  webhookDeliveries,
  clock,
  ids: openIds(),
  onTurn: alertLogger(logger),
  outlets: publishEvent === undefined ? [] : [(alert) => publishAlert({ publishEvent }, alert)],
})

/** Sends alerts as mail too, if that is configured. */
export function mailAlerts(
  { outlets }: OpenAlerts,
  { email }: Config['alerts'],
  deps: Omit<MailAlertDeps, 'onRefused'>,
  logger: Logger,
): void {
  if (email === undefined) return
  const onRefused: MailAlertDeps['onRefused'] = (code) =>
    logger.error({ error_code: code, tenant_id: email.tenantId }, 'alert: mail refused')
  outlets.push((alert) => mailAlert({ ...deps, onRefused }, email, alert))
}

export type AlertWorkDeps = Omit<AlertRoundsDeps, keyof AlertDeps | 'deadLettersPerHour' | 'breakers'> &
  Pick<Engines, 'breakers'> &
  Readonly<{ alerts: AlertDeps }>

/** Watches breakers, providers and dead letters; who measures a tenant watches its quotas. */
export function startAlerts(
  { alerts, ...world }: AlertWorkDeps,
  { deadLettersPerHour }: Config['alerts'],
  onFault: (error: unknown) => void,
  opened: AsyncDisposableStack,
): void {
  const deps: AlertRoundsDeps = { ...world, ...alerts, deadLettersPerHour }
  opened.use(new Ticker({ task: () => breakerRound(deps), onFault }, BREAKER_ROUND_EVERY_MS))
  opened.use(new Ticker({ task: () => alertRound(deps), onFault }, ALERT_ROUND_EVERY_MS))
  opened.defer(world.breakers.watch(() => void watchBreakers(deps).catch(onFault)))
}
