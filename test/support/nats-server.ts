/** NATS for tests: servers of their own, or the one that POMBO_TEST_NATS_URL names; each test has a prefix of its own on it. */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { type NatsOptions, type NatsProcess, startNats } from './nats-process.ts'
import { findTool } from './tools.ts'

export type NatsServer = AsyncDisposable &
  Readonly<{
    url: string
    /** Missing on a server that is not the tests' own. */
    faults?: Omit<NatsProcess, 'url' | keyof AsyncDisposable>
  }>

const BORROWED = 'POMBO_TEST_NATS_URL'

/** Why there is none to test with; undefined when there is. */
export const missingNats = (): string | undefined =>
  process.env[BORROWED] === undefined && findTool('nats-server') === undefined
    ? `nats-server 2.12 or newer is neither in test/tools nor installed, and ${BORROWED} is not set`
    : undefined

/** Whoever wants certain options, or to do harm, gets servers of its own in any case. */
export async function openNats(options?: NatsOptions): Promise<NatsServer> {
  const borrowed = process.env[BORROWED]
  if (borrowed !== undefined && options === undefined) return { url: borrowed, async [Symbol.asyncDispose]() {} }
  const program = findTool('nats-server')
  if (program === undefined) throw new Error(missingNats())
  const { url, [Symbol.asyncDispose]: dispose, ...faults } = await startNats(program, options)
  return { url, faults, [Symbol.asyncDispose]: dispose }
}

/** One that is there to be harmed. */
export async function openVictim(options: NatsOptions = {}): Promise<Required<NatsServer>> {
  const { url, faults, [Symbol.asyncDispose]: dispose } = await openNats(options)
  if (faults === undefined) throw new Error('a server that was started here can be harmed')
  return { url, faults, [Symbol.asyncDispose]: dispose }
}

/** A name for everything one test makes on a server. */
export const newPrefix = (): string => `T${randomBytes(6).toString('hex')}`

/** One server for all tests of a file, started now and gone after the last. To be called at the top of a test file. */
export async function shareNats(): Promise<NatsServer> {
  const server = await openNats()
  after(() => server[Symbol.asyncDispose]())
  return server
}
