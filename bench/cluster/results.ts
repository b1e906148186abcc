/** The results of the cluster, and how they compare with the targets. */
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { RunInfo } from '../markdown.ts'
import type { Measured } from '../measure.ts'
import { limitVerdicts, rateOf } from '../results.ts'
import type { Stretch } from '../stretch.ts'
import { ms, share, signed, type Verdict, whole } from '../verdict.ts'
import type { Sync } from './broker.ts'
import type { ClusterEndToEnd, Lagging, Paced, Scale } from './end-to-end.ts'
import type { Fairness } from './fairness.ts'
import type { Foundation } from './foundation.ts'
import type { ClusterLimits } from './limits.ts'

/** (n0) */
export type Publishing = Readonly<{ sync: Sync; runs: readonly Measured[] }>
/** (n1) */
export type Accepting = Readonly<{ sync: Sync; apis: number; runs: readonly Measured[] }>

/** (n8): three brokers, each with a copy of every stream. */
export type Replicated = Readonly<{ accepting: readonly Measured[]; endToEnd?: ClusterEndToEnd }>

export type ClusterResults = RunInfo &
  Readonly<{
    publishing: readonly Publishing[]
    accepting: readonly Accepting[]
    endToEnd?: ClusterEndToEnd
    fairness?: Fairness
    foundation?: Foundation
    scaling: readonly Paced[]
    limits?: ClusterLimits
    replicated?: Replicated
  }>

export const TARGET = {
  accept: { default: 0.8, always: 0.7 },
  endToEnd: 3000,
  cpuMicros: 600,
  lagMs: 1000,
  fairMs: 250,
}

const SYNC: Readonly<Record<Sync, string>> = { default: 'synced by and by', always: 'synced before each answer' }

/** The result of (n0) with the same sync. */
export const publishRate = ({ publishing }: ClusterResults, sync: Sync): number | undefined =>
  rateOf(publishing.find((one) => one.sync === sync)?.runs)

/** The CPU of all processes per delivered message. */
export const cpuOf = ({ cpu }: Pick<Stretch, 'cpu'>): number =>
  Object.values(cpu).reduce((sum, micros) => sum + micros, 0)

export const nameOf = ({ apis, workers }: Scale): string => `${count(apis, 'api')} and ${count(workers, 'worker')}`

