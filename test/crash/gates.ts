/** The ports as one simulated process sees them: every call goes through the process, and so through the scheduler. */

import type { MessageId } from '../../src/domain/ids.ts'
import { FREE, type Permission } from '../../src/domain/routing/breaker.ts'
import type { Breakers } from '../../src/ports/breakers.ts'
import type { AppendResult, Changes, Entry, EventLog, Followed, Start } from '../../src/ports/event-log.ts'
import type { MessageIndex } from '../../src/ports/message-index.ts'
import type { Provider } from '../../src/ports/provider.ts'
import type { Queue } from '../../src/ports/queue.ts'
import type { RoundLock } from '../../src/ports/round-lock.ts'
import type { MemoryEngine } from '../memory/memory.ts'
import type { Carrier } from './carrier.ts'
import type { Hints } from './hints.ts'
import type { Process } from './process.ts'
import { SimulatedFault, type Simulation } from './simulation.ts'

export type Gate = Readonly<{
  sim: Simulation
  process: Process
  engine: MemoryEngine
  hints: Hints
  /** Whether the engine is a server of its own, so that calls to it may arrive after their caller's death. */
  isRemote: boolean
}>

const short = (id: MessageId): string => id.slice(0, 4)

export function gateLog({ sim, process, engine: { log }, hints, isRemote }: Gate): EventLog {
  const habits = { outlives: isRemote }

  async function append(entry: Entry): Promise<AppendResult> {
    const result = await hints.append(process, entry)
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
      yield { through: last.position, events: sim.chance.happens(0.5) ? events : newestOnly(events) }
    }
  }

  return {
    append: (entry) =>
      process.call(`log.append ${short(entry.event.state.id)} ${nameOf(entry)}`, () => append(entry), habits),
    latest: (id) => process.call(`log.latest ${short(id)}`, () => log.latest(id)),
    load: (id) => process.call(`log.load ${short(id)}`, () => log.load(id)),
    read: (id) => process.call(`log.read ${short(id)}`, () => log.read(id)),
    shred: (id, keep) => process.call(`log.shred ${short(id)}`, () => log.shred(id, keep), habits),
    follow,
    changes,
    tip: () => process.call('log.tip', () => log.tip()),
  }
}

/** The log as a worker sees it, to whom the content of some messages never opens. */
export const poisonedLog = (sim: Simulation, log: EventLog): EventLog => ({
  ...log,
  async load(id, hasRoom) {
    if (!sim.isPoison(id)) return log.load(id, hasRoom)
    sim.tally.count('content unreadable')
    throw new SimulatedFault('the content cannot be read')
  },
})

/** What was overtaken is left out, and the first one left in brings along what the first of all did. */
function newestOnly(events: readonly Followed[]): readonly Followed[] {
  const newest = new Map<MessageId, Followed>()
  for (const followed of events) {
    const searchable = followed.searchable ?? newest.get(followed.messageId)?.searchable
    newest.set(followed.messageId, { ...followed, ...(searchable === undefined ? {} : { searchable }) })
  }
  return [...newest.values()].toSorted((one, other) => one.position - other.position)
}

const nameOf = ({ event: { fact, cycle, attempt } }: Entry): string => `${fact.kind} ${cycle}/${attempt}`

export function gateQueue({ sim, process, engine: { queue }, hints, isRemote }: Gate): Queue {
  const habits = { outlives: isRemote }

  async function park(...parked: Parameters<Queue['park']>): Promise<void> {
    sim.tally.count('job parked')
    await queue.park(...parked)
  }

  async function unpark(...parked: Parameters<Queue['unpark']>): Promise<number> {
    const count = await queue.unpark(...parked)
    sim.tally.count('job unparked', count)
    return count
  }

  return {
    take: (max, signal) => process.call('queue.take', () => hints.take(process, max, signal)),
    done: (taken) => process.call(`queue.done ${short(taken.job.messageId)}`, () => queue.done(taken), habits),
    release: (taken, dueAt) =>
      process.call(`queue.release ${short(taken.job.messageId)}`, () => queue.release(taken, dueAt), habits),
    park: (taken, gate, until) =>
      process.call(`queue.park ${short(taken.job.messageId)}`, () => park(taken, gate, until), habits),
    unpark: (which, max) => process.call('queue.unpark', () => unpark(which, max), habits),
    put: (job) => process.call(`queue.put ${short(job.messageId)}`, () => queue.put(job), habits),
    depth: () => process.call('queue.depth', () => queue.depth()),
  }
}

export function gateIndex({ process, engine: { index }, isRemote }: Gate): MessageIndex {
  const habits = { outlives: isRemote }
  return {
    apply: (projections, through) =>
      process.call(`index.apply through ${through}`, () => index.apply(projections, through), habits),
    position: () => process.call('index.position', () => index.position()),
    search: (query) => process.call('index.search', () => index.search(query)),
    stats: (query) => process.call('index.stats', () => index.stats(query)),
    errors: (query) => process.call('index.errors', () => index.errors(query)),
    overdue: (query) => process.call(`index.neglected ${query.kind}`, () => index.overdue(query)),
    tombstone: (id) => process.call(`index.tombstone ${short(id)}`, () => index.tombstone(id), habits),
    clear: () => process.call('index.clear', () => index.clear(), habits),
  }
}

export function gateRounds({ process, engine: { rounds }, isRemote }: Gate): RoundLock {
  return {
    begin: (name, at, notSince) =>
      process.call('rounds.begin', () => rounds.begin(name, at, notSince), { outlives: isRemote }),
  }
}

/** Who cannot reach the others goes by what it knows, and that is nothing: it is free to call. */
export function gateBreakers({ process, sim, engine: { breakers }, isRemote }: Gate): Breakers {
  const habits = { outlives: isRemote }
  return {
    ask: (provider, at) =>
      process.call<Permission>(`breakers.ask ${provider}`, async () => breakers.ask(provider, at), {
        ...habits,
        refused: () => FREE,
      }),
    report: (provider, ...told) =>
      void process
        .call(`breakers.tell ${provider}`, async () => breakers.report(provider, ...told), habits)
        .catch((error) => sim.faulted(process.name, error)),
    force: breakers.force,
    states: breakers.states,
    watch: breakers.watch,
  }
}

/** A request that has left arrives within seconds or never, whatever becomes of its sender. */
const ON_THE_WAY_MS = 2_000

export function gateProvider({ process }: Pick<Gate, 'process'>, carrier: Carrier): Provider {
  const { name, lookup } = carrier
  return {
    name,
    capabilities: { channels: ['sms'], reports: 'callback' },
    send: (attempt, signal) =>
      process.call(`${name}.send ${short(attempt.ref.messageId)}`, () => carrier.send(attempt, signal, process), {
        slowest: ON_THE_WAY_MS,
        outlives: true,
        refused: () => carrier.outOfReach,
      }),
    readCallback: async () => 'forged',
    ...(lookup === undefined
      ? {}
      : { lookup: (ref, id) => process.call(`${name}.lookup ${short(ref.messageId)}`, () => lookup(ref, id)) }),
  }
}
