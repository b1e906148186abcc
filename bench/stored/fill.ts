/**
 * Fills a data folder through the embedded profile's own engine: every event is decided, journaled, sealed and filed as
 * by a gateway, with many messages in flight.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { type Config, loadConfig } from '../../src/config/config.ts'
import { loadSecrets } from '../../src/config/secrets.ts'
import { openClock } from '../../src/lib/clock.ts'
import type { Engines } from '../../src/ports/engines.ts'
import { openEmbedded } from '../../src/profiles/embedded.ts'
import { say } from '../step.ts'
import { whole } from '../verdict.ts'
import { type Corpus, pastOf } from './messages.ts'
import { appendPast, type Past } from './past.ts'

const IN_FLIGHT = 1_024
/** After so many messages the fill waits until the tables have them. */
const PAGE = 100_000
const LOOK_MS = 20

/** Messages per second, until all are in the tables and the engine is closed. */
export async function fillFolder(folder: string, corpus: Corpus): Promise<number> {
  const begunAt = performance.now()
  const config = loadConfig({ POMBO_DATA_DIR: folder }, (path) => readFileSync(path, 'utf8'))
  await appendAll(config, pastOf(corpus), (filled) => {
    if ((filled / PAGE) % 10 === 0) say(`${whole(filled)} of ${whole(corpus.messages)} messages`)
  })
  return (corpus.messages * 1000) / (performance.now() - begunAt)
}

/** Appends messages of the past, oldest first, to the data folder of these settings. No gateway may use it meanwhile. */
export async function appendAll(
  config: Config,
  messages: Iterable<Past>,
  onPage: (filled: number) => void = () => undefined,
): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const time = openClock(() => undefined)
  const opening = {
    config,
    secrets: loadSecrets(config),
    clock: time.now,
    time,
    opened,
    onFault: rethrow,
    logLine: (_level: string, message: string) => say(message),
  }
  const { engines } = await openEmbedded(opening)
  const source = messages[Symbol.iterator]()
  for (let filled = 0, page = PAGE; page === PAGE; filled += page) {
    page = 0
    const some = pageOf(source, () => {
      page += 1
    })
    const appendEach = async (): Promise<void> => {
      for (const past of some) await appendPast(engines.log, past)
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, appendEach))
    await filed(engines)
    if (page === PAGE) onPage(filled + page)
  }
}

function rethrow(error: unknown): never {
  throw error
}

/** The next messages, shared by all that are in flight. */
function* pageOf(source: Iterator<Past>, onMessage: () => void): Generator<Past> {
  for (let n = 0; n < PAGE; n += 1) {
    const { done, value } = source.next()
    if (done === true) return
    onMessage()
    yield value
  }
}

/** Until the tables have everything, so that the journal stays short. */
async function filed({ log, index }: Pick<Engines, 'log' | 'index'>): Promise<void> {
  const tip = await log.tip()
  while ((await index.position()) < tip) await wait(LOOK_MS)
}
