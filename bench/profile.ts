/** `--profile`: a CPU profile of the gateway under load, by thread and function. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { toClosedLoop } from './accept.ts'
import { toMail } from './email-mails.ts'
import { openRelay } from './email-relay.ts'
import { measure } from './measure.ts'
import { toSms } from './messages.ts'
import { backlogOf } from './metrics.ts'
import type { Options } from './options.ts'
import { openFolder } from './processes.ts'
import { openGateway } from './server.ts'
import type { System } from './target.ts'

type CallFrame = Readonly<{ functionName: string; url: string; lineNumber: number }>
type CpuProfile = Readonly<{
  nodes: readonly Readonly<{ id: number; callFrame: CallFrame }>[]
  samples: readonly number[]
  timeDeltas: readonly number[]
}>

const SHOWN = 30
const DRAIN_MS = 120_000
const ROOT = join(import.meta.dirname, '..')

export async function printProfile(options: Options): Promise<void> {
  using folder = openFolder()
  const nodeArgs = ['--cpu-prof', `--cpu-prof-dir=${folder.path}`]
  const { names, messages } = await load(options, nodeArgs)
  printProfiles(folder.path, messages, (_pid, thread) => names[thread])
}

/** `nameOf` names a profile; unnamed ones are skipped. */
export function printProfiles(
  folder: string,
  messages: number,
  nameOf: (pid: number, thread: number) => string | undefined,
): void {
  for (const file of readdirSync(folder).toSorted()) {
    // CPU.<date>.<time>.<pid>.<thread>.<sequence>.cpuprofile
    const [pid = 0, thread = 0] = file.split('.').slice(3, 5).map(Number)
    const name = nameOf(pid, thread)
    if (name === undefined) continue
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8')) as CpuProfile
    process.stdout.write(toText(name, profile, messages))
  }
}

const TEXTS = { open: openGateway, toRequest: toSms }
const MAILS = { open: openRelay, toRequest: toMail }

const isOfMail = ({ parts }: Options): boolean => parts.size === 1 && parts.has('k')

/** Everything accepted is also delivered, so that the profile has every step of each message. */
async function load(options: Options, nodeArgs: readonly string[]) {
  const { open, toRequest } = isOfMail(options) ? MAILS : TEXTS
  await using gateway = await open({ nodeArgs })
  const { cpu, load } = await measure(gateway, toClosedLoop(gateway, options, toRequest))
  const messages = await drained(gateway)
  process.stdout.write(`${Math.round(load.perSecond)} accepted a second; ${messages} messages in all; µs a message:\n`)
  process.stdout.write(`${JSON.stringify(cpu)}\n`)
  return { names: ['main', ...gateway.workers], messages }
}

/** Waits until everything accepted is delivered and indexed; returns the number of messages. */
export async function drained(gateway: System): Promise<number> {
  const deadline = performance.now() + DRAIN_MS
  while (performance.now() < deadline) {
    const metrics = await gateway.metrics()
    if (backlogOf(metrics) === 0 && metrics.indexLag === 0) return metrics.accepted
    await wait(200)
  }
  throw new Error(`not everything was delivered and indexed within ${DRAIN_MS / 1000} s`)
}

function toText(thread: string, { nodes, samples, timeDeltas }: CpuProfile, messages: number): string {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const selfMicros = new Map<string, number>()
  samples.forEach((id, index) => {
    const name = names.get(id) ?? ''
    selfMicros.set(name, (selfMicros.get(name) ?? 0) + (timeDeltas[index] ?? 0))
  })
  const rows = [...selfMicros].filter(([name]) => name !== '(idle)').toSorted(([, one], [, other]) => other - one)
  const busy = rows.reduce((sum, [, micros]) => sum + micros, 0)
  const lines = rows
    .slice(0, SHOWN)
    .map(
      ([name, micros]) =>
        `${(micros / messages).toFixed(2).padStart(8)} ${((100 * micros) / busy).toFixed(1).padStart(5)} %  ${name}`,
    )
  return `\n${thread}: ${(busy / messages).toFixed(1)} µs a message\n${lines.join('\n')}\n`
}

function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const path = url.replace(`file://${ROOT}/`, '')
  return `${functionName || '(anonymous)'}${path === '' ? '' : `  ${path}:${lineNumber + 1}`}`
}
