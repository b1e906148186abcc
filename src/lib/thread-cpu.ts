/** The CPU time of threads of this process, as seen by any of them. Linux only: elsewhere undefined. */
import { readFileSync } from 'node:fs'

/** Of a clock tick in /proc, on every architecture that Node runs on. */
const TICK_MS = 10
/** After the name, which may contain anything: time in user mode, and in the kernel. */
const [USER, SYSTEM] = [11, 12]

/** The number by which others find the thread that calls this. */
export function ownThreadId(): number | undefined {
  const stat = read('/proc/thread-self/stat')
  return stat === undefined ? undefined : Number.parseInt(stat, 10)
}

/** In steps of ten milliseconds; undefined also when the thread has ended. */
export function cpuMillisOf(threadId: number): number | undefined {
  const stat = read(`/proc/self/task/${threadId}/stat`)
  const fields = stat?.slice(stat.lastIndexOf(') ') + 2).split(' ')
  return fields === undefined ? undefined : (Number(fields[USER]) + Number(fields[SYSTEM])) * TICK_MS
}

function read(path: string): string | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
