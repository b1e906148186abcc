/**
 * The kill test with real processes: clients send, the gateway is killed at random times and started again on the same
 * data, and at the end no message may be lost, sent twice or recorded wrongly.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { runPombo } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, type Gateway, type GatewayOptions, settingsFor } from '../support/gateway.ts'
import { type Dump, dumpIndex } from '../support/index-dump.ts'
import { mapInBatches } from '../support/map-in-batches.ts'
import { randomInteger, seededRandom } from '../support/random.ts'
import { RestartableGateway } from '../support/restartable-gateway.ts'
import { metric, post, search, untilIndexed } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { countUnknown, problemsOfKeys, problemsOfMessage, problemsOfReceptions, readReceptions } from './kill-checks.ts'
import { type AcceptedMessage, Load } from './kill-load.ts'

export type KillPlan = Readonly<{ kills: number; callers: number; seed: number; onProgress?: (text: string) => void }>

/** `problems` is empty on success; `figures` summarizes the run. */
export type Verdict = Readonly<{ problems: readonly string[]; figures: Readonly<Record<string, number>> }>

/** Slow calls, so that many are in flight at a kill; short waits for unknown outcomes and retries. */
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
const UP_MS = [50, 800] as const
/** Before every eighth kill, another gateway is killed while it starts, which interrupts recovery. */
const EARLY_EVERY = 8
const EARLY_KILL_MS = [100, 900] as const
const FINISHED_WITHIN_MS = 60_000

export async function runKills(plan: KillPlan): Promise<Verdict> {
  await using folder = await openFolder()
  const options: GatewayOptions = { folder: folder.path, config: CONFIG }
  await using site = new RestartableGateway(options)
  const startedAt = new Date()
  const load = await killUnderLoad(plan, site)
  const killedAt = new Date()

  const gateway = await site.current()
  await untilFinished(gateway)
  const { accepted, unexpected } = load
  const found = await mapInBatches(accepted, (promise) => find(gateway, promise))
  const messages = found.flatMap(({ message }) => message ?? [])
  const replays = (await mapInBatches(accepted, (promise) => problemsOfReplay(gateway, promise))).flat()
  const dumping = { queries: [{ tag: 'tag-1' }, { q: 'INVALID' }, { q: 'UNREACHABLE' }], from: startedAt, to: killedAt }
  const before = await dumpIndex(gateway, dumping)
  const { code } = await site.end('SIGTERM')
  const receptions = readReceptions(join(dataDirOf(folder.path), 'simulator.db'))
  const rebuilt = await rebuild(options, site, (next) => dumpIndex(next, dumping))

  const problems = [
    ...unexpected,
    ...(code === 0 ? [] : [`the last gateway ended with ${code}`]),
    ...problemsOfKeys(accepted),
    ...replays,
    ...problemsOfReceptions(receptions, messages),
    ...found.flatMap(({ promise, message }) => problemsOfMessage(promise, message, site.kills)),
    ...problemsOfDumps(before, rebuilt, accepted.length),
  ]
  const took = Math.round((killedAt.getTime() - startedAt.getTime()) / 1000)
  return { problems, figures: toFigures(plan, accepted, messages, { took, receptions: receptions.length }) }
}

/** No faults after the last kill. */
async function killUnderLoad({ kills, callers, seed, onProgress }: KillPlan, site: RestartableGateway): Promise<Load> {
  const random = seededRandom(seed)
  const load = new Load(site, callers, seed)
  for (let kill = 1; kill <= kills; kill += 1) {
    if (kill % EARLY_EVERY === 0) await site.killDuringStart(randomInteger(random, ...EARLY_KILL_MS))
    await site.start()
    await wait(randomInteger(random, ...UP_MS))
    await site.kill()
    onProgress?.(`kill ${kill} of ${kills}, ${load.accepted.length} messages`)
  }
  await site.start()
  await load.stop()
  return load
}

async function untilFinished(gateway: Gateway): Promise<void> {
  const options = { withinMs: FINISHED_WITHIN_MS, everyMs: 100 }
  await until('the queue to be empty', async () => (await metric(gateway, 'pombo_queue_jobs')) === 0, options)
  await untilIndexed(gateway, options)
  for (const status of ['queued', 'sending', 'sent']) {
    const isOver = async () => (await search(gateway, { status, limit: '1' })).items.length === 0
    await until(`nothing to be ${status}`, isOver, options)
  }
  await untilIndexed(gateway, options)
}

type Found = Readonly<{ promise: AcceptedMessage; message: MessageDetails | undefined }>

async function find(gateway: Gateway, promise: AcceptedMessage): Promise<Found> {
  const { status, body } = await gateway.call<MessageDetails>('GET', `/v1/sms/${promise.id}`)
  return { promise, message: status === 200 ? body : undefined }
}

/** The first answer came from a gateway that was killed since; the same key must still return it. */
async function problemsOfReplay(gateway: Gateway, { sms, id, answer }: AcceptedMessage): Promise<string[]> {
  const { status, text, body, headers } = await post(gateway, sms)
  const isSame = status === 202 && body.request_id === id && text === (answer ?? text)
  if (isSame && headers.get('idempotent-replayed') === 'true') return []
  return [`${sms.idempotency_key} was answered ${answer ?? id} and at the end ${status} ${text}`]
}

/** S2-REPLAY. */
async function rebuild(options: GatewayOptions, site: RestartableGateway, dump: (gateway: Gateway) => Promise<Dump>) {
  const { code, err } = await runPombo(['rebuild', '--json'], await settingsFor(options))
  assert.equal(code, 0, err)
  return dump(await site.start())
}

function problemsOfDumps(before: Dump, rebuilt: Dump, count: number): string[] {
  const listed = before.get('{}')
  const total = Array.isArray(listed) ? listed.length : 0
  return [
    ...(total === count ? [] : [`${count} messages were accepted and the index has ${total}`]),
    ...[...before]
      .filter(([query, found]) => JSON.stringify(found) !== JSON.stringify(rebuilt.get(query)))
      .map(([query]) => `S2-REPLAY: the rebuilt index answers ${query} differently`),
  ]
}

type Extra = Readonly<{ took: number; receptions: number }>

function toFigures(
  { kills }: KillPlan,
  accepted: readonly AcceptedMessage[],
  messages: readonly MessageDetails[],
  { took, receptions }: Extra,
): Record<string, number> {
  const statuses = Object.groupBy(messages, ({ status }) => status)
  return {
    kills,
    'killed while starting': Math.floor(kills / EARLY_EVERY),
    'seconds under load': took,
    messages: accepted.length,
    receptions,
    'keys retried': accepted.filter(({ tries }) => tries > 1).length,
    'of them stored before the answer was lost': accepted.filter(({ replayed }) => replayed).length,
    'dead letters': messages.filter(({ dead_letter: dead }) => dead).length,
    ...Object.fromEntries(Object.entries(statuses).map(([status, of]) => [status, of?.length ?? 0])),
    ...countUnknown(messages),
  }
}
