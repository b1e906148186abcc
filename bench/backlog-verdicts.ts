/** The results of (f) compared with the targets. */
import type { Backlog, Drain } from './backlog.ts'
import { medianBy } from './measure.ts'
import type { Restart, Standing } from './standing-queue.ts'
import { TARGET } from './targets.ts'
import { type Verdict, whole } from './verdict.ts'

/** Drains of the same speed differ by this factor. */
const DRAIN_TOLERANCE = 1.05

export type Queues = Readonly<{ backlog?: Backlog; standing?: Standing; restart?: Restart }>

export const backlogVerdicts = ({ backlog, standing, restart }: Queues): readonly Verdict[] => [
  ...(backlog === undefined ? [] : [memoryVerdict(backlog), drainVerdict(backlog)]),
  ...(standing === undefined ? [] : [standingVerdict(standing)]),
  ...(restart === undefined ? [] : [restartVerdict(restart)]),
]

const memoryVerdict = ({ rssMb, idleRssMb, peakRssMb, long }: Backlog): Verdict => ({
  part: 'f',
  what: `RSS with ${whole(long.waiting)} waiting`,
  measured: `${whole(rssMb)} MB (idle ${whole(idleRssMb)}, peak ${whole(peakRssMb)})`,
  target: `≤ ${TARGET.rssMb} MB`,
  met: rssMb <= TARGET.rssMb,
})

function drainVerdict({ short, long }: Backlog): Verdict {
  const brief = medianBy(short, ({ seconds }) => seconds)
  const ratio = long.microsPerMessage / brief.microsPerMessage
  const eachOf = ({ microsPerMessage }: Drain): string => `${whole(microsPerMessage)} µs`
  const early = long.heldBack ? '' : ', started before the queue was complete'
  return {
    part: 'f',
    what: `draining, each of ${whole(long.waiting)} to each of ${whole(brief.waiting)}`,
    measured: `${ratio.toFixed(2)} × (${eachOf(long)} to ${eachOf(brief)}${early})`,
    target: `≤ 1 × (${DRAIN_TOLERANCE} for noise)`,
    met: long.heldBack && ratio <= DRAIN_TOLERANCE,
  }
}

const standingVerdict = ({ waiting, rssMb, peakRssMb, filledPerSecond }: Standing): Verdict => ({
  part: 'f',
  what: `RSS with ${whole(waiting)} waiting`,
  measured: `${whole(rssMb)} MB (peak ${whole(peakRssMb)}), filled at ${whole(filledPerSecond)}/s`,
  target: `≤ ${TARGET.mostRssMb} MB`,
  met: rssMb <= TARGET.mostRssMb,
})

const restartVerdict = ({ waiting, readySeconds, firstReadySeconds, rssMb }: Restart): Verdict => ({
  part: 'f',
  what: `ready after kill -9 with ${whole(waiting)} waiting`,
  measured: `${readySeconds.toFixed(1)} s (a first start takes ${firstReadySeconds.toFixed(1)}), RSS then ${whole(rssMb)} MB`,
  target: `≤ ${TARGET.readySeconds} s`,
  met: readySeconds <= TARGET.readySeconds,
})
