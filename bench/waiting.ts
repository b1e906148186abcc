/**
 * The cost of many messages that wait for an unreachable carrier: `node bin/node24.cjs bench/waiting.ts [200000]`. It
 * measures the CPU of the gateway meanwhile, the latency of other messages of the same tenant on another route, and how
 * long the drain takes once the carrier is reachable.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { SMSC } from '../test/support/fake-smsc.ts'
import { readThreads, toSplit } from './cpu.ts'
import { fill } from './fill.ts'
import { call, newRun, readTimeline, TEXT } from './messages.ts'
import { freePort, leaveNothingBehind } from './processes.ts'
import { type Gateway, openGateway, startPeer } from './server.ts'
import { say } from './step.ts'
import { whole } from './verdict.ts'

const MAX_MS = 25 * 60 * 1000
const IDLE_SECONDS = 30
const SETTLE_MINUTES = 3
const PROBES = 40
const PROBE_EVERY_MS = 100
const DRAIN_SECONDS = 900
/** The numbers of the unreachable carrier and of the simulator. */
const PREFIX = { away: '+4479', near: '+5511' }

type Lane = Readonly<{ ready: number; delayed: number; parked: number; taken: number }>

const toConfig = (port: number) => ({
  providers: [
    { name: 'near', kind: 'simulator', settings: { receipt_delay_ms: 0 } },
    { name: 'away', kind: 'smpp', settings: { host: '127.0.0.1', port, ...SMSC, binds: 2, window: 100 } },
  ],
  routes: (['near', 'away'] as const).map((name) => ({
    id: name,
    channel: 'sms',
    prefix: PREFIX[name],
    providers: [name],
  })),
})

async function queueDepth(gateway: Gateway): Promise<Lane> {
  const { lanes } = (await call(gateway, 'GET', '/v1/queue')) as { lanes: readonly Lane[] }
  const sum = (key: keyof Lane): number => lanes.reduce((total, lane) => total + lane[key], 0)
  return { ready: sum('ready'), delayed: sum('delayed'), parked: sum('parked'), taken: sum('taken') }
}

const usedBy = ({ pid }: Gateway): number => readThreads(pid).reduce((sum, { seconds }) => sum + seconds, 0)

/** The share of a core that the gateway uses while idle. */
async function measureIdle(gateway: Gateway): Promise<string> {
  const [before, since] = [readThreads(gateway.pid), performance.now()]
  await wait(IDLE_SECONDS * 1_000)
  const split = toSplit(before, readThreads(gateway.pid), gateway.pid, gateway.workers)
  const seconds = (performance.now() - since) / 1_000
  const toShare = (used: number): string => `${((100 * used) / seconds).toFixed(1)} %`
  const all = Object.values(split).reduce((sum, used) => sum + used, 0)
  const [first, second] = Object.entries(split).toSorted(([, one], [, other]) => other - one)
  const most = [first, second].flatMap((one) => (one === undefined ? [] : `${one[0]} ${toShare(one[1])}`))
  return `${toShare(all)} of a core (${most.join(', ')})`
}

/** The time from accept to handoff of messages on the other route. */
async function probe(gateway: Gateway): Promise<string> {
  const run = newRun()
  const ids: string[] = []
  for (let nth = 0; nth < PROBES; nth += 1) {
    const sms = { to: `${PREFIX.near}87654321`, message: TEXT, idempotency_key: `probe-${run}-${nth}` }
    const { id } = (await call(gateway, 'POST', '/v1/sms/send', sms)) as { id: string }
    ids.push(id)
    await wait(PROBE_EVERY_MS)
  }
  const times: number[] = []
  for (const id of ids) times.push(await handoverOf(gateway, id))
  times.sort((one, other) => one - other)
  const at = (share: number): string => whole(times[Math.min(times.length - 1, Math.floor(share * times.length))] ?? 0)
  return `p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, most ${at(1)} ms`
}

async function handoverOf(gateway: Gateway, id: string): Promise<number> {
  const deadline = performance.now() + 60_000
  while (performance.now() < deadline) {
    const { timeOf } = await readTimeline(gateway, id)
    const [created, handedOff] = [timeOf('MessageCreated'), timeOf('HandoffAccepted')]
    if (created !== undefined && handedOff !== undefined) return handedOff - created
    await wait(50)
  }
  return Number.POSITIVE_INFINITY
}

async function until(gateway: Gateway, withinSeconds: number, isSo: (lane: Lane) => boolean): Promise<number> {
  const began = performance.now()
  for (let lane = await queueDepth(gateway); ; lane = await queueDepth(gateway)) {
    const seconds = (performance.now() - began) / 1_000
    if (isSo(lane)) return seconds
    if (seconds > withinSeconds) throw new Error(`after ${withinSeconds} s there are ${JSON.stringify(lane)}`)
    await wait(500)
  }
}

async function main(waiting: number): Promise<void> {
  const port = await freePort()
  await using gateway = await openGateway({ config: toConfig(port) })
  say(`idle: ${await measureIdle(gateway)}; others: ${await probe(gateway)}`)
  await fill(gateway, waiting, PREFIX.away)
  const parkedIn = await until(gateway, DRAIN_SECONDS, ({ parked }) => parked >= waiting)
  say(`${whole(waiting)} waiting; all parked ${parkedIn.toFixed(1)} s after the last was accepted`)
  // Give the index, deferred writes and the first check of all jobs time to finish.
  for (let minute = 0; minute < SETTLE_MINUTES; minute += 1) {
    say(`after ${minute} minutes: ${await measureIdle(gateway)}`)
    await wait(60_000 - IDLE_SECONDS * 1_000)
  }
  say(`while they wait: ${await measureIdle(gateway)}; others: ${await probe(gateway)}`)
  const before = usedBy(gateway)
  await using _smsc = await startPeer('the SMSC', 'test/support/fake-smsc-main.ts', '--port', `${port}`)
  const began = performance.now()
  await until(gateway, 120, ({ parked }) => parked < waiting)
  const first = (performance.now() - began) / 1_000
  const others = await probe(gateway)
  await until(gateway, DRAIN_SECONDS, ({ ready, delayed, parked, taken }) => ready + delayed + parked + taken === 0)
  const seconds = (performance.now() - began) / 1_000
  say(`the carrier is reachable: the first was sent after ${first.toFixed(1)} s; others meanwhile: ${others}`)
  say(`all sent after ${seconds.toFixed(1)} s, with ${(usedBy(gateway) - before).toFixed(1)} s of CPU`)
}

leaveNothingBehind()
setTimeout(() => process.exit(1), MAX_MS).unref()
await main(Number(process.argv[2] ?? 200_000))
process.exit(0)
