/** Starts the background work of a process, according to its roles. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type AlertWorkDeps, startAlerts } from './alerts.ts'
import type { Config } from './config/config.ts'
import { retentionPolicyOf, withTenants } from './config/retention.ts'
import type { Role } from './config/settings.ts'
import { forgottenBy } from './domain/access/api-key.ts'
import { Rechecks } from './domain/routing/rechecks.ts'
import { type RunErasuresDeps, runErasures } from './flows/admin/run-erasures.ts'
import { endOtps } from './flows/otp/end-otp.ts'
import { applyReceipt } from './flows/receive/apply-receipt.ts'
import type { PollDeps } from './flows/receive/poll.ts'
import { deadLetter } from './flows/send/dead-letter.ts'
import { type DispatchDeps, dispatch } from './flows/send/dispatch.ts'
import { Recovery } from './flows/send/recover.ts'
import type { RecordAttemptsDeps } from './flows/webhooks/record-attempts.ts'
import { MemoryBudget } from './lib/memory-budget.ts'
import { pause } from './lib/pause.ts'
import { seconds } from './lib/time.ts'
import type { Metrics } from './observe/metrics/metrics.ts'
import type { Engines } from './ports/engines.ts'
import type { EventLog } from './ports/event-log.ts'
import { Unavailable } from './ports/unavailable.ts'
import { concurrencyOf } from './profiles/concurrency.ts'
import type { Sinks } from './sinks.ts'
import { type ApiKeyUses, WRITE_USES_EVERY_MS } from './workers/api-key-uses.ts'
import { AttemptRecorder } from './workers/attempt-recorder.ts'
import { countUpkeep } from './workers/count-upkeep.ts'
import { Gatekeeper, LOOK_EVERY_MS } from './workers/gatekeeper.ts'
import { ADD_LIMITED_EVERY_MS, FORGET_LIMITED_EVERY_MS, type LimitedTally } from './workers/limited-tally.ts'
import { POLL_EVERY_MS, Polling } from './workers/polling.ts'
import { ADD_RESULTS_EVERY_MS, type ProviderTally } from './workers/provider-tally.ts'
import { PRUNE_EVERY_MS, type PruningDeps, pruningRounds } from './workers/pruning.ts'
import { Runner } from './workers/runner.ts'
import { SWEEP_EVERY_MS, sweepingRounds } from './workers/sweeping.ts'
import { Ticker } from './workers/ticker.ts'
import { WebhookWorker, type WebhookWorkerDeps } from './workers/webhook-worker.ts'

export type RolesDeps = Engines &
  PollDeps &
  Required<Pick<DispatchDeps, 'slots' | 'inspector'>> &
  Pick<RecordAttemptsDeps, 'attemptSealer'> &
  Pick<RunErasuresDeps, 'receiptSigner' | 'facts' | 'blind'> &
  Pick<AlertWorkDeps, 'alerts' | 'quotasOf'> &
  Readonly<{
    webhookLog: EventLog
    webhookSigner: WebhookWorkerDeps['signer']
    webhookTransport: WebhookWorkerDeps['transport']
    /** Required: an observer that is not wired up would leave its metric at zero. */
    observer: Required<WebhookWorkerDeps['observer']>
    metrics: Pick<Metrics, 'onSwept' | 'onPruned' | 'onRecovered'>
    alone: boolean
    apiKeyUses: Pick<ApiKeyUses, 'write'>
    providerTally: Pick<ProviderTally, 'add'>
    limitedTally: Pick<LimitedTally, 'add' | 'forget'>
    sinks: Pick<Sinks, 'start'>
  }>
export type RolesPlan = Readonly<{ config: Config; roles: ReadonlySet<Role>; logger: Logger }>

const REPAIR_EVERY_MS = 10_000
const END_CODES_EVERY_MS = 1_000
const ERASE_EVERY_MS = 1_000
const FORGET_KEYS_EVERY_MS = 60 * 60 * 1000
/** The pause between two pages of an erasure, so that erasing does not slow down sending. */
const ERASE_PAUSE_MS = 100
/** The pause between two batches of deletions, in multiples of the time that the last one took. */
const PRUNE_PAUSE_FACTOR = 2
const MIN_PRUNE_PAUSE_MS = 50
/** For the contents of messages that are being sent; what providers encode from them takes as much again. */
const MEMORY_BUDGET_KILOBYTES = 32 * 1024
/** A message without progress for this long may have lost its job. */
const STALE_AFTER = seconds(10)

