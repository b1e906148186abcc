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

/** A system for which a message has come to its end when it is sent: nobody reports on it. */
export const untilSent = <Some extends System>(system: Some): Some => ({
  ...system,
  async metrics() {
    const metrics = await system.metrics()
    return { ...metrics, delivered: metrics.handedOff, ended: metrics.handedOff }
  },
})

/** What another process uses is told beside what the system does. */
export const withProcess = <Some extends System>(system: Some, name: string, pid: number): Some => ({
  ...system,
  watch() {
    const [used, usedByOther] = [system.watch(), watchProcess(pid)]
    return () => ({ ...used(), [name]: usedByOther() })
  },
})

/** Begins to watch a process; the answer tells the seconds of CPU that all its threads have used since then. */
export function watchProcess(pid: number): () => number {
  const before = readThreads(pid)
  return () => Object.values(toSplit(before, readThreads(pid), pid, [])).reduce((sum, some) => sum + some, 0)
}

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
