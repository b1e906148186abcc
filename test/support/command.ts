/** Runs `pombo` as a child process in its own process group, so that a signal reaches all of its processes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

export type Env = Readonly<Record<string, string>>

/** How a process ended, and its output. */
export type Ended = Readonly<{ code: number | null; signal: NodeJS.Signals | null; out: string; err: string }>

export type Command = Readonly<{
  pid: number
  /** The output so far. */
  out: () => string
  err: () => string
  /** Signals the process group, unless it has ended. */
  kill: (signal: 'SIGKILL' | 'SIGTERM') => Promise<Ended>
  ended: Promise<Ended>
  hasEnded: () => boolean
}>

export const ROOT = join(import.meta.dirname, '..', '..')
/** Caches compiled code between starts: some tests start a gateway thirty times. */
const CACHE = join(ROOT, 'node_modules', '.cache', 'pombo-e2e')
const MAIN = join(ROOT, 'src', 'main.ts')

const running = new Set<number>()
process.once('exit', () => {
  for (const pid of running) signalGroup(pid, 'SIGKILL')
})
// Without these handlers an interrupted test would not run its `exit` handlers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Passes only PATH of our own environment on. `main` is the main file of another release. */
export const startPombo = (args: readonly string[], env: Env = {}, main = MAIN): Command =>
  startProgram(process.execPath, [main, ...args], { env: { NODE_COMPILE_CACHE: CACHE, ...env } })

export type ProgramOptions = Readonly<{ env?: Env; cwd?: string }>

/** Passes only PATH of our own environment on. */
export function startProgram(program: string, args: readonly string[], { env, cwd }: ProgramOptions): Command {
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...env },
    cwd,
  })
  const { pid } = child
  if (pid === undefined) throw new Error(`${program} could not be started`)
  running.add(pid)
  const [out, err] = [gather(child.stdout), gather(child.stderr)]
  let over = false
  const ended = endOf(child).then(({ code, signal }): Ended => {
    running.delete(pid)
    over = true
    return { code, signal, out: out(), err: err() }
  })
  return {
    pid,
    out,
    err,
    ended,
    hasEnded: () => over,
    kill(signal) {
      if (!over) signalGroup(pid, signal)
      return ended
    },
  }
}

export const runPombo = (args: readonly string[], env?: Env, main?: string): Promise<Ended> =>
  startPombo(args, env, main).ended

type End = Pick<Ended, 'code' | 'signal'>

function endOf(child: ChildProcess): Promise<End> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
}

function gather(stream: NodeJS.ReadableStream): () => string {
  const chunks: string[] = []
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => chunks.push(chunk))
  return () => chunks.join('')
}

/** Ignores a group that has already ended. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
