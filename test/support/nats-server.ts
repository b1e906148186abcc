/** NATS for tests: newly started servers, or the one at POMBO_TEST_NATS_URL. Each test uses its own prefix. */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { type NatsOptions, type NatsProcess, startNats } from './nats-process.ts'
import { findTool } from './tools.ts'

export type NatsServer = AsyncDisposable &
  Readonly<{
    url: string
    /** Missing for an external server. */
    faults?: Omit<NatsProcess, 'url' | keyof AsyncDisposable>
  }>

const EXTERNAL_URL = 'POMBO_TEST_NATS_URL'

/** Why no server is available; undefined if one is. */
export const missingNats = (): string | undefined =>
  process.env[EXTERNAL_URL] === undefined && findTool('nats-server') === undefined
    ? `nats-server 2.12 or newer is neither in test/tools nor installed, and ${EXTERNAL_URL} is not set`
    : undefined

/** Starts new servers if `options` are given, even with POMBO_TEST_NATS_URL. */
export async function openNats(options?: NatsOptions): Promise<NatsServer> {
  const external = process.env[EXTERNAL_URL]
  if (external !== undefined && options === undefined) return { url: external, async [Symbol.asyncDispose]() {} }
  const program = findTool('nats-server')
  if (program === undefined) throw new Error(missingNats())
  const { url, [Symbol.asyncDispose]: dispose, ...faults } = await startNats(program, options)
  return { url, faults, [Symbol.asyncDispose]: dispose }
}

/** Starts servers that the test may stop, kill and freeze. */
export async function openOwnNats(options: NatsOptions = {}): Promise<Required<NatsServer>> {
  const { url, faults, [Symbol.asyncDispose]: dispose } = await openNats(options)
  if (faults === undefined) throw new Error('a new server must support faults')
  return { url, faults, [Symbol.asyncDispose]: dispose }
}

/** A unique prefix for everything that a test creates on a server. */
export const newPrefix = (): string => `T${randomBytes(6).toString('hex')}`

/** One server for all tests of a file, stopped after the last. Call it at the top of a test file. */
export async function shareNats(): Promise<NatsServer> {
  const server = await openNats()
  after(() => server[Symbol.asyncDispose]())
  return server
}
