/**
 * A gateway in the test's own process, so that the test can advance its clock. Everything else is real: the port, the
 * file or the servers, the simulator.
 */
import { readFileSync } from 'node:fs'
import { after } from 'node:test'
import pino from 'pino'
import { openApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { instant } from '../../src/lib/time.ts'
import { type Cluster, openCluster } from './cluster.ts'
import type { Env } from './command.ts'
import { openFolder } from './folder.ts'
import { type Call, callerOf, settingsFor } from './gateway.ts'

export type TimedGateway = Readonly<{
  url: string
  call: Call
  /** Calls with another token. */
  callAs: (token: string) => Call
  /** Every log line. */
  lines: readonly string[]
  now: () => number
  advance: (ms: number) => void
  /** Its servers, in the cluster profile. */
  cluster?: Cluster
}>

export type ShareTimed = (options: Readonly<{ config?: object; env?: Env; own?: boolean }>) => Promise<TimedGateway>

export const shareTimedEmbedded: ShareTimed = async (options) => {
  const opened = closedAfter()
  const folder = opened.use(await openFolder())
  return open(await settingsFor({ folder: folder.path, ...options }), opened)
}

export const shareTimedCluster: ShareTimed = async (options) => {
  const opened = closedAfter()
  const cluster = opened.use(await openCluster({ ...options, plan: { callbacks: 1 } }))
  const gateway = await open({ ...cluster.settings, POMBO_PORT: '0', ...options.env }, opened, cluster.token)
  return { ...gateway, cluster }
}

function closedAfter(): AsyncDisposableStack {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  return opened
}

async function open(env: Env, opened: AsyncDisposableStack, token = ''): Promise<TimedGateway> {
  let offset = 0
  const lines: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const config = loadConfig(env, (path) => readFileSync(path, 'utf8'))
  const now = (): number => Date.now() + offset
  const app = await openApp(config, { logger, clock: () => instant(now()) })
  opened.defer(() => app.close())
  const callAs = (token: string): Call => callerOf(app.url, token)
  return {
    url: app.url,
    call: callAs(app.token ?? token),
    callAs,
    lines,
    now,
    advance: (ms) => {
      offset += ms
    },
  }
}
