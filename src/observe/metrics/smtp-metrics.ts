/** What arrives over SMTP. */
import type { Registry } from 'prom-client'
import { tally } from './tally.ts'

export type SmtpMetrics = Readonly<{
  /** Once per message: `accepted` or `repeated`; once per mail: `deferred` or `refused`. */
  onSmtpMail: (result: 'accepted' | 'repeated' | 'deferred' | 'refused') => void
  /** Whether a bounce was a report on an attempt. */
  onBounce: (result: 'applied' | 'unmatched' | 'unread') => void
}>

export const smtpMetrics = (registers: Registry[]): SmtpMetrics => ({
  onSmtpMail: tally(registers, 'pombo_smtp_mails_total', 'Mails that arrived over SMTP', ['result']),
  onBounce: tally(registers, 'pombo_smtp_bounces_total', 'Bounces that arrived over SMTP', ['result']),
})
