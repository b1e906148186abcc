/** What a process does besides answering HTTP, according to its roles. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Role } from './config/settings.ts'
import type { Config } from './config.ts'
import { seconds } from './domain/time.ts'
import { type DispatchDeps, dispatch } from './flows/dispatch.ts'
import { type EndOtpDeps, endOtps } from './flows/end-otp.ts'
import { type PollDeps, poll } from './flows/poll.ts'
import { recover } from './flows/recover.ts'
import { Unavailable } from './ports/unavailable.ts'
import type { Engines } from './profiles/profile.ts'
import { Runner } from './workers/runner.ts'
import { Ticker } from './workers/ticker.ts'

export type RolesDeps = PollDeps &
  Engines &
  Pick<EndOtpDeps, 'challenges'> &
  Pick<DispatchDeps, 'breakers'> &
  Readonly<{ alone: boolean }>
export type RolesPlan = Readonly<{ config: Config; roles: ReadonlySet<Role>; logger: Logger }>

const REPAIR_EVERY_MS = 10_000
const POLL_EVERY_MS = 5_000
const END_CODES_EVERY_MS = 1_000
/** How many attempts are made at once. In a cluster more hands come with more workers. */
const HANDS: Readonly<Record<Config['profile'], number>> = { embedded: 512, cluster: 64 }
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
}

function startPolling(world: RolesDeps, onFault: OnFault, opened: AsyncDisposableStack): void {
  let lastLook = world.clock()
  const look = async (): Promise<void> => {
    const since = lastLook
    lastLook = world.clock()
    await poll(world, since)
  }
  opened.use(new Ticker({ chore: look, onFault }, POLL_EVERY_MS))
}

function startWorking(world: RolesDeps, config: Config, onFault: OnFault, opened: AsyncDisposableStack): void {
  const timeout = seconds(config.providerTimeoutSeconds)
  const lease = seconds(2 * config.providerTimeoutSeconds)
  const worker = { owner: world.ids.spanId(), lease, alone: world.alone }
  const deps: DispatchDeps = { ...world, dice: Math.random, worker, timeout }
  opened.use(new Ticker({ chore: () => recover(world, PATIENCE), onFault }, REPAIR_EVERY_MS))
  // Of a store that is away others tell, and less often.
  const onRealFault = (error: unknown): void => (error instanceof Unavailable ? undefined : onFault(error))
  opened.use(new Ticker({ chore: () => endOtps(world), onFault: onRealFault }, END_CODES_EVERY_MS))
  const runner = new Runner(
    {
      queue: world.queue,
      clock: world.clock,
      handle: (taken) => dispatch(deps, taken),
      onFault: (error, { messageId, tenantId }) => onFault(error, { message_id: messageId, tenant_id: tenantId }),
    },
    config.concurrency ?? HANDS[config.profile],
  )
  // What is not finished by then comes to light on the next start, as an attempt nobody knows the outcome of.
  opened.defer(() =>
    Promise.race([runner[Symbol.asyncDispose](), wait(config.shutdownSeconds * 1000, undefined, { ref: false })]),
  )
}
