/** The Prometheus metrics. Events are counted in plain numbers and turned into metrics when they are scraped. */
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { QuotaRatio } from '../domain/access/quotas.ts'
import { toErrorCategory } from '../domain/message/error-category.ts'
import type { MessageEvent } from '../domain/message/events.ts'
import { FIRST_CYCLE, type MessageState } from '../domain/message/state.ts'
import { isHandoffOver, isProviderOver, type Status, toStatus } from '../domain/message/states.ts'
import { BREAKER_STATES } from '../domain/routing/breaker.ts'
import type { Instant } from '../lib/time.ts'
import type { Breakers } from '../ports/breakers.ts'
import type { EventLog } from '../ports/event-log.ts'
import type { MessageIndex } from '../ports/message-index.ts'
import type { Queue } from '../ports/queue.ts'
import { durations, type Observe } from './durations.ts'
import { quotaMetrics } from './quota-metrics.ts'
import { tally } from './tally.ts'

export type MetricsDeps = Readonly<{
  log: EventLog
  queue: Queue
  index: MessageIndex
  breakers: Breakers
  /** Whether the fallback decides limits, if the profile has one. */
  areLimitsDegraded?: () => boolean
  /** The calls of this process in flight at each provider. */
  calls?: () => Iterable<readonly [provider: string, calls: number]>
  /** How much of their quotas tenants use. */
  quotaRatios?: () => Promise<readonly QuotaRatio[]>
}>

export type Metrics = Readonly<{
  registry: Registry
  /** Counts an event that this process has stored. */
  observe: (event: MessageEvent) => void
  /** How long a caller waited for the 202. */
  onAccepted: (seconds: number) => void
  /** The decision on a message that is subject to limits. */
  onDecided: (decision: 'admitted' | 'limited') => void
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

const FAST = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const SLOW = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600]

export function openMetrics(deps: MetricsDeps): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  gauges(deps, registers)
  breakerMetrics(deps, registers)
  callMetrics(deps, registers)
  if (deps.quotaRatios !== undefined) quotaMetrics(registers, deps.quotaRatios)

  const accept = seconds(registers, 'pombo_accept_duration_seconds', 'From request to durable 202', FAST)

  return {
    registry,
    observe: pipelineMetrics(registers),
    onAccepted: accept,
    onDecided: tally(registers, 'pombo_limit_decisions_total', 'Messages under a limit', ['decision']),
    onChecked: tally(registers, 'pombo_otp_checks_total', 'Checks of one-time codes', ['status']),
    onWebhookDelivered: tally(registers, 'pombo_webhook_deliveries_total', 'Events delivered to webhook endpoints', []),
    onWebhookFailed: tally(registers, 'pombo_webhook_delivery_failures_total', 'Failed webhook delivery attempts', [
      'reason',
    ]),
    onEndpointDisabled: tally(registers, 'pombo_endpoints_disabled_total', 'Webhook endpoints disabled', ['reason']),
    onSwept: sweepMetrics(registers),
    onPruned: pruneMetrics(registers),
    onRecovered: recoveryMetrics(registers),
  }
}

function recoveryMetrics(registers: Registry[]): Metrics['onRecovered'] {
  const checks = new Counter({
    name: 'pombo_jobs_checked_total',
    help: 'Messages without progress that were checked for a lost job',
    registers,
  })
  const jobs = new Counter({ name: 'pombo_jobs_recovered_total', help: 'Lost jobs queued again', registers })
  return ({ checked, recovered }) => {
    checks.inc(checked)
    jobs.inc(recovered)
  }
}

/** Metrics derived from events: status transitions, durations and failures. */
function pipelineMetrics(registers: Registry[]): Metrics['observe'] {
  const count = (name: string, help: string, ...labels: string[]) => tally(registers, name, help, labels)
  const transitions = count('pipeline_state_transitions_total', 'Changes of status', 'channel', 'from', 'to')
  const failures = count('pipeline_validation_failures_total', 'Messages that failed a check', 'check', 'code')
  const retries = count('pipeline_retry_total', 'Retries scheduled', 'channel', 'code', 'category')
  const finals = count('pipeline_final_state_total', 'Messages that reached a final status', 'channel', 'status')
  const unknowns = count('pipeline_unknown_total', 'Attempts with an unknown outcome', 'provider', 'code')
  const handoff = seconds(
    registers,
    'pombo_handoff_latency_seconds',
    'From accept until the provider accepted the message',
    SLOW,
  )
  const whole = seconds(registers, 'pombo_message_duration_seconds', 'From accept to the final status', SLOW)
  const observeStatus = statusMetrics(registers)

  return ({ at, fact, previousStatus, state }) => {
    const status = toStatus(state)
    const age = (at - state.createdAt) / 1000
    if (status !== previousStatus) {
      transitions(state.channel, previousStatus ?? '', status)
      observeStatus(previousStatus, state, at)
      if (isOver(state)) {
        finals(state.channel, status)
        whole(age)
      }
    }
    // When a person resolves an unknown outcome, the time of the handoff is not known.
    const isAccepted = fact.kind === 'HandoffAccepted' && fact.by !== 'person'
    if (isAccepted && isHandoffOver(state.handoffState)) handoff(age)
    else if (fact.kind === 'RetryScheduled') {
      retries(state.channel, fact.code, toErrorCategory(fact.code, true))
      if (status === previousStatus) observeStatus(status, state, at)
    } else if (fact.kind === 'HandoffUnknown') unknowns(state.provider ?? '', fact.code)
    else if (fact.kind === 'ValidationFailed') failures(fact.check ?? '', fact.code)
  }
}

