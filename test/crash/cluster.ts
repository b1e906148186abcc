/**
 * The processes of a schedule. One that dies is replaced after a while by a new one with a new name;
 * one that is restarted in peace finishes what it has in hand first.
 */

import { openIds } from '../../src/engines/crypto/ids.ts'
import { recentLog } from '../../src/engines/decorators/recent-log.ts'
import { deadLetter, type Poison } from '../../src/flows/send/dead-letter.ts'
import { type DispatchDeps, dispatch } from '../../src/flows/send/dispatch.ts'
import { Recovery } from '../../src/flows/send/recover.ts'
import type { MessageIndex } from '../../src/ports/message-index.ts'
import type { Job, Queue, Taken } from '../../src/ports/queue.ts'
import type { RoundLock } from '../../src/ports/round-lock.ts'
import { Gatekeeper } from '../../src/workers/gatekeeper.ts'
import { Polling } from '../../src/workers/polling.ts'
import { Projector } from '../../src/workers/projector.ts'
import { Runner } from '../../src/workers/runner.ts'
import { Ticker } from '../../src/workers/ticker.ts'
import type { MemoryEngine } from '../memory/memory.ts'
import type { Carrier } from './carrier.ts'
import { crowdedProvider, WatchedSlots } from './crowded-provider.ts'
import { gateBreakers, gateIndex, gateLog, gateProvider, gateQueue, gateRounds, poisonedLog } from './gates.ts'
import type { Hints } from './hints.ts'
import { isAlone, type Landscape, LIVELY, type Pace, type Role } from './landscape.ts'
import { Process } from './process.ts'
import type { Simulation } from './simulation.ts'

export type Deps = DispatchDeps &
  Required<Pick<DispatchDeps, 'slots'>> &
  Readonly<{ queue: Queue; index: MessageIndex; rounds: RoundLock }>

/** A process with its work, as the outside reaches it. */
export type Member = Readonly<{
  process: Process
  roles: readonly Role[]
  deps: Deps
  work: readonly AsyncDisposable[]
}>

export type ClusterDeps = Readonly<{
  sim: Simulation
  landscape: Landscape
  engine: MemoryEngine
  hints: Hints
  carriers: readonly Carrier[]
}>

export class Cluster {
  readonly #deps: ClusterDeps
  readonly #members = new Map<number, Member>()
  #generation = 0
  #pace = LIVELY

  constructor(deps: ClusterDeps) {
    this.#deps = deps
    for (const slot of deps.landscape.processes.keys()) this.#start(slot)
  }

  /** Some living process of that role, if there is any. */
  any(role: Role): Member | undefined {
    const fit = [...this.#members.values()].filter(({ roles, process }) => roles.includes(role) && process.isAlive)
    return fit.length === 0 ? undefined : this.#deps.sim.chance.pick(fit)
  }

  /** Kills some process, wherever it stands. */
  kill(): void {
    const { sim } = this.#deps
    const alive = [...this.#members.values()].filter(({ process }) => process.isAlive)
    if (alive.length === 0) return
    sim.tally.count('crash between calls')
    sim.chance.pick(alive).process.crash()
  }

  /** Restarts every process in peace, or one that chance picks. */
  restart(which: 'all' | 'any', pace: Pace = this.#pace): void {
    this.#pace = pace
    const alive = [...this.#members].filter(([, { process }]) => process.isAlive)
    if (alive.length === 0) return
    const chosen = which === 'all' ? alive : [this.#deps.sim.chance.pick(alive)]
    for (const [slot, member] of chosen) this.#retire(slot, member)
  }

  /** Ends every process where it stands, so that nothing waits on for ever. */
  end(): void {
    for (const { process } of this.#members.values()) if (process.isAlive) process.retire()
  }

  #retire(slot: number, { process, work }: Member): void {
    const { sim } = this.#deps
    sim.note(`${process.name} is asked to end`)
    Promise.all(work.map((part) => part[Symbol.asyncDispose]())).then(
      () => {
        if (!process.isAlive) return
        sim.tally.count('graceful restart')
        process.retire()
        this.#start(slot)
      },
      (error) => sim.faulted(process.name, error),
    )
  }

  #start(slot: number): void {
    const { sim, landscape } = this.#deps
    const roles = landscape.processes[slot] ?? []
    this.#generation += 1
    const process = new Process(sim, `p${slot}.${this.#generation}`, () => this.#restartLater(slot))
    sim.note(`${process.name} starts: ${roles.join(' ')}`)
    const deps = toDeps(this.#deps, process)
    const work = roles.flatMap((role) => begin(sim, role, deps, { landscape, pace: this.#pace }))
    this.#members.set(slot, { process, roles, deps, work })
  }

  #restartLater(slot: number): void {
    const { sim } = this.#deps
    sim.agenda.after(sim.chance.between(1, sim.chance.pick([10, 2_000, 40_000])), () => this.#start(slot))
  }
}

function toDeps({ sim, landscape, engine, hints, carriers }: ClusterDeps, process: Process): Deps {
  const { agenda, chance } = sim
  const gate = { sim, process, engine, hints, isRemote: !isAlone(landscape) }
  const log = gateLog(gate)
  return {
    log: landscape.remembers ? recentLog(log) : log,
    queue: gateQueue(gate),
    index: gateIndex(gate),
    rounds: gateRounds(gate),
    breakers: gateBreakers(gate),
    slots: new WatchedSlots(sim, landscape.slots),
    clock: () => agenda.now,
    ids: openIds(sim.random()),
    dice: chance.roll,
    routes: { of: () => landscape.routes },
    providers: new Map(
      carriers.map((carrier) => [carrier.name, crowdedProvider(sim, gateProvider(gate, carrier), landscape.slots)]),
    ),
    worker: { owner: process.name, lease: landscape.lease, alone: isAlone(landscape) },
    timeout: landscape.timeout,
  }
}

type Manner = Readonly<{ landscape: Landscape; pace: Pace }>

function begin(sim: Simulation, role: Role, deps: Deps, { landscape, pace }: Manner): readonly AsyncDisposable[] {
  const { queue, log, index, clock, worker } = deps
  const onFault = (error: unknown): void => sim.faulted(`${role} ${worker.owner}`, error)
  const recovery = new Recovery(deps, landscape.patience)
  const gatekeeper = new Gatekeeper(deps)
  const atWork = { ...deps, log: poisonedLog(sim, log) }
  const handle = (taken: Taken) => gatekeeper.watch(taken, () => dispatch(atWork, taken))
  const bury = ({ messageId }: Job, poison: Poison) => deadLetter(deps, messageId, poison)
  switch (role) {
    case 'api':
      return []
    case 'worker':
      return [
        new Runner({ queue, clock, handle, onFault, deadLetter: bury }, landscape.hands),
        new Ticker({ task: () => gatekeeper.look(), onFault }, pace.gatesMs),
      ]
    case 'projector':
      return [new Projector({ log, index }, onFault)]
    case 'repairer':
      return [new Ticker({ task: () => recovery.round(), onFault }, pace.repairMs)]
    case 'poller': {
      const polling = new Polling(deps)
      return [polling, new Ticker({ task: () => polling.round(), onFault }, pace.pollMs)]
    }
  }
}
