/** The target of a load: one process, or several that share the work. */
import { type CpuSplit, readMemory, readThreads, toSplit } from './cpu.ts'
import type { Metrics } from './metrics.ts'

export type Target = Readonly<{
  /** Connections are spread evenly over the ports. */
  ports: readonly number[]
  token: string
  /** Starts watching; the returned function returns the CPU seconds used since then, by name. */
  watch: () => () => CpuSplit
  rssMb: () => number
}>

/** A target with metrics of its messages. */
export type System = Target & Readonly<{ metrics: () => Promise<Metrics> }>

/** A system whose messages are final once they are sent, without delivery reports. */
export const untilSent = <Some extends System>(system: Some): Some => ({
  ...system,
  async metrics() {
    const metrics = await system.metrics()
    return { ...metrics, delivered: metrics.handedOff, ended: metrics.handedOff }
  },
})

/** Reports the CPU of another process beside that of the system. */
export const withProcess = <Some extends System>(system: Some, name: string, pid: number): Some => ({
  ...system,
  watch() {
    const [used, usedByOther] = [system.watch(), watchProcess(pid)]
    return () => ({ ...used(), [name]: usedByOther() })
  },
})

/** Starts watching a process; the returned function returns the CPU seconds of its threads since then. */
export function watchProcess(pid: number): () => number {
  const before = readThreads(pid)
  return () => Object.values(toSplit(before, readThreads(pid), pid, [])).reduce((sum, some) => sum + some, 0)
}

type Process = Readonly<{ pid: number; port: number; token: string; workers: readonly string[] }>

/** One process, watched by thread. */
export const toTarget = ({ pid, port, token, workers }: Process): Target => ({
  ports: [port],
  token,
  rssMb: () => readMemory(pid).rssMb,
  watch() {
    const before = readThreads(pid)
    return () => toSplit(before, readThreads(pid), pid, workers)
  },
})
