/**
 * Fills a data folder through the embedded profile's own engine: every event is decided, journaled, sealed and filed as
 * by a gateway, with many messages in flight. Only the clock of the flows is that of each message, and no provider is
 * called.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { loadConfig } from '../../src/config/config.ts'
import { loadSecrets } from '../../src/config/secrets.ts'
import { openIds } from '../../src/engines/crypto/ids.ts'
import { record, toSeen } from '../../src/flows/record.ts'
import { toCreated } from '../../src/flows/send/accept.ts'
import { openClock } from '../../src/lib/clock.ts'
import { later } from '../../src/lib/time.ts'
import type { Engines } from '../../src/ports/engines.ts'
import { EMPTY, type EventLog } from '../../src/ports/event-log.ts'
import { openEmbedded } from '../../src/profiles/embedded.ts'
import { say } from '../step.ts'
import { whole } from '../verdict.ts'
import { type Corpus, createdAt, factsOf, submissionOf } from './messages.ts'

const IN_FLIGHT = 1_024
/** After so many messages the fill waits until the tables have them. */
const PAGE = 100_000
const LOOK_MS = 20

/** Messages per second, until all are in the tables and the engine is closed. */
export async function fillFolder(folder: string, corpus: Corpus): Promise<number> {
  const begunAt = performance.now()
  await appendAll(folder, corpus)
  return (corpus.messages * 1000) / (performance.now() - begunAt)
}

async function appendAll(folder: string, corpus: Corpus): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const config = loadConfig({ POMBO_DATA_DIR: folder }, (path) => readFileSync(path, 'utf8'))
  const time = openClock(() => undefined)
  const opening = {
    config,
    secrets: loadSecrets(config),
    clock: time.now,
    time,
    opened,
    onFault: rethrow,
    logLine: say,
  }
  const { engines } = await openEmbedded(opening)
  for (let from = 0; from < corpus.messages; from += PAGE) {
    const numbers = numbersOf(from, Math.min(from + PAGE, corpus.messages))
    await Promise.all(Array.from({ length: IN_FLIGHT }, () => appendEach(engines.log, corpus, numbers)))
    await filed(engines)
    if ((from / PAGE) % 10 === 9) say(`${whole(from + PAGE)} of ${whole(corpus.messages)} messages`)
  }
}

function rethrow(error: unknown): never {
  throw error
}

function* numbersOf(from: number, to: number): Generator<number> {
  for (let n = from; n < to; n += 1) yield n
}

/** Appends all events of one message after the other; the numbers are shared with the others in flight. */
async function appendEach(log: EventLog, corpus: Corpus, numbers: Generator<number>): Promise<void> {
  for (const n of numbers) await appendOne(log, corpus, n)
}

const ids = openIds()

async function appendOne(log: EventLog, corpus: Corpus, n: number): Promise<void> {
  const created = createdAt(corpus, n)
  const submission = submissionOf(corpus, n, ids)
  const event = toCreated({ log, ids, clock: () => created }, submission, 0)
  const result = await log.append({ seen: EMPTY, event, content: submission.content })
  if (result.kind !== 'appended') throw new Error(`message ${n} exists already`)
  let seen = toSeen({ revision: result.revision, event })
  for (const { fact, after } of factsOf(corpus, n)) {
    const recorded = await record({ log, ids, clock: () => later(created, after) }, seen, fact)
    if (recorded.kind !== 'recorded') throw new Error(`message ${n} was changed by somebody else`)
    seen = recorded.seen
  }
}

/** Until the tables have everything, so that the journal stays short. */
async function filed({ log, index }: Pick<Engines, 'log' | 'index'>): Promise<void> {
  const tip = await log.tip()
  while ((await index.position()) < tip) await wait(LOOK_MS)
}
