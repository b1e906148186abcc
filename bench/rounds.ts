/**
 * What is compared with each other is measured in rounds, one after the other, so that changes of the machine affect
 * all of it. A ratio is the median of the ratios within the rounds.
 */
import { omitUndefined } from '../src/lib/omit-undefined.ts'
import { measureAccept, measureBare, measureBatch } from './accept.ts'
import { type EndToEnd, measureEndToEnd } from './end-to-end.ts'
import { measureLimited } from './limits.ts'
import { type Measured, medianBy } from './measure.ts'
import type { Options, Part } from './options.ts'
import type { PeerRun } from './peers/peer.ts'
import type { Peers } from './peers/peers.ts'
import { measureSmppClients, type SmppClients } from './smpp-clients.ts'
import { formatEndToEnd, formatRate, step } from './step.ts'
import { whole } from './verdict.ts'

export type Round = Readonly<{
  bare?: Measured
  accept?: Measured
  /** With receipts soon after the handoff, and late. */
  endToEnd?: EndToEnd
  endToEndLate?: EndToEnd
  batch?: Measured
  limited?: Measured
  kannel?: PeerRun
  bullmq?: PeerRun
  smppClients?: SmppClients
}>

export async function takeRounds(options: Options, peers: Peers): Promise<readonly Round[]> {
  const rounds: Round[] = []
  for (let nth = 1; nth <= options.runs; nth += 1) rounds.push(await takeRound(nth, options, peers))
  return rounds
}

async function takeRound(nth: number, options: Options, { kannel, bullmq }: Peers): Promise<Round> {
  const has = (...parts: readonly Part[]): boolean => parts.some((part) => options.parts.has(part))
  const once = async <Value>(
    isDue: boolean,
    name: string,
    take: () => Promise<Value>,
    format: (value: Value) => string,
  ): Promise<Value | undefined> => {
    const [value] = isDue ? await step(`${name}, round ${nth}`, take, format) : []
    return value
  }
  // (g) is compared with (b), (j) with (c); the rates of (e), (h) and (k) are derived from (b).
  const isFirst = nth === 1
  const accepts = has('b', 'g') || (isFirst && has('e', 'h', 'k'))
  const short = { ...options, seconds: options.seconds / 2 }
  return omitUndefined({
    bare: await once(has('a'), '(a) bare Fastify', () => measureBare(options), formatRate),
    accept: await once(accepts, '(b) durable 202', () => measureAccept(options), formatRate),
    kannel: kannel && (await once(has('c', 'l'), 'Kannel with fakesmsc', () => kannel(options), formatPeer)),
    bullmq: bullmq && (await once(has('c'), 'Fastify, BullMQ and Redis', () => bullmq(options), formatPeer)),
    endToEnd: await once(
      has('c') || (isFirst && has('j')),
      '(c) end to end',
      () => measureEndToEnd(options, 'soon'),
      formatEndToEnd,
    ),
    endToEndLate: await once(
      has('c'),
      '(c) receipts after 3 s',
      () => measureEndToEnd(options, 'late'),
      formatEndToEnd,
    ),
    batch: await once(has('d'), '(d) batches', () => measureBatch(short), formatRate),
    smppClients: await once(has('l'), '(l) SMPP clients', () => measureSmppClients(options), formatClients),
    limited: await once(has('g'), '(g) durable 202, limited', () => measureLimited(options), formatRate),
  })
}

const formatPeer = ({ load, endToEndPerSecond }: PeerRun): string =>
  `${whole(load.perSecond)}/s, end to end ${whole(endToEndPerSecond)}/s`

const formatClients = ({ acceptedPerSecond, endToEndPerSecond, receiptsPerSecond }: SmppClients): string =>
  `${whole(acceptedPerSecond)}/s, end to end ${whole(endToEndPerSecond)}/s, receipts ${whole(receiptsPerSecond)}/s`

/** The results of a part, one for each round in which it was measured. */
export const runsOf = <Name extends keyof Round>(
  rounds: readonly Round[],
  name: Name,
): readonly NonNullable<Round[Name]>[] =>
  rounds.flatMap((round) => {
    const run = round[name]
    return run === undefined ? [] : [run]
  })

/** Messages per second; from accept to the final state where that is what the part measures. */
export const RATE_OF = {
  bare: ({ bare }: Round) => bare?.messagesPerSecond,
  accept: ({ accept }: Round) => accept?.messagesPerSecond,
  endToEnd: ({ endToEnd }: Round) => endToEnd?.held.endToEndPerSecond,
  endToEndLate: ({ endToEndLate }: Round) => endToEndLate?.held.endToEndPerSecond,
  batch: ({ batch }: Round) => batch?.messagesPerSecond,
  limited: ({ limited }: Round) => limited?.messagesPerSecond,
  kannel: ({ kannel }: Round) => kannel?.endToEndPerSecond,
  bullmq: ({ bullmq }: Round) => bullmq?.endToEndPerSecond,
  smppClients: ({ smppClients }: Round) => smppClients?.endToEndPerSecond,
} as const satisfies Readonly<Record<keyof Round, (round: Round) => number | undefined>>

/** The median rate of a part. */
export const rateIn = (rounds: readonly Round[], name: keyof Round): number | undefined =>
  medianIn(rounds, RATE_OF[name])

/** A rate, and its ratio to another one. */
export type Compared = Readonly<{ rate: number; ratio?: number }>

/** The median rate of a part, and the median of its ratios to another part of the same round. */
export function compare(rounds: readonly Round[], name: keyof Round, other: keyof Round): Compared | undefined {
  const rate = rateIn(rounds, name)
  if (rate === undefined) return undefined
  const ratio = medianIn(rounds, (round) => {
    const [one, of] = [RATE_OF[name](round), RATE_OF[other](round)]
    return one === undefined || of === undefined ? undefined : one / of
  })
  return omitUndefined({ rate, ratio })
}

function medianIn<Some>(values: readonly Some[], read: (value: Some) => number | undefined): number | undefined {
  const numbers = values.map(read).filter((value) => value !== undefined)
  return numbers.length === 0 ? undefined : medianBy(numbers, Number)
}
