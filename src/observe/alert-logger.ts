/** Logs what alerts tell of, in the process that noticed it first. */
import type { Logger } from 'pino'
import type { AlertKind, Notice } from '../domain/alerts/alert.ts'
import { toAlertData } from '../domain/alerts/alert-data.ts'

const GOOD: ReadonlySet<AlertKind> = new Set(['provider.breaker_closed', 'provider.recovered'])

export const alertLogger =
  (logger: Logger) =>
  (notice: Notice): void =>
    logger[GOOD.has(notice.kind) ? 'info' : 'warn'](toAlertData(notice), `alert: ${notice.kind}`)
