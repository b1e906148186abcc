/** `pombo simulator`: runs the simulated provider as its own process, for the gateways of a cluster. */
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../config/data-dir.ts'
import { millis } from '../lib/time.ts'
import {
  openSimulatorServer,
  type SimulatorServer,
  type SimulatorServerOptions,
} from '../providers/simulator/server.ts'
import { defineCommand } from './command.ts'
import { CommandError, EXIT, usageError } from './exit.ts'
import { paint } from './render.ts'
import type { World } from './world.ts'

const MIN_SECRET_BYTES = 16
const MAX_PORT = 65_535
const HOUR_MS = 3_600_000

export const simulator = defineCommand({
  name: 'simulator',
  summary: 'Run the simulated provider as its own process, for a cluster.',
  options: {
    host: { value: 'ADDRESS', about: 'address to listen on (127.0.0.1)' },
    port: { value: 'NUMBER', about: 'port to listen on; 0 means any free port (8090)' },
    path: { value: 'FILE', about: 'file for the inbox (./data/simulator.db)' },
    secret: { value: 'SECRET', about: 'secret shared with the gateways (better: set POMBO_SIMULATOR_SECRET)' },
    'latency-ms': { value: 'NUMBER', about: 'delay of each response (0)' },
    'receipt-delay-ms': { value: 'NUMBER', about: 'delay of each receipt (150)' },
    'error-rate': { value: 'NUMBER', about: 'share of attempts that fail with a transient error (0)' },
  },
  async run(world, values) {
    const { host = '127.0.0.1', path = './data/simulator.db' } = values
    const number = (name: 'port' | 'latency-ms' | 'receipt-delay-ms' | 'error-rate', fallback: number, max: number) =>
      numberFrom(name, values[name], fallback, max)
    const options = {
      host,
      port: Math.trunc(number('port', 8090, MAX_PORT)),
      path,
      secret: secretFrom(values.secret ?? world.env['POMBO_SIMULATOR_SECRET'] ?? ''),
      latency: millis(number('latency-ms', 0, HOUR_MS)),
      receiptDelay: millis(number('receipt-delay-ms', 150, HOUR_MS)),
      errorRate: number('error-rate', 0, 1),
      clock: world.clock,
    }
    const logger = await world.openLogger('info')
    const stop = world.stopSignal()
    await using server = await open({ ...options, logger })
    announce(world, server, path)
    if (!stop.aborted) await once(stop, 'abort')
    return EXIT.ok
  },
})

function numberFrom(name: string, value: string | undefined, fallback: number, max: number): number {
  if (value === undefined) return fallback
  const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
  if (number >= 0 && number <= max) return number
  throw usageError(`--${name} must be a number from 0 to ${max}`)
}

function secretFrom(given: string): string {
  if (Buffer.byteLength(given) >= MIN_SECRET_BYTES) return given
  throw usageError(
    `the secret must be ${MIN_SECRET_BYTES} bytes or longer; generate one with \`openssl rand -hex 16\` and set POMBO_SIMULATOR_SECRET`,
  )
}

async function open(options: SimulatorServerOptions): Promise<SimulatorServer> {
  try {
    mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 })
    return await openSimulatorServer(options)
  } catch (error) {
    throw new CommandError(...toReason(options, error), error)
  }
}

const SQLITE_BUSY = 5

function toReason({ host, port, path }: SimulatorServerOptions, error: unknown): [code: number, message: string] {
  const code = codeOf(error)
  if (code === 'EADDRINUSE') return [EXIT.unavailable, `port ${port} on ${host} is in use; choose another with --port`]
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return [EXIT.unavailable, `${host} is not an address of this machine; correct --host`]
  }
  const isBusy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
  return isBusy
    ? [
        EXIT.cannotCreate,
        `${path} is in use by another simulator or gateway; stop it, or choose another file with --path`,
      ]
    : [EXIT.cannotCreate, `${path} cannot be opened; correct --path or the permissions`]
}

function announce({ out }: World, { url }: SimulatorServer, path: string): void {
  out.write(`${paint(out, 'bold', 'The simulator listens on')} ${url}\n${paint(out, 'bold', 'Inbox')} ${path}\n`)
}
