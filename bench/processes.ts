/** Processes and folders that are removed when the benchmark ends, however it ends. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

const children = new Set<ChildProcess>()
const folders = new Set<string>()

/** Call once: removes everything that is left when this process ends. */
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

/** Removes a folder on exit, in case its owner has not removed it by then. */
export function adoptFolder(path: string): void {
  folders.add(path)
}

/** A free port on loopback. */
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
  /** A pattern in the output that means ready, whose match is returned; or a port that must be listening. */
  ready: RegExp | Readonly<{ port: number }>
  /** How long it may take to get ready. */
  startMs?: number
}>

export type Running = Readonly<{ pid: number; matched: readonly string[] }> & AsyncDisposable

const START_MS = 20_000
const STOP_MS = 10_000
const OUTPUT_KEPT = 4_096

/** The minimum of our environment, so that our settings are not inherited. */
const environment = (): Record<string, string> =>
  Object.fromEntries(
    ['PATH', 'HOME', 'TMPDIR', 'LANG'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

export async function startProcess(command: Command): Promise<Running> {
  const { name, file, args, env = {}, cwd, ready, startMs = START_MS } = command
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
  const matched = await within(startMs, isReady.promise, () => `${name} did not get ready:\n${output}`)
  return { pid, matched, [Symbol.asyncDispose]: () => stop(child) }
}

const KNOCK_MS = 50

/** Connects until the port is listening, or the process has ended. */
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

/** Starts one of our scripts with an IPC channel. */
export async function startScript(script: URL, name: string): Promise<{ child: ChildProcess } & AsyncDisposable> {
  const child = fork(script, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: environment() })
  await spawned(child, name)
  return { child, [Symbol.asyncDispose]: () => stop(child) }
}

/** The next message of a script; rejects if it ends instead. */
export async function nextMessage<Message>(child: ChildProcess, name: string): Promise<Message> {
  const over = new AbortController()
  const { signal } = over
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`${name} ended with ${code}`)
  })
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended])
    return message as Message
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

async function within<Value>(ms: number, promise: Promise<Value>, message: () => string): Promise<Value> {
  const giveUp = new AbortController()
  const late = wait(ms, undefined, { signal: giveUp.signal }).then(() => {
    throw new Error(message())
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([promise, late])
  } finally {
    giveUp.abort()
  }
}

/** Runs a command until it ends; rejects if it fails. */
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
