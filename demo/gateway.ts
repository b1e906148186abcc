/** The gateway of the demo: a process with its own data folder, both removed when the demo ends. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { appendAll } from '../bench/stored/fill.ts'
import { type Config, loadConfig } from '../src/config/config.ts'
import { DATABASE_FILE, mintToken, readJwtSecret } from '../src/config/secrets.ts'
import { instant } from '../src/lib/time.ts'
import { CONFIG, SETTINGS } from './config.ts'
import type { Options } from './options.ts'
import { pastDay } from './past-day.ts'

export type Gateway = AsyncDisposable &
  Readonly<{
    url: string
    /** An admin token for one account of one tenant. */
    tokenFor: (tenantId: string, accountId: string) => Promise<string>
    /** Resolves when the process ends. */
    ended: Promise<unknown>
  }>

const MAIN = join(import.meta.dirname, '../src/main.ts')
const LISTENS = /listens on (http:\/\/\S+)/
const MAX_OUTPUT = 4_096
const STOP_MS = 10_000
const TOKEN_SECONDS = 86_400

export type Write = (text: string) => void
type GatewayOptions = Pick<Options, 'data' | 'settings' | 'history'>

/** Without the rest of its past if the signal aborts meanwhile. */
export async function openGateway(options: GatewayOptions, write: Write, signal: AbortSignal): Promise<Gateway> {
  await using opened = new AsyncDisposableStack()
  const folder = openFolder(options, opened)
  const file = join(folder, 'demo.json')
  writeFileSync(file, JSON.stringify(CONFIG, null, 2))
  const env = { ...SETTINGS, ...options.settings, POMBO_DATA_DIR: folder, POMBO_CONFIG: file }
  const config = loadConfig(env, (path) => readFileSync(path, 'utf8'))
  // The data of an earlier demo has its own past.
  const isNew = !existsSync(join(folder, DATABASE_FILE))
  if (isNew && options.history) {
    write('Writing the messages of the day before, which takes some seconds.\n')
    await appendAll(config, unlessAborted(pastDay(instant(Date.now())), signal))
  }

  const child = spawn(process.execPath, [MAIN, 'serve'], {
    // In its own process group, so that Ctrl-C reaches only the demo, which then stops the gateway.
    detached: true,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = once(child, 'exit').finally(() => process.off('exit', kill))
  opened.defer(() => stop(child, ended))
  const url = await urlOf(child)
  const closing = opened.move()
  return {
    url,
    ended,
    tokenFor: (tenantId, accountId) => toToken(config, tenantId, accountId),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

function openFolder({ data }: GatewayOptions, opened: AsyncDisposableStack): string {
  const folder = data === undefined ? mkdtempSync(join(tmpdir(), 'pombo-demo-')) : resolve(data)
  if (data === undefined) opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

function* unlessAborted<Item>(items: Iterable<Item>, signal: AbortSignal): Generator<Item> {
  for (const item of items) {
    if (signal.aborted) return
    yield item
  }
}

/** Kills it if it does not stop in time. */
async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  child.kill('SIGTERM')
  await ended
  clearTimeout(late)
}

/** The URL once the gateway is listening; rejects with its output if it does not start. */
function urlOf(child: ChildProcess): Promise<string> {
  let output = ''
  return new Promise((found, failed) => {
    const read = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-MAX_OUTPUT)
      const [, url] = LISTENS.exec(output) ?? []
      if (url !== undefined) found(url)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', failed)
    child.once('exit', () => failed(new Error(`the gateway did not start:\n${output}`)))
  })
}

function toToken(config: Config, tenantId: string, accountId: string): Promise<string> {
  const secret = readJwtSecret(config)
  if (secret === undefined) throw new Error(`${config.dataDir} has no secret`)
  return mintToken(secret, { tenantId, accountId, scopes: ['admin'], expiresInSeconds: TOKEN_SECONDS })
}
