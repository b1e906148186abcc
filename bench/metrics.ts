/** The metrics of Pombo that the benchmark reads. */
export type Metrics = Readonly<{
  /** When they were read, in seconds. */
  at: number
  /** Single sends answered with 202. */
  accepted: number
  handedOff: number
  delivered: number
  /** Reached any final status. */
  ended: number
  /** Jobs in the queue, including those in flight. */
  queued: number
  /** Events that are not indexed yet. */
  indexLag: number
}>

/** The latter is the name in versions before, which has other labels now. */
const ENDED = '(?:pombo_messages_ended_total|pipeline_final_state_total)'

/** Sums the counters of several processes; shared gauges are taken from the first. */
export async function readMetrics(...ports: readonly number[]): Promise<Metrics> {
  const texts = await Promise.all(ports.map(read))
  const at = performance.now() / 1000
  const [first = ''] = texts
  const all = texts.join('\n')
  return {
    at,
    accepted: sum(all, 'pombo_accept_duration_seconds_count'),
    handedOff: sum(all, 'pombo_handoff_latency_seconds_count'),
    delivered: sum(all, ENDED, 'status="delivered"'),
    ended: sum(all, ENDED, 'status='),
    queued: sum(first, 'pombo_queue_jobs'),
    indexLag: sum(first, 'pombo_index_lag_events'),
  }
}

async function read(port: number): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
}

/** The sum of a metric over all labels, or over those that contain a text. */
function sum(text: string, name: string, label = ''): number {
  let total = 0
  for (const [, labels = '', value] of text.matchAll(new RegExp(`^${name}({[^}]*})? (\\S+)`, 'gm'))) {
    if (labels.includes(label)) total += Number(value)
  }
  return total
}

/** Messages that were accepted and are not final yet. */
export const backlogOf = ({ accepted, ended }: Metrics): number => accepted - ended

/**
 * The samples with the number of accepted messages as it was so many seconds earlier: a message whose receipt is not due
 * yet is no backlog. The first seconds are left out.
 */
export function withAcceptedEarlier(samples: readonly Metrics[], seconds: number): readonly Metrics[] {
  const [first] = samples
  if (first === undefined || seconds === 0) return samples
  return samples
    .filter(({ at }) => at - seconds >= first.at)
    .map((sample) => ({ ...sample, accepted: acceptedAt(samples, sample.at - seconds) }))
}

function acceptedAt(samples: readonly Metrics[], at: number): number {
  const index = samples.findIndex((sample) => sample.at >= at)
  const [before, after] = [samples[index - 1], samples[index]]
  if (after === undefined) throw new Error('nothing was sampled then')
  if (before === undefined) return after.accepted
  const share = (at - before.at) / (after.at - before.at)
  return before.accepted + share * (after.accepted - before.accepted)
}

/** The growth of a value per second: the slope of the linear regression. */
export function growthOf(samples: readonly Metrics[], read: (metrics: Metrics) => number): number {
  const meanAt = mean(samples.map(({ at }) => at))
  const meanValue = mean(samples.map(read))
  let [above, below] = [0, 0]
  for (const sample of samples) {
    above += (sample.at - meanAt) * (read(sample) - meanValue)
    below += (sample.at - meanAt) ** 2
  }
  return below === 0 ? 0 : above / below
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
