/** What Prometheus is told. Events are counted in plain maps and turned into metrics when somebody looks. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
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

export type MetricsDeps = Readonly<{
  log: EventLog
  queue: Queue
  index: MessageIndex
  breakers: Breakers
  /** Whether limits are decided by what stands in for the usual, where something does. */
  areLimitsDegraded?: () => boolean
  /** How many calls of this process are under way at each provider. */
  calls?: () => Iterable<readonly [provider: string, calls: number]>
}>

export type Metrics = Readonly<{
  registry: Registry
  /** Counts an event this process has written. */
  observe: (event: MessageEvent) => void
  /** How long a caller waited for its 202. */
  onAccepted: (seconds: number) => void
  /** What limits said to a message that is under some. */
  onDecided: (decision: 'admitted' | 'limited') => void
  /** What came of a code that somebody told. */
  onChecked: (status: string) => void
  /** How telling customers went: an event was told, or was not, or an endpoint is told nothing more. */
  onWebhookDelivered: () => void
  onWebhookFailed: (reason: string) => void
  onEndpointDisabled: (reason: string) => void
  /** Keys and contents without a message that were destroyed. */
  onSwept: (kind: string, count: number) => void
  /** What a round of recovery has checked and queued again. */
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

  const accept = seconds(registers, 'pombo_accept_duration_seconds', 'From request to durable 202', FAST)

  return {
    registry,
    observe: pipelineMetrics(registers),
    onAccepted: (duration) => accept.observe(duration),
    onDecided: tally(registers, 'pombo_limit_decisions_total', 'Messages under a limit', ['decision']),
    onChecked: tally(registers, 'pombo_otp_checks_total', 'One-time codes that were told back', ['status']),
    onWebhookDelivered: tally(registers, 'pombo_webhook_deliveries_total', 'Events that endpoints were told of', []),
    onWebhookFailed: tally(
      registers,
      'pombo_webhook_delivery_failures_total',
      'Tries to tell an endpoint that failed',
      ['reason'],
    ),
    onEndpointDisabled: tally(registers, 'pombo_endpoints_disabled_total', 'Endpoints that were disabled', ['reason']),
    onSwept: sweepMetrics(registers),
    onRecovered: recoveryMetrics(registers),
  }
}

function recoveryMetrics(registers: Registry[]): Metrics['onRecovered'] {
  const checks = new Counter({
    name: 'pombo_jobs_checked_total',
    help: 'Messages standing still that were checked for a lost job',
    registers,
  })
  const jobs = new Counter({ name: 'pombo_jobs_recovered_total', help: 'Lost jobs that were queued again', registers })
  return ({ checked, recovered }) => {
    checks.inc(checked)
    jobs.inc(recovered)
  }
}

/** What events tell: which status follows which, how long each lasted, and what went wrong. */
function pipelineMetrics(registers: Registry[]): Metrics['observe'] {
  const count = (name: string, help: string, ...labels: string[]) => tally(registers, name, help, labels)
  const transitions = count('pipeline_state_transitions_total', 'Changes of status', 'channel', 'from', 'to')
  const failures = count('pipeline_validation_failures_total', 'Messages that failed a check', 'check', 'code')
  const retries = count('pipeline_retry_total', 'Retries scheduled', 'channel', 'code', 'category')
  const finals = count('pipeline_final_state_total', 'Messages that came to an end', 'channel', 'status')
  const unknowns = count('pipeline_unknown_total', 'Attempts whose outcome nobody knows', 'provider', 'code')
  const handoff = seconds(registers, 'pombo_handoff_latency_seconds', 'From accept to the provider taking it', SLOW)
  const whole = seconds(registers, 'pombo_message_duration_seconds', 'From accept to the end of the message', SLOW)
  const leave = statusMetrics(registers)

  return ({ at, fact, previousStatus, state }) => {
    const status = toStatus(state)
    const age = (at - state.createdAt) / 1000
    if (status !== previousStatus) {
      transitions(state.channel, previousStatus ?? '', status)
      leave(previousStatus, state, at)
      if (isOver(state)) {
        finals(state.channel, status)
        whole.observe(age)
      }
    }
    // A person knows that the provider took it, and not when.
    const isTaken = fact.kind === 'HandoffAccepted' && fact.by !== 'person'
    if (isTaken && isHandoffOver(state.handoffState)) handoff.observe(age)
    else if (fact.kind === 'RetryScheduled') {
      retries(state.channel, fact.code, toErrorCategory(fact.code, true))
      if (status === previousStatus) leave(status, state, at)
    } else if (fact.kind === 'HandoffUnknown') unknowns(state.provider ?? '', fact.code)
    else if (fact.kind === 'ValidationFailed') failures(fact.check ?? '', fact.code)
  }
}

