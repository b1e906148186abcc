/** The ports of one simulated process: every call goes through the process, and so through the scheduler. */

import type { MessageId } from '../../src/domain/ids.ts'
import { FREE, type Permission } from '../../src/domain/routing/breaker.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { Breakers } from '../../src/ports/breakers.ts'
import type { AppendResult, Changes, Entry, EventLog, Followed, Start } from '../../src/ports/event-log.ts'
import type { ProjectedIndex } from '../../src/ports/message-index.ts'
import type { Provider } from '../../src/ports/provider.ts'
import type { Queue } from '../../src/ports/queue.ts'
import type { RoundLock } from '../../src/ports/round-lock.ts'
import type { WebhookAttempts } from '../../src/ports/webhook-attempts.ts'
import type { MemoryEngine } from '../memory/memory.ts'
import type { Carrier } from './carrier.ts'
import type { FaultyJobs } from './job-faults.ts'
import type { Process } from './process.ts'
import { SimulatedFault, type Simulation } from './simulation.ts'

export type PortContext = Readonly<{
  sim: Simulation
  process: Process
  engine: MemoryEngine
  jobs: FaultyJobs
  /** Whether the engine is a separate server, so that calls may arrive after their caller has crashed. */
  isRemote: boolean
}>

const short = (id: MessageId): string => id.slice(0, 4)

export function simulatedLog({ sim, process, engine: { log }, jobs, isRemote }: PortContext): EventLog {
  const options = { survivesCaller: isRemote }

  async function append(entry: Entry): Promise<AppendResult> {
    const result = await jobs.append(process, entry)
    const { id } = entry.event.state
    sim.note(`${process.name} ${short(id)} ${result.kind} ${nameOf(entry)}`)
    if (result.kind === 'appended') sim.written.set(id, [...(sim.written.get(id) ?? []), entry.event])
    return result
  }

  async function* follow(start: Start, limit: number, signal: AbortSignal): AsyncIterable<readonly Followed[]> {
    const pages = log.follow(start, limit, AbortSignal.any([signal, process.end]))[Symbol.asyncIterator]()
    for (;;) {
      const page = await process.call('log.follow', () => pages.next())
      if (page.done === true) return
      yield page.value
    }
  }

  async function* changes(start: Start, limit: number, signal: AbortSignal): AsyncIterable<Changes> {
    for await (const events of follow(start, limit, signal)) {
      const last = events.at(-1)
      if (last === undefined) continue
      yield { through: last.position, events: sim.random.happens(0.5) ? events : newestOnly(events) }
    }
  }

  return {
    append: (entry) =>
      process.call(`log.append ${short(entry.event.state.id)} ${nameOf(entry)}`, () => append(entry), options),
    latest: (id) => process.call(`log.latest ${short(id)}`, async () => log.latest(id)),
    load: (id) => process.call(`log.load ${short(id)}`, async () => log.load(id)),
    read: (id) => process.call(`log.read ${short(id)}`, () => log.read(id)),
    page: (id, query) => process.call(`log.page ${short(id)}`, () => log.page(id, query)),
    shred: (id, keep) => process.call(`log.shred ${short(id)}`, () => log.shred(id, keep), options),
    follow,
    changes,
    tip: () => process.call('log.tip', () => log.tip()),
  }
}

/** A log that never returns the content of some messages. */
export const poisonedLog = (sim: Simulation, log: EventLog): EventLog => ({
  ...log,
  async load(id, hasRoom) {
    if (!sim.isPoison(id)) return log.load(id, hasRoom)
    sim.counters.count('content unreadable')
    throw new SimulatedFault('the content cannot be read')
  },
})

/** Keeps the newest event of each message, with the searchable fields of its first event. */
function newestOnly(events: readonly Followed[]): readonly Followed[] {
  const newest = new Map<MessageId, Followed>()
  for (const followed of events) {
    const searchable = followed.searchable ?? newest.get(followed.messageId)?.searchable
    newest.set(followed.messageId, omitUndefined({ ...followed, searchable }))
  }
  return [...newest.values()].toSorted((one, other) => one.position - other.position)
}

const nameOf = ({ event: { fact, cycle, attempt } }: Entry): string => `${fact.kind} ${cycle}/${attempt}`

