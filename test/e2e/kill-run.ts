/**
 * The crash test with real processes: callers send without pause, the gateway is killed at random
 * moments and started again on the same data, and in the end nothing is lost, doubled or pretended.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { runPombo } from '../support/command.ts'
import { between, seededDice } from '../support/dice.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, type Gateway, type GatewayOptions, settingsFor } from '../support/gateway.ts'
import { inFlight } from '../support/in-hands.ts'
import { type Dump, dumpIndex } from '../support/index-dump.ts'
import { metric, post, search, untilIndexed } from '../support/sms.ts'
import { Succession } from '../support/succession.ts'
import { until } from '../support/until.ts'
import { countUnknown, problemsOfKeys, problemsOfMessage, problemsOfReceptions, readReceptions } from './kill-checks.ts'
import { Load, type Promised } from './kill-load.ts'

export type KillPlan = Readonly<{ kills: number; callers: number; seed: number; onProgress?: (text: string) => void }>

/** `problems` is empty when all is well; `figures` is what to tell of the run. */
export type Verdict = Readonly<{ problems: readonly string[]; figures: Readonly<Record<string, number>> }>

/** Calls that take a while, so that many are under way at a kill; doubts and retries that do not take forever. */
const CONFIG = {
  providers: [{ name: 'simulator', kind: 'simulator', settings: { latency_ms: 15, receipt_delay_ms: 300 } }],
  routes: [
    {
      id: 'default',
      channel: 'sms',
      providers: ['simulator'],
      retry: { delays_seconds: [0.2, 0.5], max_attempts: 8 },
      unknown: { wait_seconds: 0.3 },
    },
  ],
}
const LIFE_MS = [50, 800] as const
/** So often one more is killed while it starts: recovery can be cut off too. */
const EARLY_EVERY = 8
const EARLY_LIFE_MS = [100, 900] as const
const QUIET_WITHIN_MS = 60_000

export async function runKills(plan: KillPlan): Promise<Verdict> {
  await using folder = await openFolder()
  const options: GatewayOptions = { folder: folder.path, config: CONFIG }
  await using site = new Succession(options)
  const startedAt = new Date()
  const load = await killUnderLoad(plan, site)
  const killedAt = new Date()

  const gateway = await site.up()
  await untilQuiet(gateway)
  const { promised, complaints } = load
  const found = await inFlight(promised, (promise) => find(gateway, promise))
  const messages = found.flatMap(({ message }) => message ?? [])
  const replays = (await inFlight(promised, (promise) => problemsOfReplay(gateway, promise))).flat()
  const dumping = { queries: [{ tag: 'tag-1' }, { q: 'INVALID' }, { q: 'UNREACHABLE' }], from: startedAt, to: killedAt }
  const before = await dumpIndex(gateway, dumping)
  const { code } = await site.end('SIGTERM')
  const receptions = readReceptions(join(dataDirOf(folder.path), 'simulator.db'))
  const rebuilt = await rebuild(options, site, (next) => dumpIndex(next, dumping))

  const problems = [
    ...complaints,
    ...(code === 0 ? [] : [`the last gateway ended with ${code}`]),
    ...problemsOfKeys(promised),
    ...replays,
    ...problemsOfReceptions(receptions, messages),
    ...found.flatMap(({ promise, message }) => problemsOfMessage(promise, message, site.deaths)),
    ...problemsOfDumps(before, rebuilt, promised.length),
  ]
  const took = Math.round((killedAt.getTime() - startedAt.getTime()) / 1000)
  return { problems, figures: toFigures(plan, promised, messages, { took, receptions: receptions.length }) }
}

/** The faults stop with the last kill: the gateway that runs afterwards is left alone. */
async function killUnderLoad({ kills, callers, seed, onProgress }: KillPlan, site: Succession): Promise<Load> {
  const dice = seededDice(seed)
  const load = new Load(site, callers, seed)
  for (let kill = 1; kill <= kills; kill += 1) {
    if (kill % EARLY_EVERY === 0) await site.startInVain(between(dice, ...EARLY_LIFE_MS))
    await site.start()
    await wait(between(dice, ...LIFE_MS))
    await site.kill()
    onProgress?.(`kill ${kill} of ${kills}, ${load.promised.length} messages`)
  }
  await site.start()
  await load.stop()
  return load
}

async function untilQuiet(gateway: Gateway): Promise<void> {
  const patience = { withinMs: QUIET_WITHIN_MS, everyMs: 100 }
  await until('the queue to be empty', async () => (await metric(gateway, 'pombo_queue_jobs')) === 0, patience)
  await untilIndexed(gateway, patience)
  for (const status of ['queued', 'sending', 'sent']) {
    const isOver = async () => (await search(gateway, { status, limit: '1' })).items.length === 0
    await until(`nothing to be ${status}`, isOver, patience)
  }
  await untilIndexed(gateway, patience)
}

type Found = Readonly<{ promise: Promised; message: MessageDetails | undefined }>

async function find(gateway: Gateway, promise: Promised): Promise<Found> {
  const { status, body } = await gateway.call<MessageDetails>('GET', `/v1/sms/${promise.id}`)
  return { promise, message: status === 200 ? body : undefined }
}

/** The first answer was given by a gateway that is long dead; what it said, a batch too, must still hold. */
async function problemsOfReplay(gateway: Gateway, { sms, id, answer }: Promised): Promise<string[]> {
  const { status, text, body, headers } = await post(gateway, sms)
  const isSame = status === 202 && body.request_id === id && text === (answer ?? text)
  if (isSame && headers.get('idempotent-replayed') === 'true') return []
  return [`${sms.idempotency_key} was answered ${answer ?? id} and in the end ${status} ${text}`]
}

/** S2-REPLAY. */
async function rebuild(options: GatewayOptions, site: Succession, look: (gateway: Gateway) => Promise<Dump>) {
  const { code, err } = await runPombo(['rebuild', '--json'], await settingsFor(options))
  assert.equal(code, 0, err)
  return look(await site.start())
}

function problemsOfDumps(before: Dump, rebuilt: Dump, count: number): string[] {
  const listed = before.get('{}')
  const total = Array.isArray(listed) ? listed.length : 0
  return [
    ...(total === count ? [] : [`${count} messages were promised and the index has ${total}`]),
    ...[...before]
      .filter(([query, found]) => JSON.stringify(found) !== JSON.stringify(rebuilt.get(query)))
      .map(([query]) => `S2-REPLAY: the rebuilt index answers ${query} otherwise than the index did`),
  ]
}

type Extra = Readonly<{ took: number; receptions: number }>

function toFigures(
  { kills }: KillPlan,
  promised: readonly Promised[],
  messages: readonly MessageDetails[],
  { took, receptions }: Extra,
): Record<string, number> {
  const statuses = Object.groupBy(messages, ({ status }) => status)
  return {
    kills,
    'killed while starting': Math.floor(kills / EARLY_EVERY),
    'seconds under load': took,
    messages: promised.length,
    receptions,
    'keys retried': promised.filter(({ tries }) => tries > 1).length,
    'of them stored before the answer was lost': promised.filter(({ replayed }) => replayed).length,
    'dead letters': messages.filter(({ dead_letter: dead }) => dead).length,
    ...Object.fromEntries(Object.entries(statuses).map(([status, of]) => [status, of?.length ?? 0])),
    ...countUnknown(messages),
  }
}
