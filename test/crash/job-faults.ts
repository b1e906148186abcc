/**
 * Jobs are only hints. Here they are lost, late, visible before their event, delivered twice, or not removed. The event
 * itself is appended or not, as the log guarantees.
 */
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { AppendResult, Entry, EventLog } from '../../src/ports/event-log.ts'
import type { Queue, Taken } from '../../src/ports/queue.ts'
import type { Process } from './process.ts'
import type { Simulation } from './simulation.ts'

export type FaultyJobs = Readonly<{
  append: (process: Process, entry: Entry) => Promise<AppendResult>
  take: (process: Process, max: number, signal: AbortSignal) => Promise<readonly Taken[]>
}>

type JobFault = 'none' | 'lost' | 'late' | 'early'

export function faultyJobs(sim: Simulation, log: EventLog, queue: Queue): FaultyJobs {
  const { scheduler, random, counters } = sim
  const duplicates = duplicatedJobs(sim)

  function draw(): JobFault {
    const { jobLost, jobLate, jobEarly } = sim.faultRates
    if (random.happens(jobLost)) return 'lost'
    if (random.happens(jobLate)) return 'late'
    return random.happens(jobEarly) ? 'early' : 'none'
  }

  async function appendLate({ job, ends, ...entry }: Entry): Promise<AppendResult> {
    const result = await log.append(entry)
    if (result.kind !== 'appended') return result
    counters.count('job late')
    scheduler.after(random.integer(1, 20_000), () => {
      const ended = ends === undefined ? Promise.resolve() : queue.done(ends)
      const put = ended.then(() => (job === undefined ? undefined : queue.put(job)))
      put.catch((error) => sim.reportFault('a late job', error))
    })
    return result
  }

  async function appendEarly(process: Process, { job, ...entry }: Entry): Promise<AppendResult> {
    counters.count('job before its event')
    if (job !== undefined) await queue.put(job)
    await new Promise<void>((resolve) => scheduler.after(random.integer(1, 2_000), resolve))
    if (process.isAlive && random.happens(sim.faultRates.crashBefore)) process.crash()
    if (process.isAlive) return await log.append(entry)
    counters.count('job without event')
    return { kind: 'conflict' }
  }

  async function appendAlone({ job, ...entry }: Entry): Promise<AppendResult> {
    const result = await log.append(entry)
    if (result.kind === 'appended') counters.count('job lost')
    return result
  }

  async function appendFinishing({ ends, ...entry }: Entry): Promise<AppendResult> {
    const remains = ends !== undefined && random.happens(sim.faultRates.jobNotEnded)
    if (remains) counters.count('job not removed')
    return await log.append(omitUndefined({ ...entry, ends: remains ? undefined : ends }))
  }

  return {
    append(process, entry) {
      if (entry.job === undefined) return appendFinishing(entry)
      switch (draw()) {
        case 'none':
          return appendFinishing(entry)
        case 'lost':
          return appendAlone(entry)
        case 'late':
          return appendLate(entry)
        case 'early':
          return appendEarly(process, entry)
      }
    },

    take: (process, max, signal) =>
      duplicates.take(process, (woken) => queue.take(max, AbortSignal.any([signal, woken]))),
  }
}

/** Delivers a job twice: to the worker that took it, and to the next worker that asks. */
function duplicatedJobs(sim: Simulation) {
  const { random, counters } = sim
  const duplicates: Taken[] = []
  const waiting = new Set<AbortController>()

  function duplicateSometimes(taken: Taken): void {
    if (!random.happens(sim.faultRates.jobDoubled)) return
    counters.count('job duplicated')
    duplicates.push(taken)
    for (const waiter of waiting) waiter.abort('duplicate available')
  }

  return {
    async take({ end }: Process, ask: (woken: AbortSignal) => Promise<readonly Taken[]>): Promise<readonly Taken[]> {
      for (;;) {
        const duplicate = duplicates.shift()
        if (duplicate !== undefined) return [duplicate]

        const waiter = new AbortController()
        waiting.add(waiter)
        const taken = await ask(AbortSignal.any([end, waiter.signal]))
        waiting.delete(waiter)
        for (const one of taken) duplicateSometimes(one)
        if (taken.length > 0 || !waiter.signal.aborted) return taken
      }
    },
  }
}
