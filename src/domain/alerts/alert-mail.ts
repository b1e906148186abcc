/** An alert as a mail for operators. */
import { type Alert, type Notice, subjectOf } from './alert.ts'
import { type AlertData, toAlertData } from './alert-data.ts'

export type AlertMail = Readonly<{ subject: string; html: string; text: string }>

/** Names of tenants and providers have letters, digits, - and _ only, so nothing needs escaping. */
export function toAlertMail(alert: Alert): AlertMail {
  const title = toTitle(alert)
  const rows = Object.entries(toAlertData(alert))
  return {
    subject: `Pombo: ${title}`,
    html: `<p>${title}</p><table>${rows.map(toRow).join('')}</table><p>${alert.kind}</p>`,
    text: `${title}\n\n${rows.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${alert.kind}\n`,
  }
}

const toRow = ([name, value]: readonly [string, AlertData[string]]): string =>
  `<tr><td>${name}</td><td>${value}</td></tr>`

function toTitle(notice: Notice): string {
  switch (notice.kind) {
    case 'quota.warning':
    case 'tenant.quota_warning':
      return `Tenant ${notice.tenantId} uses most of a quota`
    case 'quota.exceeded':
    case 'tenant.quota_exceeded':
      return `Tenant ${notice.tenantId} has used up a quota`
    case 'provider.breaker_opened':
      return `The circuit breaker of ${notice.provider} has opened`
    case 'provider.breaker_closed':
      return `The circuit breaker of ${notice.provider} has closed`
    case 'provider.degraded':
      return `Fewer calls to ${notice.provider} succeed than usual`
    case 'provider.recovered':
      return `Calls to ${notice.provider} succeed as usual again`
    case 'dead_letters.high':
      return `${notice.count} messages became dead letters within an hour`
  }
}

const HOUR_MS = 3_600_000

/** Names one mail of an hour: a breaker that opens every minute would flood a mailbox. */
export const toMailKey = (alert: Alert, to: string): string =>
  JSON.stringify(['alert', alert.kind, subjectOf(alert), Math.floor(alert.at / HOUR_MS), to])
