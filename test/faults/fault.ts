/** One fault under load, from the first message to the last check. Each fault only says what harm is done. */
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { until } from '../support/until.ts'
import { SteadyLoad } from './load.ts'
import { lookBack, type Verdict } from './look-back.ts'
import type { Site } from './site.ts'

/** What a fault does may be measured in kills or in seconds; each looks at its own. */
export type Measure = Readonly<{ kills: number; seconds: number }>
export type Plan = Measure & Readonly<{ rate: number; seed: number; onProgress: (text: string) => void }>

export type Scene = Readonly<{ site: Site; load: SteadyLoad; plan: Plan; note: (name: string, value: number) => void }>

export type Fault = Readonly<{
  name: string
  /** What a gateway promises of it: the name of the test. */
  promise: string
  usual: Measure
  brief: Measure
  /** Why it cannot be done here; undefined when it can. */
  lacks?: (site: Site) => string | undefined
  /** Does harm while the load goes on, undoes it, and tells what was not as it should be. */
  harm: (scene: Scene) => Promise<readonly string[]>
  /** What is to be looked at when the load is over and every message has come to its end. */
  afterwards?: (scene: Scene, messages: readonly MessageDetails[]) => Promise<readonly string[]>
}>

/** The load is in full swing before harm is done, and goes on for a while after it is undone. */
const LEAD_SECONDS = 1

export async function runFault(site: Site, fault: Fault, plan: Plan): Promise<Verdict> {
  const { rate, seed, onProgress } = plan
  const load = new SteadyLoad(site.apis, { name: `${fault.name}-${seed}`, rate, seed })
  const figures: Record<string, number> = {}
  const note = (name: string, value: number): void => {
    figures[name] = Math.round(value * 100) / 100
  }
  const scene = { site, load, plan, note }
  const beganAt = performance.now()
  const found: string[] = []
  try {
    await underLoad(load, LEAD_SECONDS * rate)
    found.push(...(await fault.harm(scene)))
    await underLoad(load, LEAD_SECONDS * rate)
  } finally {
    await load.stop()
  }
  note('seconds under load', (performance.now() - beganAt) / 1000)
  onProgress(`${load.promised.length} messages, waiting for the last`)
  const { messages, ...verdict } = await lookBack(site, load)
  found.push(...((await fault.afterwards?.(scene, messages)) ?? []))
  return { ...verdict, problems: [...found, ...verdict.problems], figures: { ...figures, ...verdict.figures } }
}

/** Until so many more messages are taken. */
export async function underLoad(load: SteadyLoad, count: number): Promise<void> {
  const enough = load.promised.length + count
  await until(`${count} more messages to be taken`, () => load.promised.length >= enough, { withinMs: 60_000 })
}
