/**
 * A gateway in the process of the test, so that the test turns its clock. All else is real: the port, the
 * file or the servers, the simulator. Its clock goes on by itself, and by what the test adds.
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
  /** Calls as somebody else. */
  callAs: (token: string) => Call
  /** Every line it has logged. */
  lines: readonly string[]
  now: () => number
  pass: (ms: number) => void
  /** What it runs on, where that is more than a file. */
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

async function open(env: Env, opened: AsyncDisposableStack, known = ''): Promise<TimedGateway> {
  let passed = 0
  const lines: string[] = []
  const logger = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const config = loadConfig(env, (path) => readFileSync(path, 'utf8'))
  const now = (): number => Date.now() + passed
  const app = await openApp(config, { logger, clock: () => instant(now()) })
  opened.defer(() => app.close())
  const callAs = (token: string): Call => callerOf(app.url, token)
  return {
    url: app.url,
    call: callAs(app.token ?? known),
    callAs,
    lines,
    now,
    pass: (ms) => {
      passed += ms
    },
  }
}
