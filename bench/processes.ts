/** Processes and folders that must not outlive the benchmark, however it ends. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const children = new Set<ChildProcess>()
const folders = new Set<string>()

/** To be called once: whatever is still there when this process ends goes with it. */
export function leaveNothingBehind(): void {
  process.on('exit', () => {
    for (const child of children) child.kill('SIGKILL')
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
}

export type Folder = Readonly<{ path: string }> & Disposable

export function openFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'pombo-bench-'))
  folders.add(path)
  return {
    path,
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true })
      folders.delete(path)
    },
  }
}

/** Whoever made the folder removes it; should we end before that, it goes with us. */
export function adoptFolder(path: string): void {
  folders.add(path)
}

/** A port of loopback that nobody uses at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

export type Command = Readonly<{
  name: string
  file: string
  args: readonly string[]
  env?: Readonly<Record<string, string>>
  cwd?: string
  /** What its output says when it is ready, which is handed on; or the port that it then listens on. */
  ready: RegExp | Readonly<{ port: number }>
}>

export type Running = Readonly<{ pid: number; matched: readonly string[] }> & AsyncDisposable

const START_MS = 20_000
const STOP_MS = 10_000
const OUTPUT_KEPT = 4_096

/** Only what a program cannot do without of our own environment, so that our settings do not become its own. */
const environment = (): Record<string, string> =>
  Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR', 'LANG'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

export async function startProcess({ name, file, args, env = {}, cwd, ready }: Command): Promise<Running> {
  const child = spawn(file, args, {
    cwd,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { pid } = await spawned(child, name)
  let output = ''
  const isReady = Promise.withResolvers<readonly string[]>()
  const read = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-OUTPUT_KEPT)
    const match = ready instanceof RegExp ? ready.exec(output) : null
    if (match !== null) isReady.resolve([...match])
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  child.once('exit', (code) => isReady.reject(new Error(`${name} ended with ${code} before it was ready:\n${output}`)))
  if (!(ready instanceof RegExp)) listening(ready.port, child).then(() => isReady.resolve([]), isReady.reject)
  const matched = await within(START_MS, isReady.promise, () => `${name} did not get ready:\n${output}`)
  return { pid, matched, [Symbol.asyncDispose]: () => stop(child) }
}

const KNOCK_MS = 50

/** Knocks until somebody opens, or there is nobody left who could. */
async function listening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1')
    const opened = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (opened) return
    await wait(KNOCK_MS)
  }
}

async function spawned(child: ChildProcess, name: string): Promise<{ pid: number }> {
  children.add(child)
  child.once('exit', () => children.delete(child))
  await once(child, 'spawn')
  if (child.pid === undefined) throw new Error(`${name} did not start`)
  return { pid: child.pid }
}

/** A script of our own that is talked to in messages. */
export async function startScript(script: URL, name: string): Promise<{ child: ChildProcess } & AsyncDisposable> {
  const child = fork(script, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: environment() })
  await spawned(child, name)
  return { child, [Symbol.asyncDispose]: () => stop(child) }
}

/** What a script says next; a fault where it ends instead. */
export async function nextNews<News>(child: ChildProcess, name: string): Promise<News> {
  const over = new AbortController()
  const { signal } = over
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${name} ended with ${code}`)
  })
  try {
    const [news] = await Promise.race([once(child, 'message', { signal }), ended])
    return news as News
  } finally {
    over.abort()
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await ended
  clearTimeout(late)
}

async function within<Value>(ms: number, promise: Promise<Value>, complaint: () => string): Promise<Value> {
  const giveUp = new AbortController()
  const late = wait(ms, undefined, { signal: giveUp.signal }).then(() => {
    throw new Error(complaint())
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([promise, late])
  } finally {
    giveUp.abort()
  }
}

/** Runs a command to its end; a fault when it fails. */
export async function runToEnd(file: string, args: readonly string[]): Promise<void> {
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const { pid } = await spawned(child, file)
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-OUTPUT_KEPT)
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} (${pid}) ended with ${code}: ${errors}`)
}
