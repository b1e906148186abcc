/** The objects of one schedule, and whether they have finished. */
import type { MessageState } from '../../src/domain/message/state.ts'
import { isHandoffOver, isProviderOver } from '../../src/domain/message/states.ts'
import { inProcessBreakers } from '../../src/engines/shared/in-process-breakers.ts'
import { type MemoryEngine, openMemoryEngine } from '../memory/memory.ts'
import { openCarrier, type Reception } from './carrier.ts'
import { Cluster } from './cluster.ts'
import { faultyJobs } from './job-faults.ts'
import { drawScenario, type Scenario } from './scenario.ts'
import type { Simulation } from './simulation.ts'
import { Workload } from './workload.ts'

export type World = Readonly<{
  sim: Simulation
  scenario: Scenario
  engine: MemoryEngine
  cluster: Cluster
  workload: Workload
  inbox: readonly Reception[]
}>

export function toWorld(sim: Simulation): World {
  const scenario = drawScenario(sim.random)
  const { jobLease: lease, providers } = scenario
  const indexBodies = sim.random.happens(0.5)
  const breakers = inProcessBreakers(scenario.breaker)
  const engine = { ...openMemoryEngine({ clock: () => sim.scheduler.now, lease, indexBodies }), breakers }
  breakers.watch(({ provider, from, to }) => {
    sim.counters.count(BREAKER_TRANSITIONS[to])
    sim.note(`the breaker of ${provider}: ${from} → ${to}`)
  })
  const inbox: Reception[] = []
  const carriers = providers.map((provider) =>
    openCarrier(sim, { ...provider, inbox, report: (receipt) => workload.report(receipt) }),
  )
  const jobs = faultyJobs(sim, engine.log, engine.queue)
  const cluster = new Cluster({ sim, scenario, engine, jobs, carriers })
  const workload = new Workload(sim, cluster)
  return { sim, scenario, engine, cluster, workload, inbox }
}

const BREAKER_TRANSITIONS = {
  open: 'breaker opened',
  half_open: 'breaker half-open',
  closed: 'breaker closed',
} as const

/** Nothing is left but to wait for receipts, which may never arrive, or for the give-up deadline. */
export async function isWaiting(world: World): Promise<boolean> {
  const { sim, engine } = world
  if (sim.pending > 0) return false
  const states = latestStates(world)
  const held = states.filter(isHeld)
  const over = states.filter(({ handoffState }) => isHandoffOver(handoffState))
  if (held.length + over.length < states.length) return false
  const depths = await engine.queue.depth()
  const jobs = depths.reduce((sum, { ready, delayed, parked, taken }) => sum + ready + delayed + parked + taken, 0)
  return jobs <= held.length && (await engine.index.position()) === (await engine.log.tip())
}

export const isFinished = async (world: World): Promise<boolean> =>
  unfinishedMessages(world).length === 0 && (await isWaiting(world))

export const unfinishedMessages = (world: World): readonly MessageState[] =>
  latestStates(world).filter((state) => !isFinal(state))

/** Final unless the message is resent. */
export const isFinal = ({ handoffState, providerState }: MessageState): boolean =>
  handoffState === 'failed' || (isHandoffOver(handoffState) && isProviderOver(providerState))

/** Its outcome is unknown, and it waits for a receipt or a decision. */
const isHeld = ({ phase, handoffState }: MessageState): boolean => phase === 'unknown' && !isHandoffOver(handoffState)

const latestStates = ({ sim }: World): readonly MessageState[] =>
  [...sim.written.values()].flatMap((events) => events.at(-1)?.state ?? [])