export const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`

export function toVerdicts(results: ClusterResults): readonly Verdict[] {
  const { publishing, endToEnd, fairness, foundation, scaling, limits, replicated } = results
  return [
    ...publishing.flatMap(publishVerdicts),
    ...acceptVerdicts(results),
    ...(endToEnd === undefined ? [] : endToEndVerdicts(endToEnd)),
    ...(endToEnd?.lagging === undefined ? [] : lagVerdicts(endToEnd.lagging)),
    ...(fairness === undefined ? [] : fairnessVerdicts(fairness)),
    ...(foundation === undefined ? [] : foundationVerdicts(foundation)),
    ...scaling.map(scalingVerdict),
    ...(limits === undefined ? [] : clusterLimitVerdicts(limits)),
    ...(replicated === undefined ? [] : replicatedVerdicts(replicated)),
  ]
}

function publishVerdicts({ sync, runs }: Publishing): readonly Verdict[] {
  const rate = rateOf(runs)
  return rate === undefined
    ? []
    : [{ part: 'n0', what: `Fastify and one publish, ${SYNC[sync]}`, measured: `${whole(rate)}/s` }]
}

function acceptVerdicts(results: ClusterResults): readonly Verdict[] {
  return results.accepting.flatMap(({ sync, apis, runs }) => {
    const rate = rateOf(runs)
    if (rate === undefined) return []
    const what = `durable 202, ${count(apis, 'api')}, ${SYNC[sync]}`
    const target = apis === 1 ? TARGET.accept[sync] : undefined
    return [{ part: 'n1', what, ...share(rate, publishRate(results, sync), '(n0)', target) }]
  })
}

function endToEndVerdicts({ scale, endToEnd: { held } }: ClusterEndToEnd): readonly Verdict[] {
  const { acceptedPerSecond, handedOffPerSecond, deliveredPerSecond, endToEndPerSecond } = held
  const steps = [acceptedPerSecond, handedOffPerSecond, deliveredPerSecond].map(whole).join(' → ')
  return [
    {
      part: 'n2',
      what: `end to end, ${nameOf(scale)}`,
      measured: `${whole(endToEndPerSecond)}/s`,
      target: `≥ ${whole(TARGET.endToEnd)}/s`,
      met: endToEndPerSecond >= TARGET.endToEnd,
    },
    {
      part: 'n2',
      what: 'CPU of all processes, the load generator included',
      measured: `${whole(cpuOf(held))} µs a message`,
      target: `≤ ${TARGET.cpuMicros} µs`,
      met: cpuOf(held) <= TARGET.cpuMicros,
    },
    { part: 'n2', what: 'accepted → handed off → delivered', measured: `${steps} /s` },
    {
      part: 'n2',
      what: `backlog over ${Math.round(held.load.seconds)} s`,
      measured: `${signed(held.backlogGrowthPerSecond)}/s, at most ${whole(held.backlogMax)}`,
      target: 'not growing',
      met: held.sustained,
    },
  ]
}

function lagVerdicts({ stretch, lag }: Lagging): readonly Verdict[] {
  const { p50, p99, max } = lag.latency
  const unshown = lag.unshown === 0 ? '' : `, ${whole(lag.unshown)} events never`
  return [
    { part: 'n3', what: `index lag at ${whole(stretch.acceptedPerSecond)}/s, p50`, measured: ms(p50) },
    {
      part: 'n3',
      what: `p99 of ${whole(lag.events)} events`,
      measured: `${ms(p99)}, at most ${ms(max)}${unshown}`,
      target: `≤ ${whole(TARGET.lagMs)} ms`,
      met: p99 <= TARGET.lagMs && lag.unshown === 0,
    },
  ]
}

function fairnessVerdicts({ waiting, waitingAtEnd, drainedPerSecond, singles, latency, firstMs }: Fairness) {
  const beside = `${whole(waiting)} of another tenant waiting, then ${whole(waitingAtEnd)} (${whole(drainedPerSecond)}/s)`
  return [
    { part: 'n4', what: 'accepted → handed off, p50', measured: `${ms(latency.p50)} beside ${beside}` },
    {
      part: 'n4',
      what: `p99 of ${whole(singles)} single messages`,
      measured: `${ms(latency.p99)}, at most ${ms(latency.max)}`,
      target: `≤ ${TARGET.fairMs} ms`,
      met: latency.p99 <= TARGET.fairMs && waitingAtEnd > 0,
    },
    { part: 'n4', what: 'the first message of a new tenant', measured: ms(firstMs) },
  ]
}

function foundationVerdicts({ rows, jobs }: Foundation): readonly Verdict[] {
  return [
    ...rows.map(({ perStatement, inserted, updated }) => ({
      part: 'n5',
      what: `PostgreSQL, ${whole(perStatement)} rows a statement`,
      measured: `${whole(inserted)} new rows/s, ${whole(updated)} changed rows/s`,
    })),
    {
      part: 'n5',
      what: `JetStream, a queue of ${whole(jobs.count)} jobs`,
      measured: `put ${whole(jobs.put)}/s, taken and acknowledged ${whole(jobs.takenAndDone)}/s`,
    },
  ]
}

const scalingVerdict = ({ scale, stretch }: Paced): Verdict => ({
  part: 'n6',
  what: `cost at ${whole(stretch.rate ?? 0)}/s, ${nameOf(scale)}`,
  measured: `${whole(cpuOf(stretch))} µs a message${stretch.sustained ? '' : ', with a growing backlog'}`,
})

function replicatedVerdicts({ accepting, endToEnd: measured }: Replicated): readonly Verdict[] {
  const rate = rateOf(accepting)
  return [
    ...(rate === undefined
      ? []
      : [{ part: 'n8', what: 'durable 202, 1 api, three brokers', measured: `${whole(rate)}/s` }]),
    ...(measured === undefined ? [] : [replicatedVerdict(measured)]),
  ]
}

const replicatedVerdict = ({ scale, endToEnd: { held } }: ClusterEndToEnd): Verdict => ({
  part: 'n8',
  what: `end to end, ${nameOf(scale)}, three brokers`,
  measured: `${whole(held.endToEndPerSecond)}/s, ${whole(cpuOf(held))} µs a message`,
})

function clusterLimitVerdicts(limits: ClusterLimits): readonly Verdict[] {
  const [unlimited, limited] = [rateOf(limits.unlimited), rateOf(limits.limited)]
  const ratio = unlimited === undefined || limited === undefined ? undefined : limited / unlimited
  const compared = limited === undefined ? undefined : omitUndefined({ rate: limited, ratio })
  return [
    ...(unlimited === undefined
      ? []
      : [{ part: 'n7', what: 'durable 202 without limits, 1 api', measured: `${whole(unlimited)}/s` }]),
    ...limitVerdicts('n7', compared, limits.decisions, 'without'),
  ]
}
