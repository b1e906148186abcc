/** The CPU of each process of a cluster, including the benchmark itself, which samples metrics. */
import { type CpuSplit, readMemory, readTreeSeconds } from '../cpu.ts'

export type Watched = Readonly<{ name: string; pid: number }>

/** CPU seconds since then, including child processes, such as those of PostgreSQL. */
export function watchProcesses(processes: readonly Watched[]): () => CpuSplit {
  const read = (): ReadonlyMap<string, number> =>
    new Map(processes.map(({ name, pid }) => [name, readTreeSeconds(pid)] as const))
  const [before, own] = [read(), process.cpuUsage()]
  return () => {
    const { user, system } = process.cpuUsage(own)
    const used = [...read()].map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)] as const)
    return { ...Object.fromEntries(used), bench: (user + system) / 1e6 }
  }
}

export const rssOf = (processes: readonly Watched[]): number =>
  processes.reduce((sum, { pid }) => sum + readMemory(pid).rssMb, 0)
