/** What each process of a cluster uses, by its name; the benchmark itself among them, for it looks on. */
import { type CpuSplit, readMemory, readTreeSeconds } from '../cpu.ts'

export type Watched = Readonly<{ name: string; pid: number }>

/** Seconds of CPU since then. A server that starts a process for each connection counts with all of them. */
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
