/** Everything there is in one schedule, and whether it has come to rest. */
import type { MessageState } from '../../src/domain/message/state.ts'
import { isHandoffOver, isProviderOver } from '../../src/domain/message/states.ts'
import { inProcessBreakers } from '../../src/engines/shared/in-process-breakers.ts'
import { type MemoryEngine, openMemoryEngine } from '../memory/memory.ts'
import { openCarrier, type Reception } from './carrier.ts'
import { Cluster } from './cluster.ts'
import { toHints } from './hints.ts'
import { type Landscape, toLandscape } from './landscape.ts'
import type { Simulation } from './simulation.ts'
import { Story } from './story.ts'

export type World = Readonly<{
  sim: Simulation
  landscape: Landscape
  engine: MemoryEngine
  cluster: Cluster
  story: Story
  inbox: readonly Reception[]
}>

export function toWorld(sim: Simulation): World {
  const landscape = toLandscape(sim.chance)
  const { jobLease: lease, providers } = landscape
  const indexBodies = sim.chance.happens(0.5)
  const breakers = inProcessBreakers(landscape.breaker)
  const engine = { ...openMemoryEngine({ clock: () => sim.agenda.now, lease, indexBodies }), breakers }
  breakers.watch(({ provider, from, to }) => {
    sim.tally.count(BREAKER_TURNS[to])
    sim.note(`the breaker of ${provider}: ${from} → ${to}`)
  })
  const inbox: Reception[] = []
  const carriers = providers.map((provider) =>
    openCarrier(sim, { ...provider, inbox, report: (receipt) => story.report(receipt) }),
  )
  const hints = toHints(sim, engine.log, engine.queue)
  const cluster = new Cluster({ sim, landscape, engine, hints, carriers })
  const story = new Story(sim, cluster)
  return { sim, landscape, engine, cluster, story, inbox }
}

const BREAKER_TURNS = { open: 'breaker opened', half_open: 'breaker tried', closed: 'breaker closed' } as const

/** Nothing is left to be done but to wait for receipts that may never come, or until it is time to give up. */
export async function isWaiting(world: World): Promise<boolean> {
  const { sim, engine } = world
  if (sim.outstanding > 0) return false
  const states = latestStates(world)
  const held = states.filter(isHeld)
  const over = states.filter(({ handoffState }) => isHandoffOver(handoffState))
  if (held.length + over.length < states.length) return false
  const depths = await engine.queue.depth()
  const jobs = depths.reduce((sum, { ready, delayed, parked, taken }) => sum + ready + delayed + parked + taken, 0)
  return jobs <= held.length && (await engine.index.position()) === (await engine.log.tip())
}

export const isAtRest = async (world: World): Promise<boolean> =>
  restless(world).length === 0 && (await isWaiting(world))

export const restless = (world: World): readonly MessageState[] => latestStates(world).filter((state) => !isOver(state))

/** It ends here, unless somebody has it sent again. */
export const isOver = ({ handoffState, providerState }: MessageState): boolean =>
  handoffState === 'failed' || (isHandoffOver(handoffState) && isProviderOver(providerState))

/** Its outcome is unknown, and it waits until somebody knows. */
const isHeld = ({ phase, handoffState }: MessageState): boolean => phase === 'unknown' && !isHandoffOver(handoffState)

const latestStates = ({ sim }: World): readonly MessageState[] =>
  [...sim.written.values()].flatMap((events) => events.at(-1)?.state ?? [])
