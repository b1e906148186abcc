/**
 * (c): accepted → handed to the simulator → receipt → delivered in the log, sustained. A closed loop may accept more
 * than can be delivered; then the pace is adapted until the backlog no longer grows, and that pace is held for the whole
 * time to verify it.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { type ToRequest, toClosedLoop, toOpenLoop } from './accept.ts'
import { openLoad } from './measure.ts'
import { toSms } from './messages.ts'
import { backlogOf, growthOf, type Metrics } from './metrics.ts'
import type { Times } from './options.ts'
import { openGateway, receiptsAfter } from './server.ts'
import { runStretch, SAMPLE_MS, type Stretch } from './stretch.ts'
import type { System } from './target.ts'

export type EndToEnd = Readonly<{
  closedLoop: Stretch
  /** The sustained pace, and the faster ones that were tried before. */
  held: Stretch
  tries: readonly Stretch[]
  /** From the end of the load until everything was delivered, and until it was indexed; undefined after a timeout. */
  deliveredAfterSeconds: number | undefined
  indexedAfterSeconds: number | undefined
}>

/** While searching, a backlog of more than this many seconds is too long. */
const SEARCH = { more: 1.04, less: 0.92, boundSeconds: 0.8, recent: 5 }
const TRIES = 2
/** The first pace of the search when nothing was delivered yet. */
const SLOWEST = 100
/** A pace that cannot be sustained is multiplied by this. */
const SLOWER = 0.9
const CATCH_UP_SECONDS = 60

/** The receipts of (c): the simulator's default, and as late as real ones often are. */
export const RECEIPT_MS = { soon: 150, late: 3_000 } as const

/** Each of several rounds holds the pace for twice the time only. */
export async function measureEndToEnd(times: Times, receipts: keyof typeof RECEIPT_MS): Promise<EndToEnd> {
  const receiptMs = RECEIPT_MS[receipts]
  await using gateway = await openGateway({ config: receiptsAfter(receiptMs), tree: times.tree })
  return await sustain(gateway, { ...times, holdSeconds: 2 * times.seconds, receiptSeconds: receiptMs / 1000 })
}

type Sustaining = Times &
  Readonly<{
    holdSeconds?: number
    /** Messages that wait for a receipt are no backlog for this long. */
    receiptSeconds?: number
  }>

/** Finds the pace that a gateway can sustain, and holds it. */
export async function sustain(gateway: System, times: Sustaining): Promise<EndToEnd> {
  const { seconds, holdSeconds = 3 * seconds, receiptSeconds = 0 } = times
  // Receipts must arrive as fast as messages leave before anything is counted, and their delay is not counted itself.
  const warmUpSeconds = times.warmUpSeconds + receiptSeconds
  const short = { seconds: seconds / 2 + receiptSeconds, warmUpSeconds }
  const long = { seconds: holdSeconds + receiptSeconds, warmUpSeconds, receiptSeconds }
  const closedLoop = await runStretch(gateway, toClosedLoop(gateway, short), { receiptSeconds })

  const tries = closedLoop.sustained ? [await runStretch(gateway, toClosedLoop(gateway, long), { receiptSeconds })] : []
  if (tries.at(-1)?.sustained !== true) {
    await allDelivered(gateway)
    const from = Math.max(closedLoop.endToEndPerSecond, SLOWEST)
    const rate = await findPace(gateway, from, { seconds: 1.2 * seconds, receiptSeconds })
    tries.push(...(await holdPace(gateway, rate, long)))
  }
  const held = tries.pop() ?? closedLoop
  const endedAt = performance.now()
  const deliveredAfterSeconds = await allDelivered(gateway, endedAt)
  const indexedAfterSeconds = await caughtUp(gateway, ({ indexLag }) => indexLag === 0, endedAt)
  return { closedLoop, held, tries, deliveredAfterSeconds, indexedAfterSeconds }
}

/** Holds a pace, or slower ones until one is sustained. Returns all that were tried; the last one counts. */
export async function holdPace(
  gateway: System,
  from: number,
  times: Times & Pick<Sustaining, 'receiptSeconds'>,
  toRequest: ToRequest = toSms,
): Promise<readonly Stretch[]> {
  const { receiptSeconds = 0 } = times
  const tries: Stretch[] = []
  for (let rate = from; tries.at(-1)?.sustained !== true && tries.length < TRIES; rate *= SLOWER) {
    await allDelivered(gateway)
    tries.push(await runStretch(gateway, toOpenLoop(gateway, rate, times, toRequest), { rate, receiptSeconds }))
  }
  return tries
}

/** Waits until everything accepted was delivered, and returns the seconds since; undefined after a timeout. */
export const allDelivered = (gateway: System, since?: number): Promise<number | undefined> =>
  caughtUp(gateway, (metrics) => backlogOf(metrics) === 0, since)

type Search = Readonly<{ seconds: number; receiptSeconds?: number; toRequest?: ToRequest }>

/** Speeds up while the backlog is short and slows down while it is long. Returns slightly less than the final pace. */
export async function findPace(
  gateway: System,
  from: number,
  { seconds, receiptSeconds = 0, toRequest = toSms }: Search,
): Promise<number> {
  let rate = from
  const plan = toOpenLoop(gateway, rate, { seconds, warmUpSeconds: receiptSeconds }, toRequest)
  const boundSeconds = SEARCH.boundSeconds + receiptSeconds
  await using load = await openLoad({ ...plan, ports: gateway.ports })
  await load.started
  const samples = [await gateway.metrics()]
  const deliveredIn = (some: readonly Metrics[]): number => growthOf(some, ({ delivered }) => delivered)
  const deadline = performance.now() + seconds * 1000
  while (performance.now() < deadline) {
    await wait(SAMPLE_MS)
    const metrics = await gateway.metrics()
    samples.push(metrics)
    const isLong = backlogOf(metrics) > boundSeconds * deliveredIn(samples.slice(-SEARCH.recent))
    rate *= isLong ? SEARCH.less : SEARCH.more
    load.setRate(rate)
  }
  await load.report
  return 0.98 * deliveredIn(samples.slice(Math.floor(samples.length / 2)))
}

/** Seconds from `since` until the condition holds; undefined after a timeout. */
async function caughtUp(
  gateway: System,
  isSo: (metrics: Metrics) => boolean,
  since = performance.now(),
): Promise<number | undefined> {
  while (performance.now() - since < CATCH_UP_SECONDS * 1000) {
    if (isSo(await gateway.metrics())) return (performance.now() - since) / 1000
    await wait(SAMPLE_MS / 5)
  }
  return undefined
}
