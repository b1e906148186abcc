/**
 * How long lists and statistics take with many stored messages, on both profiles:
 * `node bin/node24.cjs bench/lists.ts [--messages 1000000] [--profiles embedded,cluster]`.
 */
import { randomBytes } from 'node:crypto'
import { loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { openSealer } from '../src/engines/crypto/sealer.ts'
import { openPostgresIndex } from '../src/engines/postgres/postgres.ts'
import { instant } from '../src/lib/time.ts'
import { openCluster } from './cluster/cluster.ts'
import { openPostgres } from './cluster/postgres.ts'
import { readMachine } from './machine.ts'
import { writeResults } from './markdown.ts'
import type { Sender } from './messages.ts'
import { leaveNothingBehind, openFolder } from './processes.ts'
import { startTimed } from './start.ts'
import { say } from './step.ts'
import { fillFolder } from './stored/fill.ts'
import { fillIndex } from './stored/fill-index.ts'
import type { Corpus } from './stored/messages.ts'
import { askPairs } from './stored/pairs.ts'
import { type ListedProfile, toListMarkdown } from './stored/pairs-report.ts'

const MAX_MS = 60 * 60 * 1000

type Measured = Omit<ListedProfile, 'profile' | 'messages'>

async function measureEmbedded(corpus: Corpus): Promise<Measured> {
  using folder = openFolder()
  const dataDir = join(folder.path, 'data')
  const filledPerSecond = await fillFolder(dataDir, corpus)
  say(`embedded: filled at ${filledPerSecond.toFixed(0)}/s`)
  const { gateway } = await startTimed({ env: { POMBO_DATA_DIR: dataDir } })
  await using started = gateway
  return { filledPerSecond, asked: await askPairs(started, corpus) }
}

async function measureCluster(corpus: Corpus): Promise<Measured> {
  await using postgres = await openPostgres()
  await using database = await postgres.database()
  const masterKey = randomBytes(32)
  const filledPerSecond = await fill(database.appUrl, masterKey, corpus)
  await vacuum(database.adminUrl)
  say(`cluster: filled at ${filledPerSecond.toFixed(0)}/s`)
  const settings = { POMBO_MASTER_KEY: masterKey.toString('hex') }
  const plan = { sync: 'default', apis: 1, workers: 0, projectors: 1, settings } as const
  await using cluster = await openCluster({ ...postgres, database: async () => database }, plan)
  const sender: Sender = { port: cluster.ports[0] ?? 0, token: cluster.token }
  return { filledPerSecond, asked: await askPairs(sender, corpus) }
}

/** With all counts kept. */
async function fill(url: string, masterKey: Buffer, corpus: Corpus): Promise<number> {
  await using opened = await openPostgresIndex({ url })
  const filledPerSecond = await fillIndex(opened.index, openSealer(masterKey), corpus)
  while (await opened.keepCounts());
  return filledPerSecond
}

/** As autovacuum does after a while. */
async function vacuum(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query('vacuum analyze')
  await client.end()
}

const PROFILES = { embedded: measureEmbedded, cluster: measureCluster } as const

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      messages: { type: 'string', default: '1000000' },
      profiles: { type: 'string', default: Object.keys(PROFILES).join() },
      out: { type: 'string', default: join(import.meta.dirname, 'results') },
    },
  })
  const [begunAt, machine, load] = [performance.now(), readMachine(), loadavg()[0] ?? 0]
  const corpus: Corpus = { messages: Number(values.messages), until: instant(Date.now()) }
  const profiles: ListedProfile[] = []
  for (const profile of values.profiles.split(',')) {
    const measureProfile = PROFILES[profile as keyof typeof PROFILES]
    if (measureProfile === undefined) throw new Error(`--profiles are ${Object.keys(PROFILES).join()}`)
    profiles.push({ profile, messages: corpus.messages, ...(await measureProfile(corpus)) })
  }
  const at = new Date().toISOString()
  const results = { at, machine, load, tookSeconds: (performance.now() - begunAt) / 1000, profiles }
  writeResults(resolve(values.out), 'lists', results, toListMarkdown(results))
}

leaveNothingBehind()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))
setTimeout(() => process.exit(1), MAX_MS).unref()
await main()
process.exit(0)
