/**
 * (f): the cost of a long queue. Slow recipients occupy every provider slot for five seconds each, so that everything
 * sent after them waits; then the queue drains. The timelines of the first and the last waiting message show how long
 * that took.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { toClosedLoop } from './accept.ts'
import { readMemory } from './cpu.ts'
import { measure } from './measure.ts'
import { readTimeline, SLOW_SECONDS, sendOne, sendSlow } from './messages.ts'
import type { Options } from './options.ts'
import { type Gateway, openGateway, receiptsAfter } from './server.ts'

export type Drain = Readonly<{
  waiting: number
  seconds: number
  microsPerMessage: number
  /** Whether the queue was complete before the first message was sent; otherwise the result is not valid. */
  heldBack: boolean
}>

export type Backlog = Readonly<{
  rssMb: number
  /** Before anything was sent, and the maximum while draining. */
  idleRssMb: number
  peakRssMb: number
  short: readonly Drain[]
  long: Drain
}>

const SHORT = 1000
const SHORT_ROUNDS = 3
/** The default of POMBO_CONCURRENCY. */
const CONCURRENCY = 512
const SETTLE_SECONDS = 4
const DRAIN_SECONDS = 120
const LOOK_MS = 200

/** Without a receipt delay: the latency of the simulated handset is not measured. */
const CONFIG = receiptsAfter(0)

export async function measureBacklog({ waiting, seconds, warmUpSeconds, tree }: Options): Promise<Backlog> {
  await using gateway = await openGateway({ config: CONFIG, tree })
  const { rssMb: idleRssMb } = readMemory(gateway.pid)
  const warm = await measure(gateway, toClosedLoop(gateway, { warmUpSeconds, seconds: seconds / 3 }))
  await drained(gateway, await sendOne(gateway))

  const short: Drain[] = []
  for (let round = 0; round < SHORT_ROUNDS; round += 1) {
    const held = await hold(gateway, SHORT, 1)
    short.push(await toDrain(gateway, held))
  }
  const fillSeconds = (1.3 * waiting) / warm.messagesPerSecond
  const held = await hold(gateway, waiting, Math.ceil((fillSeconds + 2 * SETTLE_SECONDS) / SLOW_SECONDS))
  await untilIndexed(gateway)
  const { rssMb } = readMemory(gateway.pid)
  const long = await toDrain(gateway, { ...held, completeAt: Date.now() })
  return { rssMb, idleRssMb, peakRssMb: readMemory(gateway.pid).peakMb, short, long }
}

type Held = Readonly<{ waiting: number; first: string; last: string; completeAt: number }>

/** Sends `waiting` messages while slow ones occupy every slot `rounds` times. */
async function hold(gateway: Gateway, waiting: number, rounds: number): Promise<Held> {
  await sendSlow(gateway, rounds * CONCURRENCY)
  const first = await sendOne(gateway)
  const plan = toClosedLoop(gateway, { warmUpSeconds: 0, seconds: DRAIN_SECONDS })
  await measure(gateway, { ...plan, requests: waiting - 2 })
  const last = await sendOne(gateway)
  return { waiting, first, last, completeAt: Date.now() }
}

/** Until everything is indexed, and then a while longer. */
export async function untilIndexed(gateway: Gateway): Promise<void> {
  const deadline = performance.now() + SETTLE_SECONDS * 1000
  while (performance.now() < deadline && (await gateway.metrics()).indexLag > 0) await wait(LOOK_MS)
  await wait((SETTLE_SECONDS * 1000) / 2)
}

async function toDrain(gateway: Gateway, { waiting, first, last, completeAt }: Held): Promise<Drain> {
  await drained(gateway, last)
  const from = (await readTimeline(gateway, first)).timeOf('HandoffAttempted') ?? Number.NaN
  const until = (await readTimeline(gateway, last)).timeOf('ProviderDelivered') ?? Number.NaN
  const ms = until - from
  return { waiting, seconds: ms / 1000, microsPerMessage: (ms * 1000) / waiting, heldBack: from >= completeAt }
}

/** A lane is first in, first out: when its last message is delivered, all are. */
async function drained(gateway: Gateway, last: string): Promise<void> {
  const deadline = performance.now() + DRAIN_SECONDS * 1000
  while ((await readTimeline(gateway, last)).status !== 'delivered') {
    if (performance.now() > deadline) throw new Error(`the queue did not drain within ${DRAIN_SECONDS} s`)
    await wait(LOOK_MS)
  }
}