/** Where the provider will not tell of the delivery, that it has the message is the end. */
const isOver = ({ providerState, handoffState, noDeliveryReports: quiet }: MessageState): boolean =>
  isProviderOver(providerState) || handoffState === 'failed' || (handoffState === 'handed_off' && quiet === true)

/**
 * How long a status lasted, told when it is left: waiting for the first attempt, being sent (since the newest attempt
 * began; one that is to be made again is told by itself), and waiting for the provider's word.
 */
function statusMetrics(registers: Registry[]) {
  const processing = new Histogram({
    name: 'pipeline_processing_duration_seconds',
    help: 'How long messages were in a state',
    labelNames: ['state'],
    buckets: SLOW,
    registers,
  })
  const [queued, sending, sent] = (['queued', 'sending', 'sent'] as const).map((state) => processing.labels(state))
  const tell = (timer: typeof queued, since: Instant | undefined, at: Instant): void => {
    if (since !== undefined) timer?.observe((at - since) / 1000)
  }
  return (
    status: Status | undefined,
    { cycle, createdAt, attemptedAt, handedOffAt }: MessageState,
    at: Instant,
  ): void => {
    // When a later cycle began is not in the state.
    const begunAt = cycle === FIRST_CYCLE ? createdAt : undefined
    if (status === 'queued') tell(queued, begunAt, at)
    else if (status === 'sending') tell(sending, attemptedAt, at)
    else if (status === 'sent') tell(sent, handedOffAt, at)
  }
}

const seconds = (registers: Registry[], name: string, help: string, buckets: number[]): Histogram =>
  new Histogram({ name, help, buckets, registers })

function sweepMetrics(registers: Registry[]): Metrics['onSwept'] {
  const help = 'Keys and contents that were destroyed because their message was never written'
  const swept = new Counter({ name: 'pombo_orphans_swept_total', help, labelNames: ['kind'], registers })
  return (kind, count) => swept.inc({ kind }, count)
}

/** A counter that costs a map entry per count, and labels only when it is read. */
function tally(registers: Registry[], name: string, help: string, labelNames: string[]) {
  const counts = new Map<string, { labels: Record<string, string>; count: number }>()
  new Counter({
    name,
    help,
    labelNames,
    registers,
    collect() {
      this.reset()
      for (const { labels, count } of counts.values()) this.inc(labels, count)
    },
  })
  return (...values: readonly string[]): void => {
    const key = values.join(' ')
    const known = counts.get(key)
    if (known !== undefined) known.count += 1
    else
      counts.set(key, { labels: Object.fromEntries(labelNames.map((label, i) => [label, values[i] ?? ''])), count: 1 })
  }
}

/** What cannot be asked is left out, or not a number: the rest is told all the same. */
function gauges({ log, queue, index, areLimitsDegraded }: MetricsDeps, registers: Registry[]): void {
  if (areLimitsDegraded !== undefined) {
    new Gauge({
      name: 'pombo_limits_degraded',
      help: 'Whether limits are decided in PostgreSQL, because Redis is away',
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

/** The state of each provider that was called, and the turns that this process caused. */
function breakerMetrics({ breakers }: MetricsDeps, registers: Registry[]): void {
  const turns = tally(registers, 'pombo_breaker_transitions_total', 'Turns of breakers', ['provider', 'from', 'to'])
  breakers.watch(({ provider, from, to }) => turns(provider, from, to))
  new Gauge({
    name: 'pombo_breaker_state',
    help: 'Whether the breaker of a provider is in this state',
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
    help: 'Calls of this process that are under way at a provider',
    labelNames: ['provider'],
    registers,
    collect() {
      this.reset()
      for (const [provider, count] of calls()) this.set({ provider }, count)
    },
  })
}
