/** The results of (c), beside bare Fastify and beside the peers. */
import { type EndToEnd, RECEIPT_MS } from './end-to-end.ts'
import { medianBy } from './measure.ts'
import { PEER_NAMES, PEERS, type PeerName } from './peers/peer.ts'
import { compare, type Round, rateIn, runsOf } from './rounds.ts'
import type { Stretch } from './stretch.ts'
import { TARGET } from './targets.ts'
import { backlogVerdict, shareOf, type Verdict, whole } from './verdict.ts'

type Name = 'endToEnd' | 'endToEndLate'
const RECEIPTS = { endToEnd: RECEIPT_MS.soon, endToEndLate: RECEIPT_MS.late }

/** The median by rate. */
export function medianEndToEnd(rounds: readonly Round[], name: Name): EndToEnd | undefined {
  const runs = runsOf(rounds, name)
  return runs.length === 0 ? undefined : medianBy(runs, ({ held }) => held.endToEndPerSecond)
}

export const endToEndVerdicts = (rounds: readonly Round[]): readonly Verdict[] => [
  ...verdictsOf(rounds, 'endToEnd'),
  ...verdictsOf(rounds, 'endToEndLate'),
  ...PEER_NAMES.flatMap((name) => peerVerdicts(rounds, name)),
]

function verdictsOf(rounds: readonly Round[], name: Name): readonly Verdict[] {
  const [median, compared] = [medianEndToEnd(rounds, name), compare(rounds, name, 'bare')]
  if (median === undefined || compared === undefined) return []
  const { held, deliveredAfterSeconds: delivered, indexedAfterSeconds: indexed } = median
  const { acceptedPerSecond, handedOffPerSecond, deliveredPerSecond } = held
  const steps = [acceptedPerSecond, handedOffPerSecond, deliveredPerSecond].map(whole).join(' → ')
  const receipts = `receipts after ${toDelay(RECEIPTS[name])}`
  const part = 'c'
  return [
    { part, what: `end to end, ${receipts}`, ...shareOf(compared, '(a)', TARGET.endToEnd) },
    { part, what: 'accepted → handed off → delivered', measured: `${steps} /s` },
    backlogVerdict(part, held),
    cpuVerdict(part, held),
    { part, what: 'RSS at the end', measured: `${whole(held.rssMb)} MB` },
    {
      part,
      what: 'index caught up after',
      measured: `${toSeconds(indexed)}, everything delivered after ${toSeconds(delivered)}`,
      target: `≤ ${TARGET.indexSeconds} s`,
      met: indexed !== undefined && indexed <= TARGET.indexSeconds,
    },
  ]
}

const toSeconds = (seconds: number | undefined): string => (seconds === undefined ? 'never' : `${seconds.toFixed(1)} s`)
const toDelay = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`)

/** The gateway with all its threads, without the load generator. */
function cpuVerdict(part: string, { cpu }: Stretch): Verdict {
  const { load = 0 } = cpu
  const micros = Object.values(cpu).reduce((sum, some) => sum + some, -load)
  return {
    part,
    what: 'CPU per message, all threads of the gateway',
    measured: `${whole(micros)} µs`,
    target: `≤ ${TARGET.cpuMicros} µs`,
    met: micros <= TARGET.cpuMicros,
  }
}

function peerVerdicts(rounds: readonly Round[], peer: PeerName): readonly Verdict[] {
  const [compared, rate] = [compare(rounds, 'endToEnd', peer), rateIn(rounds, peer)]
  if (compared?.ratio === undefined || rate === undefined) return []
  const { name, durable } = PEERS[peer]
  return [
    {
      part: 'c',
      what: `end to end beside ${name}, which ${durable ? 'syncs before it answers' : 'never syncs'}`,
      measured: `${compared.ratio.toFixed(2)} × ${whole(rate)}/s`,
      target: `≥ ${TARGET[peer]} × ${name}`,
      met: compared.ratio >= TARGET[peer],
    },
  ]
}