/** Without delivery reports, a message is final once the provider has accepted it. */
const isOver = ({ providerState, handoffState, noDeliveryReports }: MessageState): boolean =>
  isProviderOver(providerState) ||
  handoffState === 'failed' ||
  (handoffState === 'handed_off' && noDeliveryReports === true)

/**
 * Observes how long a status lasted when it ends: queued until the first attempt, sending since the newest attempt
 * began (each attempt that is retried counts separately), and sent until the delivery report.
 */
function statusMetrics(registers: Registry[]) {
  const processing = durations(registers, {
    name: 'pipeline_processing_duration_seconds',
    help: 'Time that messages spent in a state',
    buckets: SLOW,
  })
  const queued = processing({ state: 'queued' })
  const sending = processing({ state: 'sending' })
  const sent = processing({ state: 'sent' })
  const observe = (timer: Observe, since: Instant | undefined, at: Instant): void => {
    if (since !== undefined) timer((at - since) / 1000)
  }
  return (
    status: Status | undefined,
    { cycle, createdAt, attemptedAt, handedOffAt }: MessageState,
    at: Instant,
  ): void => {
    // The state does not have the start of later cycles.
    const queuedAt = cycle === FIRST_CYCLE ? createdAt : undefined
    if (status === 'queued') observe(queued, queuedAt, at)
    else if (status === 'sending') observe(sending, attemptedAt, at)
    else if (status === 'sent') observe(sent, handedOffAt, at)
  }
}

const seconds = (registers: Registry[], name: string, help: string, buckets: readonly number[]): Observe =>
  durations(registers, { name, help, buckets })()

function sweepMetrics(registers: Registry[]): Metrics['onSwept'] {
  const help = 'Keys and contents deleted because their message was never written'
  const swept = new Counter({ name: 'pombo_orphans_swept_total', help, labelNames: ['kind'], registers })
  return (kind, count) => swept.inc({ kind }, count)
}

function pruneMetrics(registers: Registry[]): Metrics['onPruned'] {
  const help = 'Messages deleted because they are no longer kept'
  const pruned = new Counter({ name: 'pombo_messages_pruned_total', help, registers })
  return (count) => pruned.inc(count)
}

/** A store that is unreachable leaves its gauge empty or NaN; the others are still exported. */
function gauges({ log, queue, index, areLimitsDegraded }: MetricsDeps, registers: Registry[]): void {
  if (areLimitsDegraded !== undefined) {
    new Gauge({
      name: 'pombo_limits_degraded',
      help: 'Whether PostgreSQL decides limits because Redis is unreachable',
      registers,
      collect() {
        this.set(Number(areLimitsDegraded()))
      },
    })
  }
  new Gauge({
    name: 'pombo_queue_jobs',
    help: 'Jobs in the queue',
    labelNames: ['lane', 'state'],
    registers,
    async collect() {
      this.reset()
      for (const { lane, ...counts } of await queue.depth().catch(() => [])) {
        for (const [state, count] of Object.entries(counts)) this.set({ lane, state }, count)
      }
    },
  })
  new Gauge({
    name: 'pombo_index_lag_events',
    help: 'Events in the log that the index does not show yet',
    registers,
    async collect() {
      await Promise.all([log.tip(), index.position()]).then(
        ([tip, position]) => this.set(tip - position),
        () => this.set(Number.NaN),
      )
    },
  })
}

/** The state of the breaker of each provider that was called, and the transitions this process caused. */
function breakerMetrics({ breakers }: MetricsDeps, registers: Registry[]): void {
  const count = tally(registers, 'pombo_breaker_transitions_total', 'Transitions of circuit breakers', [
    'provider',
    'from',
    'to',
  ])
  breakers.watch(({ provider, from, to }) => count(provider, from, to))
  new Gauge({
    name: 'pombo_breaker_state',
    help: 'Whether the circuit breaker of a provider is in this state',
    labelNames: ['provider', 'state'],
    registers,
    collect() {
      this.reset()
      for (const [provider, { kind }] of breakers.states()) {
        for (const state of BREAKER_STATES) this.set({ provider, state }, Number(kind === state))
      }
    },
  })
}

function callMetrics({ calls = () => [] }: MetricsDeps, registers: Registry[]): void {
  new Gauge({
    name: 'pombo_provider_calls',
    help: 'Calls of this process in flight at a provider',
    labelNames: ['provider'],
    registers,
    collect() {
      this.reset()
      for (const [provider, count] of calls()) this.set({ provider }, count)
    },
  })
}
