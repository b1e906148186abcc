/** CPU and memory of threads and processes, from /proc; empty on other systems. */
import { readdirSync, readFileSync } from 'node:fs'

type Thread = Readonly<{ tid: number; name: string; seconds: number }>

/** CPU seconds by thread name. */
export type CpuSplit = Readonly<Record<string, number>>

const TICKS_PER_SECOND = 100
/** After `pid (name)`: utime and stime are the 14th and 15th fields of all. */
const USER_TICKS = 11
const SYSTEM_TICKS = 12

export function readThreads(pid: number): readonly Thread[] {
  return listTasks(pid).flatMap((tid) => {
    const stat = readOrEmpty(`/proc/${pid}/task/${tid}/stat`)
    const [, name = '', rest = ''] = /\((.*)\) (.*)/s.exec(stat) ?? []
    const fields = rest.split(' ')
    const ticks = Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])
    return Number.isNaN(ticks) ? [] : [{ tid, name, seconds: ticks / TICKS_PER_SECOND }]
  })
}

/** Node does not name its workers, so they are identified by the order in which they were started. */
export function toSplit(
  before: readonly Thread[],
  after: readonly Thread[],
  pid: number,
  workers: readonly string[],
): CpuSplit {
  const earlier = new Map(before.map(({ tid, seconds }) => [tid, seconds]))
  const order = after.filter(({ tid, name }) => tid !== pid && !OF_NODE.has(name)).map(({ tid }) => tid)
  const split: Record<string, number> = {}
  for (const thread of after) {
    const nth = order.indexOf(thread.tid)
    const name = thread.tid === pid ? 'main' : nth === -1 ? 'V8 and libuv' : (workers[nth] ?? thread.name)
    split[name] = (split[name] ?? 0) + thread.seconds - (earlier.get(thread.tid) ?? 0)
  }
  return split
}

/** The names of Node's internal threads; the last one is there with `--cpu-prof`, once per thread that runs code. */
const OF_NODE = new Set(['V8Worker', 'libuv-worker', 'DelayedTaskSche', 'SignalInspector', 'node', 'v8:ProfEvntProc'])

const IDLE = 3
const WAITING_FOR_DISK = 4
const GUEST = 8

/** Busy seconds of all cores together. */
export function readBusySeconds(): number {
  const [line = ''] = readOrEmpty('/proc/stat').split('\n')
  const ticks = line
    .split(/\s+/)
    .slice(1, GUEST + 1)
    .map(Number)
  const busy = ticks.filter((_, index) => index !== IDLE && index !== WAITING_FOR_DISK)
  return busy.reduce((sum, some) => sum + some, 0) / TICKS_PER_SECOND
}

/** Resident memory now and its maximum, in MB (10^6 bytes). */
export function readMemory(pid: number): Readonly<{ rssMb: number; peakMb: number }> {
  const status = readOrEmpty(`/proc/${pid}/status`)
  const read = (field: string): number =>
    (Number(new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024) / 1e6
  return { rssMb: read('VmRSS'), peakMb: read('VmHWM') }
}

type Family = Readonly<{ pid: number; parent: number; seconds: number }>

const PARENT = 1
/** The time of ended child processes counts for their parent: 16th and 17th fields. */
const CHILDREN_TICKS = [13, 14] as const

/** CPU seconds of a process and all its children, including those that have ended. */
export function readTreeSeconds(root: number): number {
  const all = listNumbers('/proc').flatMap(readFamily)
  const secondsOf = ({ pid, seconds }: Family): number =>
    all.filter(({ parent }) => parent === pid).reduce((sum, child) => sum + secondsOf(child), seconds)
  return all.filter(({ pid }) => pid === root).reduce((sum, one) => sum + secondsOf(one), 0)
}

function readFamily(pid: number): readonly Family[] {
  const [, rest = ''] = /\(.*\) (.*)/s.exec(readOrEmpty(`/proc/${pid}/stat`)) ?? []
  const fields = rest.split(' ').map(Number)
  const ticks = [USER_TICKS, SYSTEM_TICKS, ...CHILDREN_TICKS].reduce((sum, index) => sum + (fields[index] ?? 0), 0)
  return Number.isNaN(ticks) ? [] : [{ pid, parent: fields[PARENT] ?? 0, seconds: ticks / TICKS_PER_SECOND }]
}

function listTasks(pid: number): readonly number[] {
  return listNumbers(`/proc/${pid}/task`).toSorted((one, other) => one - other)
}

function listNumbers(path: string): readonly number[] {
  try {
    return readdirSync(path)
      .map(Number)
      .filter((number) => number > 0)
  } catch {
    return []
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The thread may have ended after it was listed.
    return ''
  }
}