export function simulatedQueue({ sim, process, engine: { queue }, jobs, isRemote }: PortContext): Queue {
  const options = { survivesCaller: isRemote }

  async function park(...parked: Parameters<Queue['park']>): Promise<void> {
    sim.counters.count('job parked')
    await queue.park(...parked)
  }

  async function unpark(...parked: Parameters<Queue['unpark']>): Promise<number> {
    const count = await queue.unpark(...parked)
    sim.counters.count('job unparked', count)
    return count
  }

  return {
    take: (max, signal) => process.call('queue.take', () => jobs.take(process, max, signal)),
    done: (taken) => process.call(`queue.done ${short(taken.job.messageId)}`, () => queue.done(taken), options),
    release: (taken, dueAt) =>
      process.call(`queue.release ${short(taken.job.messageId)}`, () => queue.release(taken, dueAt), options),
    park: (taken, gate, until) =>
      process.call(`queue.park ${short(taken.job.messageId)}`, () => park(taken, gate, until), options),
    unpark: (which, max) => process.call('queue.unpark', () => unpark(which, max), options),
    put: (job) => process.call(`queue.put ${short(job.messageId)}`, () => queue.put(job), options),
    depth: (tenantId) => process.call('queue.depth', () => queue.depth(tenantId)),
  }
}

export function simulatedIndex({ process, engine: { index }, isRemote }: PortContext): ProjectedIndex {
  const options = { survivesCaller: isRemote }
  return {
    apply: (projections, through) =>
      process.call(`index.apply through ${through}`, () => index.apply(projections, through), options),
    position: () => process.call('index.position', () => index.position()),
    search: (query) => process.call('index.search', () => index.search(query)),
    total: (query) => process.call('index.total', () => index.total(query)),
    stats: (query) => process.call('index.stats', () => index.stats(query)),
    errors: (query) => process.call('index.errors', () => index.errors(query)),
    overdue: (query) => process.call(`index.overdue ${query.kind}`, () => index.overdue(query)),
    tombstone: (id) => process.call(`index.tombstone ${short(id)}`, () => index.tombstone(id), options),
    clear: () => process.call('index.clear', () => index.clear(), options),
  }
}

export function simulatedAttempts({ process, engine, isRemote }: PortContext): Pick<WebhookAttempts, 'erase'> {
  const options = { survivesCaller: isRemote }
  return {
    erase: (id) => process.call(`attempts.erase ${short(id)}`, () => engine.webhookAttempts.erase(id), options),
  }
}

export function simulatedRounds({ process, engine: { rounds }, isRemote }: PortContext): RoundLock {
  return {
    begin: (name, at, notSince) =>
      process.call('rounds.begin', () => rounds.begin(name, at, notSince), { survivesCaller: isRemote }),
  }
}

/** A process that cannot reach the breakers assumes that they are closed. */
export function simulatedBreakers({ process, sim, engine: { breakers }, isRemote }: PortContext): Breakers {
  const options = { survivesCaller: isRemote }
  return {
    ask: (provider, at) =>
      process.call<Permission>(`breakers.ask ${provider}`, async () => breakers.ask(provider, at), {
        ...options,
        refused: () => FREE,
      }),
    report: (provider, ...result) =>
      void process
        .call(`breakers.report ${provider}`, async () => breakers.report(provider, ...result), options)
        .catch((error) => sim.reportFault(process.name, error)),
    force: breakers.force,
    states: breakers.states,
    watch: breakers.watch,
  }
}

/** A request arrives within this time or never, even if its sender crashes. */
const MAX_TRANSIT_MS = 2_000

export function simulatedProvider({ process }: Pick<PortContext, 'process'>, carrier: Carrier): Provider {
  const { name, lookup } = carrier
  return {
    name,
    capabilities: { channels: ['sms'], reports: 'callback' },
    send: (attempt, signal) =>
      process.call(`${name}.send ${short(attempt.ref.messageId)}`, () => carrier.send(attempt, signal, process), {
        maxDelayMs: MAX_TRANSIT_MS,
        survivesCaller: true,
        refused: () => carrier.refused,
      }),
    readCallback: async () => 'forged',
    ...(lookup === undefined
      ? {}
      : { lookup: (ref, id) => process.call(`${name}.lookup ${short(ref.messageId)}`, () => lookup(ref, id)) }),
  }
}
