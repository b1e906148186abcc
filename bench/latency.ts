/** (e): the latency of accepting in an open loop with random arrivals, at half of the full rate and at a low one. */
import { toOpenLoop } from './accept.ts'
import { type Measured, measure, medianBy } from './measure.ts'
import type { Options, Times } from './options.ts'
import { openGateway } from './server.ts'
import { formatRate, step } from './step.ts'
import { ms, type Verdict, whole } from './verdict.ts'

/** Alternating. */
export type Latencies = Readonly<{ half: readonly Measured[]; low: readonly Measured[] }>

const LOW_RATE = 500
const TARGET_MS = { half: 10, low: 5 }

/** `acceptRate` is the result of (b). */
export async function measureLatencies(options: Options, acceptRate: number): Promise<Latencies> {
  const [half, low]: [Measured[], Measured[]] = [[], []]
  const take = (rate: number, name: string) => step(`(e) ${name}`, () => measureLatency(rate, options), formatRate)
  for (let run = 1; run <= options.runs; run += 1) {
    half.push(...(await take(acceptRate / 2, `half the rate of (b), run ${run}`)))
    low.push(...(await take(LOW_RATE, `${LOW_RATE}/s, run ${run}`)))
  }
  return { half, low }
}

async function measureLatency(rate: number, times: Times): Promise<Measured> {
  await using gateway = await openGateway({ tree: times.tree })
  return await measure(gateway, toOpenLoop(gateway, rate, { ...times, warmUpSeconds: times.warmUpSeconds + 1 }))
}

/** The median by p99. */
export const medianLatency = (runs: readonly Measured[]): Measured | undefined =>
  runs.length === 0 ? undefined : medianBy(runs, ({ load }) => load.latency.p99)

export const latencyVerdicts = ({ half, low }: Latencies): readonly Verdict[] => [
  ...verdictsOf(medianLatency(half), 'half of (b)', TARGET_MS.half),
  ...verdictsOf(medianLatency(low), 'a low rate', TARGET_MS.low),
]

function verdictsOf(measured: Measured | undefined, name: string, targetMs: number): readonly Verdict[] {
  if (measured === undefined) return []
  const { latency, lateness } = measured.load
  const [part, of] = ['e', `at ${name}, ${whole(measured.messagesPerSecond)}/s`]
  const late = `the load generator itself was late by ${ms(lateness.p50)} (p50) and ${ms(lateness.p99)} (p99)`
  return [
    { part, what: `p50 ${of}`, measured: ms(latency.p50) },
    {
      part,
      what: `p99 ${of}`,
      measured: `${ms(latency.p99)}; ${late}`,
      target: `≤ ${targetMs} ms`,
      met: latency.p99 <= targetMs,
    },
    { part, what: `p99.9 ${of}`, measured: ms(latency.p999) },
  ]
}
