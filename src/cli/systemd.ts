/**
 * Tells systemd how the gateway is, for a unit with `Type=notify`: that it is ready, that it stops, and, if the unit has
 * a watchdog, that its event loop turns.
 *
 * systemd listens on a Unix datagram socket, which Node cannot open, so the program `systemd-notify` sends: once when
 * the gateway is ready, once when it stops, and twice per watchdog interval. That is a process of a few milliseconds
 * every half a minute. A helper process that stays would go on reporting a gateway that hangs, and a native addon would
 * need a compiler or another dependency. Because a child sends, the unit needs `NotifyAccess=all`.
 */
import type { Logger } from 'pino'
import { type Millis, millis, seconds } from '../lib/time.ts'
import { reasonOf } from '../ports/unavailable.ts'
import type { World } from './world.ts'

/** Failures are logged once and never affect the gateway. Closing it ends the reports. */
export type Systemd = AsyncDisposable &
  Readonly<{
    /** Reports the gateway at this URL once its `/health/ready` answers 200, and then feeds the watchdog. */
    listening: (url: string) => void
    stopping: () => void
  }>

type Deps = Pick<World, 'env' | 'execute' | 'fetch' | 'pause'>
type Tell = (...states: readonly string[]) => Promise<void>

const RETRY = seconds(1)
const ANSWER_WITHIN_MS = 5_000

export function openSystemd(world: Deps, logger: Pick<Logger, 'warn'>): Systemd {
  if ((world.env['NOTIFY_SOCKET'] ?? '') === '') return NOT_THERE
  const stopping = new AbortController()
  const closed = new AbortController()
  const tell = openTelling(world, logger)
  const reported: Promise<void>[] = []

  async function report(url: string): Promise<void> {
    if (!(await untilReady(world, url, tell, stopping.signal))) return
    await tell('READY=1', `STATUS=Ready at ${url}`)
    await feedWatchdog(world, tell, closed.signal)
  }

  return {
    listening: (url) => {
      reported.push(report(url))
    },
    stopping: () => {
      stopping.abort()
      reported.push(tell('STOPPING=1', 'STATUS=Finishing what is in flight'))
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      closed.abort()
      await Promise.all(reported)
    },
  }
}

const NOT_THERE: Systemd = {
  listening: () => undefined,
  stopping: () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
}

/** Sends one report after the other, so that they arrive in order. */
function openTelling({ env, execute }: Deps, logger: Pick<Logger, 'warn'>): Tell {
  let last = Promise.resolve()
  let hasFailed = false
  const send = async (states: readonly string[]): Promise<void> => {
    try {
      await execute('systemd-notify', states, { PATH: env['PATH'], NOTIFY_SOCKET: env['NOTIFY_SOCKET'] })
    } catch (error) {
      if (!hasFailed) logger.warn({ reason: reasonOf(error) }, 'systemd: systemd-notify failed, state not reported')
      hasFailed = true
    }
  }
  return (...states) => {
    last = last.then(() => send(states))
    return last
  }
}

/** Returns false if the gateway was stopped before it was ready. */
async function untilReady(world: Deps, url: string, tell: Tell, stopped: AbortSignal): Promise<boolean> {
  for (let hasTold = false; !stopped.aborted; await world.pause(RETRY, stopped)) {
    if (await isReady(world, url, stopped)) return true
    if (!hasTold) await tell(`STATUS=Not ready: see ${url}/health/ready`)
    hasTold = true
  }
  return false
}

async function isReady({ fetch }: Deps, url: string, stopped: AbortSignal): Promise<boolean> {
  try {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(ANSWER_WITHIN_MS)])
    const answer = await fetch(`${url}/health/ready`, { signal })
    await answer.body?.cancel()
    return answer.ok
  } catch {
    return false
  }
}

/** A gateway that is alive and not ready is not killed: a restart would not bring back its disk. */
async function feedWatchdog({ env, pause }: Deps, tell: Tell, closed: AbortSignal): Promise<void> {
  const wait = watchdogPause(env)
  while (wait !== undefined && !closed.aborted) {
    await tell('WATCHDOG=1')
    await pause(wait, closed)
  }
}

/** Half the interval of the watchdog, as sd_watchdog_enabled(3) recommends; undefined if it does not watch us. */
function watchdogPause(env: World['env']): Millis | undefined {
  const { WATCHDOG_USEC: interval = '', WATCHDOG_PID: watched = '' } = env
  // bin/pombo.cjs may be the process that systemd has started, and this one its child.
  const isOurs = watched === '' || [process.pid, process.ppid].includes(Number(watched))
  return isOurs && /^[1-9]\d*$/.test(interval) ? millis(Number(interval) / 2_000) : undefined
}
