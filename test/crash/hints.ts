/**
 * Jobs are only hints: here they get lost, come late, come before their event, come twice, or stay
 * when they should be gone. The event itself is written or not, as the log promises.
 */
import type { AppendResult, Entry, EventLog } from '../../src/ports/event-log.ts'
import type { Queue, Taken } from '../../src/ports/queue.ts'
import type { Process } from './process.ts'
import type { Simulation } from './simulation.ts'

export type Hints = Readonly<{
  append: (process: Process, entry: Entry) => Promise<AppendResult>
  take: (process: Process, max: number, signal: AbortSignal) => Promise<readonly Taken[]>
}>

type Mishap = 'none' | 'lost' | 'late' | 'early'

export function toHints(sim: Simulation, log: EventLog, queue: Queue): Hints {
  const { agenda, chance, tally } = sim
  const doubles = toDoubles(sim)

  function draw(): Mishap {
    const { jobLost, jobLate, jobEarly } = sim.weather
    if (chance.happens(jobLost)) return 'lost'
    if (chance.happens(jobLate)) return 'late'
    return chance.happens(jobEarly) ? 'early' : 'none'
  }

  async function appendLate({ job, ends, ...entry }: Entry): Promise<AppendResult> {
    const result = await log.append(entry)
    if (result.kind !== 'appended') return result
    tally.count('job late')
    agenda.after(chance.between(1, 20_000), () => {
      const ended = ends === undefined ? Promise.resolve() : queue.done(ends)
      const put = ended.then(() => (job === undefined ? undefined : queue.put(job)))
      put.catch((error) => sim.faulted('a late job', error))
    })
    return result
  }

  async function appendEarly(process: Process, { job, ...entry }: Entry): Promise<AppendResult> {
    tally.count('job before its event')
    if (job !== undefined) await queue.put(job)
    await new Promise<void>((resolve) => agenda.after(chance.between(1, 2_000), resolve))
    if (process.isAlive && chance.happens(sim.weather.crashBefore)) process.crash()
    if (process.isAlive) return await log.append(entry)
    tally.count('job without event')
    return { kind: 'conflict' }
  }

  async function appendAlone({ job, ...entry }: Entry): Promise<AppendResult> {
    const result = await log.append(entry)
    if (result.kind === 'appended') tally.count('job lost')
    return result
  }

  async function appendFinishing({ ends, ...entry }: Entry): Promise<AppendResult> {
    const stays = ends !== undefined && chance.happens(sim.weather.jobNotEnded)
    if (stays) tally.count('job not ended')
    return await log.append({ ...entry, ...(ends === undefined || stays ? {} : { ends }) })
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

    take: (process, max, signal) => doubles.take(process, (woken) => queue.take(max, AbortSignal.any([signal, woken]))),
  }
}

/** Hands a job out twice: once to who took it, and once more to whoever asks next. */
function toDoubles(sim: Simulation) {
  const { chance, tally } = sim
  const doubles: Taken[] = []
  const waiting = new Set<AbortController>()

  function double(taken: Taken): void {
    if (!chance.happens(sim.weather.jobDoubled)) return
    tally.count('job doubled')
    doubles.push(taken)
    for (const waiter of waiting) waiter.abort('look again')
  }

  return {
    async take({ end }: Process, ask: (woken: AbortSignal) => Promise<readonly Taken[]>): Promise<readonly Taken[]> {
      for (;;) {
        const spare = doubles.shift()
        if (spare !== undefined) return [spare]

        const waiter = new AbortController()
        waiting.add(waiter)
        const taken = await ask(AbortSignal.any([end, waiter.signal]))
        waiting.delete(waiter)
        for (const one of taken) double(one)
        if (taken.length > 0 || !waiter.signal.aborted) return taken
      }
    },
  }
}
