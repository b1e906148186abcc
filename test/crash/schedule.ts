/**
 * One schedule: a phase with faults, a phase without faults until every message is final, then the invariants. The seed
 * determines everything, so a schedule can be replayed exactly.
 */

import type { Counts } from './counters.ts'
import { checkIndex } from './index-invariants.ts'
import { checkMessages } from './invariants.ts'
import { SLOW } from './scenario.ts'
import { Simulation, type Violation } from './simulation.ts'
import { onVirtualTime } from './virtual-timers.ts'
import { isFinished, isWaiting, toWorld, unfinishedMessages, type World } from './world.ts'

export type Result = Readonly<{
  seed: number
  violations: readonly Violation[]
  counts: Counts
  steps: number
  /** Equal for identical runs. */
  digest: string
}>

/** The violations, and the command that replays them. */
export const toReport = ({ seed, violations }: Result): string =>
  [
    `seed ${seed} fails; replay it with: node bin/node24.cjs test/crash/main.ts --seed ${seed} --trace`,
    ...violations.map(({ property, what }) => `  ${property} ${what}`),
  ].join('\n')

/** `print` receives every line of the trace. */
export async function runSchedule(seed: number, print?: (line: string) => void): Promise<Result> {
  const sim = new Simulation(seed, print)
  await onVirtualTime(sim.scheduler, async () => {
    const world = toWorld(sim)
    await runPhases(world)
    await checkMessages(world)
    await checkIndex(world)
    world.cluster.end()
  })
  const { violations, counters, scheduler, trace } = sim
  return { seed, violations, counts: counters.counts(), steps: scheduler.steps, digest: trace.digest() }
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

async function runPhases(world: World): Promise<void> {
  const { sim, workload, cluster } = world
  workload.begin()
  scheduleProcessFaults(world)
  await runUntil(world, isWaiting, sim.random.integer(1, 5) * MINUTE)
  sim.endFaults()
  if (!(await runUntil(world, isWaiting, 2 * HOUR))) return reportUnfinished(world)
  if (await isFinished(world)) return

  sim.note('waiting for days')
  cluster.restart('all', SLOW)
  if (!(await runUntil(world, isFinished, 90 * HOUR))) return reportUnfinished(world)
  workload.submitAgain()
  if (!(await runUntil(world, isFinished, 90 * HOUR))) reportUnfinished(world)
}

/** Kills and restarts random processes during the phase with faults. */
function scheduleProcessFaults({ sim, cluster }: World): void {
  const { scheduler, random, faultRates } = sim
  const repeat = (perMinute: number, act: () => void): void => {
    if (perMinute === 0) return
    scheduler.after((random.next() * 2 * MINUTE) / perMinute, () => {
      if (sim.isFaultFree) return
      act()
      repeat(perMinute, act)
    })
  }
  repeat(faultRates.kills, () => cluster.kill())
  repeat(faultRates.restarts, () => cluster.restart('any'))
}

const MAX_STEPS = 120_000

async function runUntil(world: World, isDone: (world: World) => Promise<boolean>, withinMs: number): Promise<boolean> {
  const { scheduler } = world.sim
  const end = scheduler.now + withinMs
  while (scheduler.now < end && scheduler.steps < MAX_STEPS) {
    await scheduler.step()
    if (await isDone(world)) return true
  }
  return false
}

function reportUnfinished(world: World): void {
  const names = unfinishedMessages(world).map(({ id, handoffState, phase }) => `${id} ${handoffState} ${phase}`)
  world.sim.reportViolation(`does not finish: ${world.sim.pending} client calls pending; ${names.join(', ')}`)
}
