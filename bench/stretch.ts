/** A period of load on a gateway, and what happened to the messages meanwhile. */

import { setTimeout as wait } from 'node:timers/promises'
import { omitUndefined } from '../src/lib/omit-undefined.ts'
import type { LoadReport } from './load.ts'
import { type LoadPlan, openLoad, type Watched, watchCpu } from './measure.ts'
import { backlogOf, growthOf, type Metrics, withAcceptedEarlier } from './metrics.ts'
import type { System } from './target.ts'

/** As counted by the gateway. */
export type Stretch = Watched &
  Readonly<{
    /** The requested pace; absent in a closed loop. */
    rate?: number
    load: LoadReport
    acceptedPerSecond: number
    handedOffPerSecond: number
    deliveredPerSecond: number
    /** The lower of the rates in and out: draining an earlier backlog does not count. */
    endToEndPerSecond: number
    backlogGrowthPerSecond: number
    backlogMax: number
    /** At the end. */
    rssMb: number
    /** The backlog did not grow, and the requested pace was reached. */
    sustained: boolean
  }>

export const SAMPLE_MS = 500
/** Growth below this share of the pace is noise. */
const STANDSTILL = 0.01

/** The requested pace of an open loop, and how long after the handoff receipts arrive. */
type Terms = Readonly<{ rate?: number; receiptSeconds?: number }>

/** Puts load on the gateway and counts the results. */
export async function runStretch(gateway: System, plan: LoadPlan, terms: Terms = {}): Promise<Stretch> {
  await using load = await openLoad({ ...plan, ports: gateway.ports })
  await load.started
  const stopWatch = watchCpu(gateway)
  const sampling = new AbortController()
  const sampled = sample(gateway, sampling.signal)
  const report = await load.report.finally(() => sampling.abort())
  const samples = await sampled
  return { ...toStretch(samples, report, terms, stopWatch), rssMb: gateway.rssMb() }
}

async function sample(gateway: System, signal: AbortSignal): Promise<readonly Metrics[]> {
  const samples = [await gateway.metrics()]
  do {
    await wait(SAMPLE_MS, undefined, { signal }).catch(() => undefined)
    samples.push(await gateway.metrics())
  } while (!signal.aborted)
  return samples
}

function toStretch(
  all: readonly Metrics[],
  load: LoadReport,
  { rate, receiptSeconds = 0 }: Terms,
  stopWatch: ReturnType<typeof watchCpu>,
): Omit<Stretch, 'rssMb'> {
  const samples = withAcceptedEarlier(all, receiptSeconds)
  const [first, last] = [samples.at(0), samples.at(-1)]
  if (first === undefined || last === undefined) throw new Error('nothing was sampled')
  const perSecond = (read: (metrics: Metrics) => number): number => (read(last) - read(first)) / (last.at - first.at)
  const growth = growthOf(samples, backlogOf)
  const accepted = perSecond((metrics) => metrics.accepted)
  const delivered = perSecond((metrics) => metrics.delivered)
  return omitUndefined({
    rate,
    load,
    acceptedPerSecond: accepted,
    handedOffPerSecond: perSecond((metrics) => metrics.handedOff),
    deliveredPerSecond: delivered,
    endToEndPerSecond: Math.min(accepted, delivered),
    backlogGrowthPerSecond: growth,
    backlogMax: Math.max(...samples.map(backlogOf)),
    sustained: growth <= STANDSTILL * accepted && load.perSecond >= 0.97 * (rate ?? 0),
    ...stopWatch(load, last.delivered - (all[0]?.delivered ?? 0)),
  })
}
