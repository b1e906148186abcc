/** What a load is put on: one process, or several that share the work. */
import { type CpuSplit, readMemory, readThreads, toSplit } from './cpu.ts'
import type { Metrics } from './metrics.ts'

export type Target = Readonly<{
  /** Connections are spread over them evenly. */
  ports: readonly number[]
  token: string
  /** Begins to watch; the answer tells the seconds of CPU used since then, by name. */
  watch: () => () => CpuSplit
  rssMb: () => number
}>

/** A target that tells what becomes of messages. */
export type System = Target & Readonly<{ metrics: () => Promise<Metrics> }>

type Process = Readonly<{ pid: number; port: number; token: string; workers: readonly string[] }>

/** One process, watched thread by thread. */
export const toTarget = ({ pid, port, token, workers }: Process): Target => ({
  ports: [port],
  token,
  rssMb: () => readMemory(pid).rssMb,
  watch() {
    const before = readThreads(pid)
    return () => toSplit(before, readThreads(pid), pid, workers)
  },
})
