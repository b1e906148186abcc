/** A gateway of the demo's own: a process on a folder of its own, both gone when the demo ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { mintToken, readJwtSecret } from '../src/config/secrets.ts'
import { CONFIG, SETTINGS } from './setting.ts'

export type Gateway = AsyncDisposable &
  Readonly<{
    url: string
    /** A token that may do everything, as one account of one tenant. */
    tokenFor: (tenantId: string, accountId: string) => Promise<string>
    /** Settles when it ends, for whatever reason. */
    ended: Promise<unknown>
  }>

const MAIN = join(import.meta.dirname, '../src/main.ts')
const LISTENS = /listens on (http:\/\/\S+)/
const WORDS_KEPT = 4_096
const STOP_MS = 10_000
const TOKEN_SECONDS = 86_400

export async function openGateway({ data, port }: Readonly<{ data?: string; port: number }>): Promise<Gateway> {
  const folder = data === undefined ? mkdtempSync(join(tmpdir(), 'pombo-demo-')) : resolve(data)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'demo.json')
  writeFileSync(file, JSON.stringify(CONFIG, null, 2))
  const env = { ...SETTINGS, POMBO_DATA_DIR: folder, POMBO_PORT: String(port), POMBO_CONFIG: file }
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    // In a group of its own: Ctrl-C is for us, and we tell it when we are done with it.
    detached: true,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const leave = (): boolean => child.kill('SIGKILL')
  process.once('exit', leave)
  const ended = once(child, 'exit')
  const remove = (): void => (data === undefined ? rmSync(folder, { recursive: true, force: true }) : undefined)
  const url = await addressOf(child).catch((error) => {
    leave()
    remove()
    throw error
  })
  return {
    url,
    ended,
    tokenFor: (tenantId, accountId) => toToken(folder, tenantId, accountId),
    async [Symbol.asyncDispose]() {
      const late = setTimeout(leave, STOP_MS)
      child.kill('SIGTERM')
      await ended
      clearTimeout(late)
      process.off('exit', leave)
      remove()
    },
  }
}

/** Where it listens, once it does; what it said, if it never will. */
function addressOf(child: ReturnType<typeof spawn>): Promise<string> {
  let words = ''
  return new Promise((found, failed) => {
    const read = (chunk: Buffer): void => {
      words = (words + chunk.toString()).slice(-WORDS_KEPT)
      const [, url] = LISTENS.exec(words) ?? []
      if (url !== undefined) found(url)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', failed)
    child.once('exit', () => failed(new Error(`the gateway did not start:\n${words}`)))
  })
}

function toToken(dataDir: string, tenantId: string, accountId: string): Promise<string> {
  const secret = readJwtSecret({ dataDir })
  if (secret === undefined) throw new Error(`${dataDir} has no secret`)
  return mintToken(secret, { tenantId, accountId, scopes: ['admin'], expiresInSeconds: TOKEN_SECONDS })
}
