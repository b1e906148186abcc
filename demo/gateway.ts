/** The gateway of the demo: a process with its own data folder, both removed when the demo ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { mintToken, readJwtSecret } from '../src/config/secrets.ts'
import { CONFIG, SETTINGS } from './config.ts'

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

export async function openGateway({ data, port }: Readonly<{ data?: string; port: number }>): Promise<Gateway> {
  const folder = data === undefined ? mkdtempSync(join(tmpdir(), 'pombo-demo-')) : resolve(data)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'demo.json')
  writeFileSync(file, JSON.stringify(CONFIG, null, 2))
  const env = { ...SETTINGS, POMBO_DATA_DIR: folder, POMBO_PORT: String(port), POMBO_CONFIG: file }
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    // In its own process group, so that Ctrl-C reaches only the demo, which then stops the gateway.
    detached: true,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = (): boolean => child.kill('SIGKILL')
  process.once('exit', kill)
  const ended = once(child, 'exit')
  const remove = (): void => (data === undefined ? rmSync(folder, { recursive: true, force: true }) : undefined)
  const url = await urlOf(child).catch((error) => {
    kill()
    remove()
    throw error
  })
  return {
    url,
    ended,
    tokenFor: (tenantId, accountId) => toToken(folder, tenantId, accountId),
    async [Symbol.asyncDispose]() {
      const late = setTimeout(kill, STOP_MS)
      child.kill('SIGTERM')
      await ended
      clearTimeout(late)
      process.off('exit', kill)
      remove()
    },
  }
}

/** The URL once the gateway is listening; rejects with its output if it does not start. */
function urlOf(child: ReturnType<typeof spawn>): Promise<string> {
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

function toToken(dataDir: string, tenantId: string, accountId: string): Promise<string> {
  const secret = readJwtSecret({ dataDir })
  if (secret === undefined) throw new Error(`${dataDir} has no secret`)
  return mintToken(secret, { tenantId, accountId, scopes: ['admin'], expiresInSeconds: TOKEN_SECONDS })
}
