/** Everything that readers can ask an engine about the messages of a base, and the answers: an error is one too. */
import { openSealer } from '../../../src/engines/crypto/sealer.ts'
import { DatabaseDamaged } from '../../../src/engines/sqlite/damage.ts'
import { later, millis } from '../../../src/lib/time.ts'
import { START } from '../../../src/ports/event-log.ts'
import type { Filter } from '../../../src/ports/message-index.ts'
import { hours, NOON, someMessage } from '../../../src/ports/samples.contract.ts'
import { reasonOf } from '../../../src/ports/unavailable.ts'
import { MASTER_KEY, type PoweredEngine } from '../../power/engine.ts'
import type { Sample } from './base.ts'

/** JSON, or an error and whether it names the file. */
export type Answer = Readonly<{ kind: 'answer'; json: string } | { kind: 'error'; reason: string; isNamed: boolean }>
export type Answers = ReadonlyMap<string, Answer>

/** The name of a question begins with its kind. */
type Question = readonly [name: string, ask: () => unknown]

const { tenantId } = someMessage()
const { blind } = openSealer(MASTER_KEY)
const MOST = 1_000
const PATIENCE_MS = 8_000

export const toError = (error: unknown): Extract<Answer, { kind: 'error' }> => ({
  kind: 'error',
  reason: reasonOf(error),
  isNamed: error instanceof DatabaseDamaged && /pombo(-journal)?\.db/.test(error.message),
})

export async function answersOf(engine: PoweredEngine, samples: readonly Sample[]): Promise<Answers> {
  const answers = new Map<string, Answer>()
  for (const [name, ask] of questionsAbout(engine, samples)) {
    try {
      answers.set(name, { kind: 'answer', json: JSON.stringify((await patiently(ask)) ?? null) })
    } catch (error) {
      answers.set(name, toError(error))
    }
  }
  return answers
}

async function patiently(ask: () => unknown): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('no answer')), PATIENCE_MS)
  try {
    return await Promise.race([ask(), promise])
  } finally {
    clearTimeout(timer)
  }
}

function* questionsAbout(engine: PoweredEngine, samples: readonly Sample[]): Iterable<Question> {
  const { log, queue, challenges, retention } = engine
  yield ['order of the log', () => followAll(engine)]
  for (const { first } of samples) {
    const { id } = first.event.state
    yield [`timeline ${id}`, () => log.read(id)]
    yield [`content ${id}`, () => log.load(id)]
  }
  yield* listsOf(engine, samples)
  yield* figuresOf(engine)
  yield ['queue', async () => (await queue.depth()).map(({ ready, delayed }) => ready + delayed)]
  yield ['retention', () => retention.stored()]
  const [challenge] = samples
  yield [
    'challenges',
    () => challenges.ended(later(NOON, hours(1000)), MOST).then((all) => [challenge?.to, all.length]),
  ]
  // Whoever repeats a call is told so. Last, because a wrong answer changes the log.
  for (const { first } of samples) yield [`idempotency ${first.event.state.id}`, () => log.append(first)]
}

/** The positions and ids of all events. */
async function followAll({ log }: PoweredEngine): Promise<unknown> {
  const tip = await log.tip()
  const found: unknown[] = []
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), PATIENCE_MS / 2)
  for await (const page of log.follow(START, MOST, stop.signal)) {
    for (const { position, event } of page) found.push([position, event.id])
    if ((page.at(-1)?.position ?? 0) >= tip) stop.abort()
  }
  clearTimeout(timer)
  return found
}

function* listsOf({ index }: PoweredEngine, samples: readonly Sample[]): Iterable<Question> {
  const list = async (filter: Filter): Promise<unknown> => {
    const { rows, nextCursor } = await index.search({ tenantId, filter, limit: MOST })
    return [rows, nextCursor]
  }
  yield ['list', () => list({})]
  for (const { first, to } of samples) {
    const { id } = first.event.state
    yield [`by-id ${id}`, () => list({ id })]
    yield [`by-recipient ${id}`, () => list({ toKey: blind(tenantId, to as never) })]
  }
  for (const tag of ['welcome', 'spring', 'invoice', 'alert']) yield [`by-tag ${tag}`, () => list({ tag })]
  for (const text of ['Lisboa', 'Porto', 'Braga', 'spring', 'Handset']) yield [`by-text ${text}`, () => list({ text })]
  for (const status of ['delivered', 'failed', 'queued'] as const) yield [`by-status ${status}`, () => list({ status })]
  yield ['by-provider-id', () => list({ providerMessageId: 'SM1' })]
  yield ['by-provider', () => list({ provider: 'acme' })]
}

function* figuresOf({ index }: PoweredEngine): Iterable<Question> {
  const to = later(NOON, hours(24))
  for (const bucket of [86_400_000, 3_600_000, 60_000].map(millis)) {
    yield [`stats ${bucket}`, () => index.stats({ tenantId, from: NOON, to, bucket })]
  }
  yield ['stats part', () => index.stats({ tenantId, from: later(NOON, millis(1)), to, bucket: millis(1_000) })]
  yield ['errors', () => index.errors({ tenantId, limit: 100 })]
  for (const kind of ['silent', 'stalled'] as const) {
    yield [`overdue ${kind}`, () => index.overdue({ kind, through: to, limit: MOST })]
  }
}
