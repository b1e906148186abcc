/** Runs `pombo` as a process of its own, in a process group of its own, so that a signal reaches all of it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'

export type Env = Readonly<Record<string, string>>

/** How a process ended, and all it had to say. */
export type Ended = Readonly<{ code: number | null; signal: NodeJS.Signals | null; out: string; err: string }>

export type Command = Readonly<{
  pid: number
  /** What was written so far. */
  out: () => string
  err: () => string
  /** To the whole process group; to nobody once it has ended. */
  kill: (signal: 'SIGKILL' | 'SIGTERM') => Promise<Ended>
  ended: Promise<Ended>
  hasEnded: () => boolean
}>

export const ROOT = join(import.meta.dirname, '..', '..')
/** Compiled code is kept between starts: a gateway that is killed thirty times starts thirty times. */
const CACHE = join(ROOT, 'node_modules', '.cache', 'pombo-e2e')
const MAIN = join(ROOT, 'src', 'main.ts')

const running = new Set<number>()
process.once('exit', () => {
  for (const pid of running) signalGroup(pid, 'SIGKILL')
})
// Without these a test that is interrupted would end before it is told to.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

/** Nothing of our own environment is passed on but what finds programs. `main` is that of another release. */
export function startPombo(args: readonly string[], env: Env = {}, main = MAIN): Command {
  const child = spawn(process.execPath, [main, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: CACHE, ...env },
  })
  const { pid } = child
  if (pid === undefined) throw new Error('pombo could not be started')
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

/** A group that has just ended by itself is as dead as we want it. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
