/** What a process does besides answering HTTP, according to its roles. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { concurrencyOf } from './concurrency.ts'
import type { Config } from './config/config.ts'
import { networksOf, type Role } from './config/settings.ts'
import { Rechecks } from './domain/routing/rechecks.ts'
import { withoutBodies } from './engines/decorators/budgeted-log.ts'
import { type RunErasuresDeps, runErasures } from './flows/admin/run-erasures.ts'
import { type EndOtpDeps, endOtps } from './flows/otp/end-otp.ts'
import type { PollDeps } from './flows/receive/poll.ts'
import { deadLetter } from './flows/send/dead-letter.ts'
import { type DispatchDeps, dispatch } from './flows/send/dispatch.ts'
import { Recovery } from './flows/send/recover.ts'
import { MemoryBudget } from './lib/memory-budget.ts'
import { pause } from './lib/pause.ts'
import { seconds } from './lib/time.ts'
import type { Metrics } from './observe/metrics.ts'
import { Unavailable } from './ports/unavailable.ts'
import type { Engines } from './profiles/profile.ts'
import { openWebhookTransport } from './providers/webhook-transport.ts'
import { Gatekeeper, LOOK_EVERY_MS } from './workers/gatekeeper.ts'
import { POLL_EVERY_MS, Polling } from './workers/polling.ts'
import { Runner } from './workers/runner.ts'
import { SWEEP_EVERY_MS, type SweepingDeps, sweepingRounds } from './workers/sweeping.ts'
import { Ticker } from './workers/ticker.ts'
import { WebhookWorker, type WebhookWorkerDeps } from './workers/webhook-worker.ts'

export type RolesDeps = PollDeps &
  Engines &
  Pick<EndOtpDeps, 'challenges'> &
  Pick<DispatchDeps, 'breakers'> &
  Required<Pick<DispatchDeps, 'slots' | 'inspector'>> &
  Pick<WebhookWorkerDeps, 'signer' | 'observer'> &
  Pick<RunErasuresDeps, 'receiptSigner' | 'facts' | 'blind'> &
  Pick<SweepingDeps, 'onSwept'> &
  Pick<Metrics, 'onRecovered'> &
  Readonly<{ alone: boolean }>
export type RolesPlan = Readonly<{ config: Config; roles: ReadonlySet<Role>; logger: Logger }>

const REPAIR_EVERY_MS = 10_000
const END_CODES_EVERY_MS = 1_000
const ERASE_EVERY_MS = 1_000
/** Between two pages of an erasure: sending comes first. */
const ERASING_REST_MS = 100
/** Contents in hand; what providers make of them takes as much again. */
const CARGO_KILOBYTES = 32 * 1024
/** How long a message may stand still before it counts as forgotten. */
const PATIENCE = seconds(10)

type OnFault = (error: unknown, fields?: object) => void

export async function startRoles(
  world: RolesDeps,
  { config, roles, logger }: RolesPlan,
  opened: AsyncDisposableStack,
): Promise<void> {
  const onFault: OnFault = (error, fields = {}) => logger.error({ ...fields, err: error }, 'a worker met a fault')
  if (roles.has('projector') && world.startProjecting !== undefined) opened.use(await world.startProjecting(onFault))
  if (roles.has('poller')) startPolling(world, onFault, opened)
  if (roles.has('worker')) startWorking(world, config, onFault, opened)
  if (roles.has('worker')) startWebhooks(world, config, onFault, opened)
  if (roles.has('worker')) startErasing(world, logger, onFault, opened)
  if (roles.has('worker')) startSweeping(world, onFault, opened)
}

function startPolling(world: RolesDeps, onFault: OnFault, opened: AsyncDisposableStack): void {
  const polling = opened.use(new Polling(world))
  opened.use(new Ticker({ task: () => polling.round(), onFault }, POLL_EVERY_MS))
}

function startWorking(world: RolesDeps, config: Config, onFault: OnFault, opened: AsyncDisposableStack): void {
  const timeout = seconds(config.providerTimeoutSeconds)
  const lease = seconds(2 * config.providerTimeoutSeconds)
  const worker = { owner: world.ids.spanId(), lease, alone: world.alone }
  const budget = new MemoryBudget(CARGO_KILOBYTES)
  const deps: DispatchDeps = { ...world, dice: Math.random, worker, timeout, budget, rechecks: new Rechecks() }
  const gatekeeper = new Gatekeeper(world)
  opened.use(new Ticker({ task: () => gatekeeper.look(), onFault: ofOurs(onFault) }, LOOK_EVERY_MS))
  const recovery = new Recovery(world, PATIENCE)
  const repair = async (): Promise<void> => world.onRecovered(await recovery.round())
  opened.use(new Ticker({ task: repair, onFault }, REPAIR_EVERY_MS))
  opened.use(new Ticker({ task: () => endOtps(world), onFault: ofOurs(onFault) }, END_CODES_EVERY_MS))
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
  // What is not finished by then comes to light on the next start, as an attempt nobody knows the outcome of.
  opened.defer(() => endInTime(runner, config))
}

/** Tells customers what becomes of their messages. */
function startWebhooks(world: RolesDeps, config: Config, onFault: OnFault, opened: AsyncDisposableStack): void {
  const transport = opened.use(openWebhookTransport({ allowed: networksOf(config) }))
  const deps = { ...world, log: withoutBodies(world.log), transport, dice: Math.random }
  const webhookWorker = new WebhookWorker(deps, ofOurs(onFault))
  opened.defer(() => endInTime(webhookWorker, config))
}

/** Erases everything that was sent to a person, where that was asked for. */
function startErasing(world: RolesDeps, logger: Logger, onFault: OnFault, opened: AsyncDisposableStack): void {
  const stop = new AbortController()
  const deps: RunErasuresDeps = {
    ...world,
    rest: () => pause(ERASING_REST_MS, stop.signal),
    onFault: (error, messageId) => ofOurs(onFault)(error, { message_id: messageId }),
    onCompleted: ({ id, tenantId, erased, failed }) =>
      logger.info({ erasure_id: id, tenant_id: tenantId, erased, failed }, 'erasure: completed'),
  }
  const chore = () => runErasures(deps, stop.signal)
  opened.use(new Ticker({ task: chore, onFault: ofOurs(onFault) }, ERASE_EVERY_MS))
  opened.defer(() => stop.abort())
}

function startSweeping(world: RolesDeps, onFault: OnFault, opened: AsyncDisposableStack): void {
  const { sweep } = world
  if (sweep === undefined) return
  const stop = new AbortController()
  const chore = sweepingRounds({ ...world, sweep }, stop.signal)
  opened.use(new Ticker({ task: chore, onFault: ofOurs(onFault) }, SWEEP_EVERY_MS))
  opened.defer(() => stop.abort())
}

/** Of a store that is away others tell, and less often. */
const ofOurs =
  (onFault: OnFault): OnFault =>
  (error, fields) =>
    error instanceof Unavailable ? undefined : onFault(error, fields)

const endInTime = (work: AsyncDisposable, { shutdownSeconds }: Config): Promise<void> =>
  Promise.race([work[Symbol.asyncDispose](), wait(shutdownSeconds * 1000, undefined, { ref: false })])
