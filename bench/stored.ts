/**
 * What stored messages cost: `node bin/node24.cjs bench/stored.ts [--messages 10000,1000000,10000000]`. It fills data
 * folders, starts a gateway on each, and measures the start, accepting, sending, every search filter, statistics, disk and
 * memory. `--keep FOLDER` keeps the filled folders there and uses them again, with what the load of earlier runs added.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { instant } from '../src/lib/time.ts'
import { toClosedLoop } from './accept.ts'
import { readMemory } from './cpu.ts'
import { sustain } from './end-to-end.ts'
import { readMachine } from './machine.ts'
import { writeResults } from './markdown.ts'
import { measure } from './measure.ts'
import { leaveNothingBehind, openFolder } from './processes.ts'
import { startTimed } from './start.ts'
import { say } from './step.ts'
import { fillFolder } from './stored/fill.ts'
import type { Corpus } from './stored/messages.ts'
import { askAll } from './stored/questions.ts'
import { type Stored, toStoredMarkdown } from './stored/report.ts'
import { whole } from './verdict.ts'

const MAX_MS = 4 * 60 * 60 * 1000
const WARM_UP_SECONDS = 2

type Filled = Readonly<{ corpus: Corpus; filledPerSecond: number; bytesPerMessage: number }>

/** Fills the folder, unless an earlier run has. */
async function fillOnce(folder: string, messages: number): Promise<Filled> {
  const file = join(folder, 'filled.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Filled
  mkdirSync(folder, { recursive: true })
  const corpus = { messages, until: instant(Date.now()) }
  const filledPerSecond = await fillFolder(dataOf(folder), corpus)
  const filled = { corpus, filledPerSecond, bytesPerMessage: bytesIn(dataOf(folder)) / messages }
  writeFileSync(file, JSON.stringify(filled))
  return filled
}

const dataOf = (folder: string): string => join(folder, 'data')

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

async function measureStored(folder: string, messages: number, seconds: number): Promise<Stored> {
  const { corpus, filledPerSecond, bytesPerMessage } = await fillOnce(folder, messages)
  say(`${whole(messages)} messages: filled at ${whole(filledPerSecond)}/s, ${whole(bytesPerMessage)} bytes each`)
  const measured = await measureGateway(dataOf(folder), corpus, seconds)
  const readyAfterKillSeconds = await restart(dataOf(folder))
  say(`${whole(messages)} messages: ready after ${measured.readySeconds.toFixed(1)} s`)
  return { messages, filledPerSecond, bytesPerMessage, ...measured, readyAfterKillSeconds }
}

type Measured = Omit<Stored, 'messages' | 'filledPerSecond' | 'bytesPerMessage' | 'readyAfterKillSeconds'>

/** Ends with `kill -9`. */
async function measureGateway(dataDir: string, corpus: Corpus, seconds: number): Promise<Measured> {
  const { gateway: started, readySeconds } = await startTimed({ env: { POMBO_DATA_DIR: dataDir } })
  await using gateway = started
  const { rssMb } = readMemory(gateway.pid)
  const answers = await askAll(gateway, corpus)
  const times = { seconds, warmUpSeconds: WARM_UP_SECONDS }
  const { endToEndPerSecond } = (await sustain(gateway, { ...times, holdSeconds: 2 * seconds })).held
  const { messagesPerSecond: acceptPerSecond } = await measure(gateway, toClosedLoop(gateway, times))
  const { rssMb: rssAfterMb } = readMemory(gateway.pid)
  process.kill(gateway.pid, 'SIGKILL')
  return { readySeconds, acceptPerSecond, endToEndPerSecond, rssMb, rssAfterMb, answers }
}

async function restart(dataDir: string): Promise<number> {
  const { gateway, readySeconds } = await startTimed({ env: { POMBO_DATA_DIR: dataDir } })
  await gateway[Symbol.asyncDispose]()
  return readySeconds
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '10000,1000000,10000000' },
      seconds: { type: 'string', default: '5' },
      keep: { type: 'string' },
      out: { type: 'string', default: join(import.meta.dirname, 'results') },
    },
  })
  const counts = values.messages.split(',').map(Number)
  if (!counts.every((count) => Number.isSafeInteger(count) && count >= 1_000)) {
    throw new Error('--messages must be whole numbers from 1000, separated by commas')
  }
  const [begunAt, machine] = [performance.now(), readMachine()]
  const sizes: Stored[] = []
  for (const count of counts) {
    using temporary = values.keep === undefined ? openFolder() : undefined
    const folder = temporary?.path ?? join(resolve(values.keep ?? ''), `${count}`)
    sizes.push(await measureStored(folder, count, Number(values.seconds)))
  }
  const at = new Date().toISOString()
  const results = { at, machine, tookSeconds: (performance.now() - begunAt) / 1000, sizes }
  writeResults(resolve(values.out), 'stored', results, toStoredMarkdown(results))
}

leaveNothingBehind()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))
setTimeout(() => process.exit(1), MAX_MS).unref()
await main()
process.exit(0)
