/**
 * (f): memory while very many messages wait, and how long a gateway with a long queue takes to be ready after `kill -9`.
 * Slow recipients occupy the only provider slot, so that nothing else is sent.
 */
import { join } from 'node:path'
import { untilIndexed } from './backlog.ts'
import { readMemory } from './cpu.ts'
import { fill } from './fill.ts'
import type { Measured } from './measure.ts'
import { SLOW_SECONDS, sendSlow } from './messages.ts'
import { openFolder } from './processes.ts'
import { type Gateway, openGateway } from './server.ts'
import { startTimed } from './start.ts'

export type Standing = Readonly<{ waiting: number; filledPerSecond: number; rssMb: number; peakRssMb: number }>

export type Restart = Readonly<{
  waiting: number
  readySeconds: number
  /** A first start, with nothing to recover. */
  firstReadySeconds: number
  rssMb: number
}>

const ENV = { POMBO_CONCURRENCY: '1' }
/** Longer than filling takes. */
const HELD_SECONDS = 600

export async function measureStanding(waiting: number): Promise<Standing> {
  await using gateway = await openGateway({ env: ENV })
  const { messagesPerSecond: filledPerSecond } = await fillAndHold(gateway, waiting)
  await untilIndexed(gateway)
  await mustWait(gateway, waiting)
  const { rssMb, peakMb: peakRssMb } = readMemory(gateway.pid)
  return { waiting, filledPerSecond, rssMb, peakRssMb }
}

/** Killed right after the last message is accepted. */
export async function measureRestart(waiting: number): Promise<Restart> {
  using folder = openFolder()
  const env = { ...ENV, POMBO_DATA_DIR: join(folder.path, 'data') }
  const firstReadySeconds = await fillAndKill(env, waiting)
  const { gateway, readySeconds } = await startTimed({ env })
  await using restarted = gateway
  const { rssMb } = readMemory(restarted.pid)
  await mustWait(restarted, waiting)
  return { waiting, readySeconds, firstReadySeconds, rssMb }
}

async function fillAndKill(env: Readonly<Record<string, string>>, waiting: number): Promise<number> {
  const { gateway, readySeconds } = await startTimed({ env })
  await using filled = gateway
  await fillAndHold(filled, waiting)
  process.kill(filled.pid, 'SIGKILL')
  return readySeconds
}

async function fillAndHold(gateway: Gateway, waiting: number): Promise<Measured> {
  await sendSlow(gateway, HELD_SECONDS / SLOW_SECONDS)
  return await fill(gateway, waiting)
}

async function mustWait(gateway: Gateway, waiting: number): Promise<void> {
  const { queued } = await gateway.metrics()
  if (queued < waiting) throw new Error(`only ${queued} of ${waiting} messages are waiting`)
}
