/** Runs one fault under load, from the first message to the last check. */
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { until } from '../support/until.ts'
import { checkAfterFault, type Verdict } from './after-fault.ts'
import { SteadyLoad } from './load.ts'
import type { Site } from './site.ts'

/** The extent of a fault, in kills or in seconds. */
export type Measure = Readonly<{ kills: number; seconds: number }>
export type Plan = Measure & Readonly<{ rate: number; seed: number; onProgress: (text: string) => void }>

export type Scene = Readonly<{ site: Site; load: SteadyLoad; plan: Plan; note: (name: string, value: number) => void }>

export type Fault = Readonly<{
  name: string
  /** The guarantee under this fault, used as the name of the test. */
  promise: string
  usual: Measure
  brief: Measure
  /** Why the fault cannot be injected here; undefined if it can. */
  lacks?: (site: Site) => string | undefined
  /** Injects the fault under load, removes it, and returns problems. */
  inject: (scene: Scene) => Promise<readonly string[]>
  /** Checks after the load, when every message has ended. */
  afterwards?: (scene: Scene, messages: readonly MessageDetails[]) => Promise<readonly string[]>
}>

/** The load runs this long before the fault is injected and after it is removed. */
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
    found.push(...(await fault.inject(scene)))
    await underLoad(load, LEAD_SECONDS * rate)
  } finally {
    await load.stop()
  }
  note('seconds under load', (performance.now() - beganAt) / 1000)
  onProgress(`${load.accepted.length} messages, waiting for the last`)
  const { messages, ...verdict } = await checkAfterFault(site, load)
  found.push(...((await fault.afterwards?.(scene, messages)) ?? []))
  return { ...verdict, problems: [...found, ...verdict.problems], figures: { ...figures, ...verdict.figures } }
}

/** Waits until `count` more messages are accepted. */
export async function underLoad(load: SteadyLoad, count: number): Promise<void> {
  const enough = load.accepted.length + count
  await until(`${count} more messages to be accepted`, () => load.accepted.length >= enough, { withinMs: 60_000 })
}
