/** The Prometheus metrics. Events are counted in plain numbers and turned into metrics when they are scraped. */
import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import type { QuotaRatio } from '../../domain/access/quotas.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { FAST } from './buckets.ts'
import { durations } from './durations.ts'
import { freshFor } from './fresh-for.ts'
import { type GaugesDeps, gauges } from './gauges.ts'
import { httpMetrics, type ObserveRequest } from './http-metrics.ts'
import { messageMetrics } from './message-metrics.ts'
import { pipelineMetrics } from './pipeline-metrics.ts'
import { type ProviderMetrics, type ProviderMetricsDeps, providerMetrics } from './provider-metrics.ts'
import { quotaMetrics } from './quota-metrics.ts'
import { type SmppMetrics, smppMetrics } from './smpp-metrics.ts'
import { type SmtpMetrics, smtpMetrics } from './smtp-metrics.ts'
import { tally } from './tally.ts'
import { tenantMetrics } from './tenant-metrics.ts'

export type MetricsDeps = GaugesDeps &
  ProviderMetricsDeps &
  Readonly<{
    /** How much of their quotas tenants use. */
    quotaRatios?: () => Promise<readonly QuotaRatio[]>
  }>

/** An event that this process has stored, and the state before it. */
export type ObserveEvent = (event: MessageEvent, previous?: MessageState) => void

export type Metrics = ProviderMetrics &
  SmppMetrics &
  SmtpMetrics &
  Readonly<{
    registry: Registry
    observe: ObserveEvent
    onRequestAnswered: ObserveRequest
    /** How long a caller waited for the 202. */
    onAccepted: (seconds: number) => void
    /** The decision on a message that is subject to limits. */
    onDecided: (decision: 'admitted' | 'limited') => void
    /** A new one-time code was accepted for sending. */
    onCodeStarted: (channel: string) => void
    /** The result of checking a one-time code. */
    onChecked: (status: string) => void
    onWebhookDelivered: () => void
    onWebhookFailed: (reason: string) => void
    onEndpointDisabled: (reason: string) => void
    /** Keys and contents without a message that were deleted. */
    onSwept: (kind: string, count: number) => void
    /** Messages deleted because they are no longer kept. */
    onPruned: (count: number) => void
    /** How many messages a recovery round has checked, and how many jobs it has queued again. */
    onRecovered: (round: Readonly<{ checked: number; recovered: number }>) => void
  }>

export function openMetrics(deps: MetricsDeps): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  gauges(deps, registers)
  const { clock, keep, quotaRatios } = deps
  if (quotaRatios !== undefined) quotaMetrics(registers, freshFor(keep, clock, quotaRatios))
  const ofEvents = [pipelineMetrics(registers), messageMetrics(registers), tenantMetrics(registers, clock)]

  return {
    registry,
    observe(event, previous) {
      for (const observe of ofEvents) observe(event, previous)
    },
    onRequestAnswered: httpMetrics(registers),
    onAccepted: durations(registers, {
      name: 'pombo_accept_duration_seconds',
      help: 'From request to durable 202',
      buckets: FAST,
    })(),
    ...providerMetrics(deps, registers),
    ...codeMetrics(registers),
    ...webhookMetrics(registers),
    ...repairMetrics(registers),
    ...smppMetrics(registers),
    ...smtpMetrics(registers),
    onDecided: tally(registers, 'pombo_limit_decisions_total', 'Messages under a limit', ['decision']),
  }
}

const codeMetrics = (registers: Registry[]): Pick<Metrics, 'onCodeStarted' | 'onChecked'> => ({
  onCodeStarted: tally(registers, 'pombo_otp_started_total', 'One-time codes accepted for sending', ['channel']),
  onChecked: tally(registers, 'pombo_otp_checks_total', 'Checks of one-time codes', ['status']),
})

const webhookMetrics = (
  registers: Registry[],
): Pick<Metrics, 'onWebhookDelivered' | 'onWebhookFailed' | 'onEndpointDisabled'> => ({
  onWebhookDelivered: tally(registers, 'pombo_webhook_deliveries_total', 'Events delivered to webhook endpoints'),
  onWebhookFailed: tally(registers, 'pombo_webhook_delivery_failures_total', 'Failed webhook delivery attempts', [
    'reason',
  ]),
  onEndpointDisabled: tally(registers, 'pombo_endpoints_disabled_total', 'Webhook endpoints disabled', ['reason']),
})

/** What was found lost or left over. */
function repairMetrics(registers: Registry[]): Pick<Metrics, 'onSwept' | 'onPruned' | 'onRecovered'> {
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name, help, labelNames, registers })
  const checks = counter('pombo_jobs_checked_total', 'Messages without progress that were checked for a lost job')
  const jobs = counter('pombo_jobs_recovered_total', 'Lost jobs queued again')
  const swept = counter(
    'pombo_orphans_swept_total',
    'Keys and contents deleted because their message was never written',
    ['kind'],
  )
  const pruned = counter('pombo_messages_pruned_total', 'Messages deleted because they are no longer kept')
  return {
    onSwept: (kind, count) => swept.inc({ kind }, count),
    onPruned: (count) => pruned.inc(count),
    onRecovered: ({ checked, recovered }) => {
      checks.inc(checked)
      jobs.inc(recovered)
    },
  }
}