type OnFault = (error: unknown, fields?: object) => void

export async function startRoles(
  world: RolesDeps,
  { config, roles, logger }: RolesPlan,
  opened: AsyncDisposableStack,
): Promise<void> {
  const onFault: OnFault = (error, fields = {}) => logger.error({ ...fields, err: error }, 'worker: unexpected error')
  startApiKeyUpkeep(world, onFault, opened)
  startTallies(world, onFault, opened)
  if (roles.has('projector')) await startProjecting(world, onFault, opened)
  if (roles.has('poller')) startPolling(world, onFault, opened)
  if (!roles.has('worker')) return
  startSending(world, config, onFault, opened)
  startWebhooks(world, config, onFault, opened)
  startSinks(world, config, opened)
  startAlerts(world, config.alerts, exceptOutages(onFault), opened)
  startErasing(world, logger, onFault, opened)
  startSweeping(world, onFault, opened)
  startPruning(world, { config, logger }, onFault, opened)
}

async function startProjecting(
  { startProjecting: start, keepCounts }: RolesDeps,
  onFault: OnFault,
  opened: AsyncDisposableStack,
): Promise<void> {
  if (keepCounts !== undefined) opened.use(countUpkeep(keepCounts, onFault))
  if (start !== undefined) opened.use(await start(onFault))
}

/** Every process holds all API keys, so each forgets those that ended long ago; their uses are those of its API. */
function startApiKeyUpkeep(
  { apiKeys, apiKeyUses, clock }: RolesDeps,
  onFault: OnFault,
  opened: AsyncDisposableStack,
): void {
  const write = () => apiKeyUses.write()
  const forget = () => apiKeys.forget(forgottenBy(clock()))
  opened.defer(() => write().catch(exceptOutages(onFault)))
  opened.use(new Ticker({ task: write, onFault: exceptOutages(onFault) }, WRITE_USES_EVERY_MS))
  opened.use(new Ticker({ task: forget, onFault: exceptOutages(onFault) }, FORGET_KEYS_EVERY_MS))
}

/** Every process counts the results that it stores, and the sends that its API refuses. */
function startTallies(
  { providerTally, limitedTally }: RolesDeps,
  onFault: OnFault,
  opened: AsyncDisposableStack,
): void {
  const addAll = [
    [() => providerTally.add(), ADD_RESULTS_EVERY_MS],
    [() => limitedTally.add(), ADD_LIMITED_EVERY_MS],
  ] as const
  for (const [add, everyMs] of addAll) {
    opened.defer(() => add().catch(exceptOutages(onFault)))
    opened.use(new Ticker({ task: add, onFault: exceptOutages(onFault) }, everyMs))
  }
  const forget = () => limitedTally.forget()
  opened.use(new Ticker({ task: forget, onFault: exceptOutages(onFault) }, FORGET_LIMITED_EVERY_MS))
}

function startPolling(world: RolesDeps, onFault: OnFault, opened: AsyncDisposableStack): void {
  const polling = opened.use(new Polling(world))
  opened.use(new Ticker({ task: () => polling.round(), onFault }, POLL_EVERY_MS))
}

function startSending(world: RolesDeps, config: Config, onFault: OnFault, opened: AsyncDisposableStack): void {
  const timeout = seconds(config.providerTimeoutSeconds)
  const lease = seconds(2 * config.providerTimeoutSeconds)
  const worker = { owner: world.ids.spanId(), lease, alone: world.alone }
  if (world.receiptForwarding !== undefined) {
    opened.use(world.receiptForwarding.serve(worker.owner, (receipt) => applyReceipt(world, receipt)))
  }
  const budget = new MemoryBudget(MEMORY_BUDGET_KILOBYTES)
  const deps: DispatchDeps = { ...world, dice: Math.random, worker, timeout, budget, rechecks: new Rechecks() }
  const gatekeeper = new Gatekeeper(world)
  opened.use(new Ticker({ task: () => gatekeeper.look(), onFault: exceptOutages(onFault) }, LOOK_EVERY_MS))
  const recovery = new Recovery(world, STALE_AFTER)
  const repair = async (): Promise<void> => world.metrics.onRecovered(await recovery.round())
  opened.use(new Ticker({ task: repair, onFault }, REPAIR_EVERY_MS))
  opened.use(new Ticker({ task: () => endOtps(world), onFault: exceptOutages(onFault) }, END_CODES_EVERY_MS))
  const runner = new Runner(
    {
      queue: world.queue,
      clock: world.clock,
      handle: (taken) => gatekeeper.watch(taken, () => dispatch(deps, taken)),
      onFault: (error, job) => onFault(error, job && { message_id: job.messageId, tenant_id: job.tenantId }),
      deadLetter: ({ messageId }, poison) => deadLetter(world, messageId, poison),
    },
    concurrencyOf(config),
  )
  // Attempts that do not finish in time are found at the next start, with an unknown outcome.
  opened.defer(() => endInTime(runner, config))
}

