/**
 * The processes of a schedule. A crashed process is replaced later by one with a new name; a gracefully restarted one
 * first finishes its jobs.
 */

import { openIds } from '../../src/engines/crypto/ids.ts'
import type { EraseDeps } from '../../src/flows/admin/erase.ts'
import { deadLetter, type Poison } from '../../src/flows/send/dead-letter.ts'
import { type DispatchDeps, dispatch } from '../../src/flows/send/dispatch.ts'
import { Recovery } from '../../src/flows/send/recover.ts'
import type { ProjectedIndex } from '../../src/ports/message-index.ts'
import type { Job, Queue, Taken } from '../../src/ports/queue.ts'
import type { RoundLock } from '../../src/ports/round-lock.ts'
import { Gatekeeper } from '../../src/workers/gatekeeper.ts'
import { Polling } from '../../src/workers/polling.ts'
import { Projector } from '../../src/workers/projector.ts'
import { Runner } from '../../src/workers/runner.ts'
import { Ticker } from '../../src/workers/ticker.ts'
import type { MemoryEngine } from '../memory/memory.ts'
import type { Carrier } from './carrier.ts'
import type { FaultyJobs } from './job-faults.ts'
import { Process } from './process.ts'
import { FAST, type Intervals, isAlone, type Role, type Scenario } from './scenario.ts'
import {
  poisonedLog,
  simulatedAttempts,
  simulatedBreakers,
  simulatedIndex,
  simulatedLog,
  simulatedProvider,
  simulatedQueue,
  simulatedRounds,
} from './simulated-ports.ts'
import type { Simulation } from './simulation.ts'
import { CountingSlots, slotCheckedProvider } from './slot-invariants.ts'

export type Deps = DispatchDeps &
  Required<Pick<DispatchDeps, 'slots'>> &
  Pick<EraseDeps, 'webhookAttempts'> &
  Readonly<{ queue: Queue; index: ProjectedIndex; rounds: RoundLock }>

/** A process, its ports and its workers. */
export type Member = Readonly<{
  process: Process
  roles: readonly Role[]
  deps: Deps
  work: readonly AsyncDisposable[]
}>

export type ClusterDeps = Readonly<{
  sim: Simulation
  scenario: Scenario
  engine: MemoryEngine
  jobs: FaultyJobs
  carriers: readonly Carrier[]
}>

export class Cluster {
  readonly #deps: ClusterDeps
  readonly #members = new Map<number, Member>()
  #generation = 0
  #intervals = FAST

  constructor(deps: ClusterDeps) {
    this.#deps = deps
    for (const slot of deps.scenario.processes.keys()) this.#start(slot)
  }

  /** A random running process of this role. */
  any(role: Role): Member | undefined {
    const fit = [...this.#members.values()].filter(({ roles, process }) => roles.includes(role) && process.isAlive)
    return fit.length === 0 ? undefined : this.#deps.sim.random.pick(fit)
  }

  /** Kills a random process. */
  kill(): void {
    const { sim } = this.#deps
    const alive = [...this.#members.values()].filter(({ process }) => process.isAlive)
    if (alive.length === 0) return
    sim.counters.count('crash between calls')
    sim.random.pick(alive).process.crash()
  }

  /** Gracefully restarts every process, or a random one. */
  restart(which: 'all' | 'any', intervals: Intervals = this.#intervals): void {
    this.#intervals = intervals
    const alive = [...this.#members].filter(([, { process }]) => process.isAlive)
    if (alive.length === 0) return
    const chosen = which === 'all' ? alive : [this.#deps.sim.random.pick(alive)]
    for (const [slot, member] of chosen) this.#retire(slot, member)
  }

  /** Ends every process, so that no timer keeps waiting. */
  end(): void {
    for (const { process } of this.#members.values()) if (process.isAlive) process.retire()
  }

  #retire(slot: number, { process, work }: Member): void {
    const { sim } = this.#deps
    sim.note(`${process.name} is asked to end`)
    Promise.all(work.map((part) => part[Symbol.asyncDispose]())).then(
      () => {
        if (!process.isAlive) return
        sim.counters.count('graceful restart')
        process.retire()
        this.#start(slot)
      },
      (error) => sim.reportFault(process.name, error),
    )
  }

  #start(slot: number): void {
    const { sim, scenario } = this.#deps
    const roles = scenario.processes[slot] ?? []
    this.#generation += 1
    const process = new Process(sim, `p${slot}.${this.#generation}`, () => this.#restartLater(slot))
    sim.note(`${process.name} starts: ${roles.join(' ')}`)
    const deps = toDeps(this.#deps, process)
    const work = roles.flatMap((role) => startRole(sim, role, deps, { scenario, intervals: this.#intervals }))
    this.#members.set(slot, { process, roles, deps, work })
  }

  #restartLater(slot: number): void {
    const { sim } = this.#deps
    sim.scheduler.after(sim.random.integer(1, sim.random.pick([10, 2_000, 40_000])), () => this.#start(slot))
  }
}

function toDeps({ sim, scenario, engine, jobs, carriers }: ClusterDeps, process: Process): Deps {
  const { scheduler, random } = sim
  const gate = { sim, process, engine, jobs, isRemote: !isAlone(scenario) }
  return {
    log: simulatedLog(gate),
    queue: simulatedQueue(gate),
    index: simulatedIndex(gate),
    webhookAttempts: simulatedAttempts(gate),
    rounds: simulatedRounds(gate),
    breakers: simulatedBreakers(gate),
    slots: new CountingSlots(sim, scenario.slots),
    clock: () => scheduler.now,
    ids: openIds(sim.cryptoRandom()),
    dice: random.next,
    routes: { of: () => scenario.routes },
    tenants: { of: () => undefined, isLoaded: () => true },
    providers: new Map(
      carriers.map((carrier) => [
        carrier.name,
        slotCheckedProvider(sim, simulatedProvider(gate, carrier), scenario.slots),
      ]),
    ),
    worker: { owner: process.name, lease: scenario.lease, alone: isAlone(scenario) },
    timeout: scenario.timeout,
  }
}

type RoleOptions = Readonly<{ scenario: Scenario; intervals: Intervals }>

function startRole(
  sim: Simulation,
  role: Role,
  deps: Deps,
  { scenario, intervals }: RoleOptions,
): readonly AsyncDisposable[] {
  const { queue, log, index, clock, worker } = deps
  const onFault = (error: unknown): void => sim.reportFault(`${role} ${worker.owner}`, error)
  const recovery = new Recovery(deps, scenario.recoverAfter)
  const gatekeeper = new Gatekeeper(deps)
  const atWork = { ...deps, log: poisonedLog(sim, log) }
  const handle = (taken: Taken) => gatekeeper.watch(taken, () => dispatch(atWork, taken))
  const onPoison = ({ messageId }: Job, poison: Poison) => deadLetter(deps, messageId, poison)
  switch (role) {
    case 'api':
      return []
    case 'worker':
      return [
        new Runner({ queue, clock, handle, onFault, deadLetter: onPoison }, scenario.concurrency),
        new Ticker({ task: () => gatekeeper.look(), onFault }, intervals.gatesMs),
      ]
    case 'projector':
      return [new Projector({ log, index }, onFault)]
    case 'repairer':
      return [new Ticker({ task: () => recovery.round(), onFault }, intervals.repairMs)]
    case 'poller': {
      const polling = new Polling(deps)
      return [polling, new Ticker({ task: () => polling.round(), onFault }, intervals.pollMs)]
    }
  }
}
