/**
 * One schedule: a storm in which everything may go wrong, then calm until all has come to rest, then
 * the questions. The seed decides everything, so a schedule runs again exactly as it ran.
 */
import { questionIndex } from './index-questions.ts'
import { SLOW } from './landscape.ts'
import { questionMessages } from './questions.ts'
import { Simulation, type Violation } from './simulation.ts'
import type { Counts } from './tally.ts'
import { onVirtualTime } from './virtual-timers.ts'
import { isAtRest, isWaiting, restless, toWorld, type World } from './world.ts'

export type Result = Readonly<{
  seed: number
  violations: readonly Violation[]
  counts: Counts
  steps: number
  /** Equal for two runs that were the same. */
  digest: string
}>

/** What went wrong, and the command that shows how. */
export const toReport = ({ seed, violations }: Result): string =>
  [
    `seed ${seed} fails; replay it with: node bin/node24.cjs test/crash/main.ts --seed ${seed} --trace`,
    ...violations.map(({ property, what }) => `  ${property} ${what}`),
  ].join('\n')

/** `print` gets every line of what happens. */
export async function runSchedule(seed: number, print?: (line: string) => void): Promise<Result> {
  const sim = new Simulation(seed, print)
  await onVirtualTime(sim.agenda, async () => {
    const world = toWorld(sim)
    await play(world)
    await questionMessages(world)
    await questionIndex(world)
    world.cluster.end()
  })
  const { violations, tally, agenda, trace } = sim
  return { seed, violations, counts: tally.counts(), steps: agenda.steps, digest: trace.digest() }
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

async function play(world: World): Promise<void> {
  const { sim, story, cluster } = world
  story.begin()
  brew(world)
  await runUntil(world, isWaiting, sim.chance.between(1, 5) * MINUTE)
  sim.calmDown()
  if (!(await runUntil(world, isWaiting, 2 * HOUR))) return complain(world)
  if (await isAtRest(world)) return

  sim.note('days of silence')
  cluster.restart('all', SLOW)
  if (!(await runUntil(world, isAtRest, 90 * HOUR))) return complain(world)
  story.submitAgain()
  if (!(await runUntil(world, isAtRest, 90 * HOUR))) complain(world)
}

/** Kills and restarts out of the blue, for as long as the storm lasts. */
function brew({ sim, cluster }: World): void {
  const { agenda, chance, weather } = sim
  const strike = (perMinute: number, act: () => void): void => {
    if (perMinute === 0) return
    agenda.after((chance.roll() * 2 * MINUTE) / perMinute, () => {
      if (sim.isCalm) return
      act()
      strike(perMinute, act)
    })
  }
  strike(weather.kills, () => cluster.kill())
  strike(weather.restarts, () => cluster.restart('any'))
}

const MOST_STEPS = 120_000

async function runUntil(world: World, isDone: (world: World) => Promise<boolean>, withinMs: number): Promise<boolean> {
  const { agenda } = world.sim
  const end = agenda.now + withinMs
  while (agenda.now < end && agenda.steps < MOST_STEPS) {
    await agenda.step()
    if (await isDone(world)) return true
  }
  return false
}

function complain(world: World): void {
  const names = restless(world).map(({ id, handoffState, phase }) => `${id} ${handoffState} ${phase}`)
  world.sim.violated(`does not come to rest: ${world.sim.outstanding} wait outside; ${names.join(', ')}`)
}
