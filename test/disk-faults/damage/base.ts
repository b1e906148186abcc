/**
 * The files of a killed gateway: most messages are in the tables, some only in their write-ahead log, and the newest ones
 * only in the journal and its log.
 */
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Fact } from '../../../src/domain/message/events.ts'
import type { Content, Message } from '../../../src/domain/message/message.ts'
import { journalPathOf } from '../../../src/engines/sqlite/journal/journal-file.ts'
import { later, millis, seconds } from '../../../src/lib/time.ts'
import type { Entry } from '../../../src/ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  DEAD,
  delivered,
  hours,
  jobOf,
  NOON,
  nextEntry,
  phone,
  type Seen,
  someContent,
  someMessage,
} from '../../../src/ports/samples.contract.ts'
import type { Files } from '../../power/disk.ts'
import { openInOneThread, type PoweredEngine } from '../../power/engine.ts'
import { readFiles, writeFiles } from '../../power/folder-files.ts'
import { type Answers, answersOf } from './answers.ts'

/** `first` creates the message. */
export type Sample = Readonly<{ first: Entry; to: string }>
export type Base = Readonly<{ files: Files; samples: readonly Sample[] }>

const JOURNEYS: readonly (readonly Fact[])[] = [
  [],
  [ATTEMPTED],
  [ATTEMPTED, ACCEPTED],
  [ATTEMPTED, ACCEPTED, delivered()],
  [ATTEMPTED, DEAD],
]
const TAGS = ['welcome', 'spring', 'invoice', 'alert']
const CITIES = ['Lisboa', 'Porto', 'Braga', 'Faro', 'Beja']

export type BaseSize = Readonly<{ inTables: number; inLog: number; inJournal: number }>

export async function makeBase(scratch: string, { inTables, inLog, inJournal }: BaseSize): Promise<Base> {
  const folder = mkdtempSync(join(scratch, 'base-'))
  const path = join(folder, 'pombo.db')
  const old = await (async () => {
    await using engine = await openInOneThread(path)
    await startChallenge(engine)
    return await liveAll(engine, 0, inTables)
  })()
  await using engine = await openInOneThread(path)
  const filed = await liveAll(engine, inTables, inLog)
  // Searching files what is not in the tables yet.
  await engine.index.search({ tenantId: someMessage().tenantId, filter: {}, limit: 1 })
  const [before, newest] = [Math.floor(inJournal / 2), Math.ceil(inJournal / 2)]
  const moved = await liveAll(engine, inTables + inLog, before)
  {
    using journal = new DatabaseSync(journalPathOf(path))
    journal.exec('pragma wal_checkpoint(passive)')
  }
  const recent = await liveAll(engine, inTables + inLog + before, newest)
  return { files: readFiles(folder), samples: [...old, ...filed, ...moved, ...recent] }
}

/** One after the other: each event is a frame of its own. */
async function liveAll(engine: PoweredEngine, from: number, count: number): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  for (let nth = from; nth < from + count; nth += 1) samples.push(await live(engine, nth))
  return samples
}

async function live({ log }: PoweredEngine, nth: number): Promise<Sample> {
  const message: Message = someMessage({ createdAt: later(NOON, millis(nth * 700)) })
  const to = phone(`+3519${String(nth).padStart(8, '0')}`)
  const city = CITIES[nth % CITIES.length] ?? ''
  const content: Content = someContent({ to, tags: [TAGS[nth % TAGS.length] ?? ''], metadata: { city } })
  const first = createdEntry(message, content, jobOf(message))
  let newest: Seen = await append(log, first)
  for (const fact of JOURNEYS[nth % JOURNEYS.length] ?? []) {
    newest = await append(log, nextEntry(newest, fact, undefined, seconds(1 + (nth % 7))))
  }
  return { first, to }
}

export const CHALLENGE = { tenantId: someMessage().tenantId, id: someMessage().id }

async function startChallenge({ challenges }: PoweredEngine): Promise<void> {
  const terms = { maxAttempts: 5, expiresAt: later(NOON, hours(1)) }
  const { accountId } = someMessage()
  await challenges.begin({ ...CHALLENGE, ...terms, accountId, createdAt: NOON })
  await challenges.arm(CHALLENGE, { ...terms, hash: 'hash' as never })
  await challenges.claim(CHALLENGE, NOON)
}

/** What a sound copy answers. */
export async function expectedOf({ files, samples }: Base, scratch: string): Promise<Answers> {
  const folder = mkdtempSync(join(scratch, 'sound-'))
  writeFiles(folder, files)
  await using engine = await openInOneThread(join(folder, 'pombo.db'))
  return await answersOf(engine, samples)
}
