/** Starts a gateway as a child process, calls it, and stops it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Env } from './settings.ts'

/** Generous: images for another processor are built in an emulator. */
const WITHIN_MS = 120_000
const EVERY_MS = 50
const BANNER = /^Pombo listens on (\S+)\n[\s\S]*^(ey\S+)$/m

type Json = Readonly<Record<string, unknown>>
export type Answer = Readonly<{ status: number; text: string; body: Json }>

export type Gateway = Readonly<{
  call: (method: 'GET' | 'POST', path: string, body?: Json) => Promise<Answer>
  /** What the gateway wrote to stderr. */
  errors: () => string
  /** Ends it gracefully. */
  stop: () => Promise<void>
  /** Ends it at once. */
  end: () => void
}>

/** Returns the first result that is not undefined. */
export async function until<Found>(what: string, poll: () => Promise<Found | undefined>): Promise<Found> {
  const deadline = performance.now() + WITHIN_MS
  while (performance.now() < deadline) {
    const found = await poll()
    if (found !== undefined) return found
    await wait(EVERY_MS)
  }
  throw new Error(`timed out waiting for ${what}`)
}

export async function startGateway([program = '', ...args]: readonly string[], env: Env): Promise<Gateway> {
  const child = spawn(program, [...args, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const [, url = '', token = ''] = await until('the gateway to listen', async () => {
    if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}:\n${err}`)
    return BANNER.exec(out) ?? undefined
  })
  return {
    call: (method, path, body) => call(`${url}${path}`, token, method, body),
    errors: () => err,
    async stop() {
      child.kill('SIGTERM')
      const [code] = await exited
      if (code !== 0) throw new Error(`the gateway ended with ${code} after SIGTERM`)
    },
    end: () => void child.kill('SIGKILL'),
  }
}

async function call(url: string, token: string, method: string, body?: Json): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
  const response = await fetch(url, { method, headers, body: body === undefined ? null : JSON.stringify(body) })
  const text = await response.text()
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  return { status: response.status, text, body: isJson ? JSON.parse(text) : {} }
}

/** Runs a command of Pombo; throws what it wrote unless it succeeds. */
export async function runPombo([program = '', ...args]: readonly string[], more: readonly string[], env: Env) {
  const child = spawn(program, [...args, ...more], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`pombo ${more.join(' ')} ended with ${code}:\n${output}`)
}