/** Delivers the status changes of messages to the customers' endpoints. */
function startWebhooks(world: RolesDeps, config: Config, onFault: OnFault, opened: AsyncDisposableStack): void {
  const recorder = new AttemptRecorder(world, exceptOutages(onFault))
  opened.defer(() => endInTime(recorder, config))
  const { webhookLog: log, webhookSigner: signer, webhookTransport: transport } = world
  const deps = { ...world, log, signer, transport, recordAttempt: recorder.record, dice: Math.random }
  const webhookWorker = new WebhookWorker(deps, exceptOutages(onFault))
  opened.defer(() => endInTime(webhookWorker, config))
}

/** Publishes integration events on the brokers of the configuration file. */
function startSinks(world: RolesDeps, config: Config, opened: AsyncDisposableStack): void {
  for (const worker of world.sinks.start({ ...world, owner: world.ids.spanId() })) {
    opened.defer(() => endInTime(worker, config))
  }
}

/** Runs the erasures by recipient that were requested. */
function startErasing(world: RolesDeps, logger: Logger, onFault: OnFault, opened: AsyncDisposableStack): void {
  const stop = new AbortController()
  const deps: RunErasuresDeps = {
    ...world,
    rest: () => pause(ERASE_PAUSE_MS, stop.signal),
    onFault: (error, messageId) => exceptOutages(onFault)(error, { message_id: messageId }),
    onCompleted: ({ id, tenantId, erased, failed }) =>
      logger.info({ erasure_id: id, tenant_id: tenantId, erased, failed }, 'erasure: completed'),
  }
  const task = () => runErasures(deps, stop.signal)
  opened.use(new Ticker({ task, onFault: exceptOutages(onFault) }, ERASE_EVERY_MS))
  opened.defer(() => stop.abort())
}

function startSweeping(world: RolesDeps, onFault: OnFault, opened: AsyncDisposableStack): void {
  const { sweep } = world
  if (sweep === undefined) return
  const stop = new AbortController()
  const task = sweepingRounds({ ...world, ...world.metrics, sweep }, stop.signal)
  opened.use(new Ticker({ task, onFault: exceptOutages(onFault) }, SWEEP_EVERY_MS))
  opened.defer(() => stop.abort())
}

/** Deletes messages that are no longer kept. */
function startPruning(
  world: RolesDeps,
  { config, logger }: Pick<RolesPlan, 'config' | 'logger'>,
  onFault: OnFault,
  opened: AsyncDisposableStack,
): void {
  const stop = new AbortController()
  const policy = retentionPolicyOf(config)
  const deps: PruningDeps = {
    ...world,
    policy: () => withTenants(policy, world.tenants.list()),
    rest: (took) => pause(Math.max(MIN_PRUNE_PAUSE_MS, PRUNE_PAUSE_FACTOR * took), stop.signal),
    onPruned: world.metrics.onPruned,
    onRound: (messages) => logger.info({ messages }, 'retention: deleted messages'),
  }
  const task = pruningRounds(deps, stop.signal)
  opened.use(new Ticker({ task, onFault: exceptOutages(onFault) }, PRUNE_EVERY_MS))
  opened.defer(() => stop.abort())
}

/** Leaves out stores that are unreachable: their engines log that once per outage. */
const exceptOutages =
  (onFault: OnFault): OnFault =>
  (error, fields) =>
    error instanceof Unavailable ? undefined : onFault(error, fields)

const endInTime = (work: AsyncDisposable, { shutdownSeconds }: Config): Promise<void> =>
  Promise.race([work[Symbol.asyncDispose](), wait(shutdownSeconds * 1000, undefined, { ref: false })])
