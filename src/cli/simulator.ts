/** `pombo simulator`: plays the outside world as a process of its own, for gateways on many machines. */
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
const MOST_PORT = 65_535
const HOUR_MS = 3_600_000

export const simulator = defineCommand({
  name: 'simulator',
  summary: 'Run the simulated provider as a process of its own, as a cluster needs it.',
  options: {
    host: { value: 'ADDRESS', about: 'the address to listen on (127.0.0.1)' },
    port: { value: 'NUMBER', about: 'the port to listen on; 0 takes any free one (8090)' },
    path: { value: 'FILE', about: 'the file it keeps its inbox in (./data/simulator.db)' },
    secret: { value: 'SECRET', about: 'what it shares with the gateways (better: POMBO_SIMULATOR_SECRET)' },
    'latency-ms': { value: 'NUMBER', about: 'how long an answer takes (0)' },
    'receipt-delay-ms': { value: 'NUMBER', about: 'how long a receipt takes (150)' },
    'error-rate': { value: 'NUMBER', about: 'the share of attempts that meet a transient error (0)' },
  },
  async run(world, values) {
    const { host = '127.0.0.1', path = './data/simulator.db' } = values
    const number = (name: 'port' | 'latency-ms' | 'receipt-delay-ms' | 'error-rate', otherwise: number, most: number) =>
      numberFrom(name, values[name], otherwise, most)
    const options = {
      host,
      port: Math.trunc(number('port', 8090, MOST_PORT)),
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

function numberFrom(name: string, value: string | undefined, otherwise: number, most: number): number {
  if (value === undefined) return otherwise
  const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN
  if (number >= 0 && number <= most) return number
  throw usageError(`--${name} must be a number from 0 to ${most}`)
}

function secretFrom(given: string): string {
  if (Buffer.byteLength(given) >= MIN_SECRET_BYTES) return given
  throw usageError(
    `the secret must be ${MIN_SECRET_BYTES} bytes or longer, such as \`openssl rand -hex 16\` prints; set POMBO_SIMULATOR_SECRET`,
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

function toReason({ host, port, path }: SimulatorServerOptions, error: unknown): [code: number, sentence: string] {
  const code = codeOf(error)
  if (code === 'EADDRINUSE') return [EXIT.unavailable, `port ${port} of ${host} is in use; choose another with --port`]
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return [EXIT.unavailable, `${host} is not an address of this machine; correct --host`]
  }
  const isBusy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
  return isBusy
    ? [EXIT.cannotCreate, `${path} is in use by another simulator or gateway; stop it, or choose another with --path`]
    : [EXIT.cannotCreate, `${path} cannot be opened; correct --path, or the right to write there`]
}

function announce({ out }: World, { url }: SimulatorServer, path: string): void {
  out.write(`${paint(out, 'bold', 'The simulator listens on')} ${url}\n${paint(out, 'bold', 'It keeps')} ${path}\n`)
}
