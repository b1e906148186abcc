/** The checks of `pombo doctor` in the cluster profile. They change nothing. */
import type { Config } from '../config/config.ts'
import { storedInWords } from '../config/retention-words.ts'
import { sendersInWords } from '../config/sender-words.ts'
import { openNats } from '../engines/nats/connection.ts'
import { JetStream } from '../engines/nats/jetstream.ts'
import { PARTITIONS } from '../engines/nats/streams.ts'
import { namesFor } from '../engines/nats/subjects.ts'
import { storedSenders } from '../engines/postgres/access/stored-senders.ts'
import { Database, openPool } from '../engines/postgres/database.ts'
import { checkIsolation } from '../engines/postgres/isolation.ts'
import { postgresRetention } from '../engines/postgres/retention.ts'
import { checkSchema, type SchemaVersions } from '../engines/postgres/schema.ts'
import { openRedis } from '../engines/redis/connection.ts'
import { type Check, failed, passed, warned } from '../lib/check.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { reasonOf } from '../ports/unavailable.ts'

/** With more skew than this, due times and deadlines become unreliable. */
const MAX_SKEW_MS = 1_000
const TIMEOUT_MS = 5_000

export const checkCluster = async (config: Config): Promise<readonly Check[]> =>
  (await Promise.all([checkNats(config), checkPostgres(config), checkRedis(config), checkCallbacks(config)])).flat()

async function checkNats({ natsUrl = '', natsPrefix, natsPartitions, natsReplicas }: Config): Promise<Check[]> {
  try {
    await using connection = await openNats({ url: natsUrl, name: 'pombo doctor' })
    const js = new JetStream(connection, Number(natsReplicas))
    const streams = await findStreams(js, natsPrefix, natsPartitions)
    return [
      passed('NATS', `version ${connection.version}, JetStream`),
      ...streams.map((found) => toStreamCheck(found, Number(natsReplicas))),
      toClockCheck('NATS', streams.find(({ clocks }) => clocks !== undefined)?.clocks),
    ]
  } catch (error) {
    return [failed('NATS', reasonOf(error))]
  }
}

/** The number of job streams is fixed when the log stream is created, so it is read from there. */
async function findStreams(js: JetStream, prefix: string, wanted: number): Promise<readonly FoundStream[]> {
  const log = await findStream(js, namesFor(prefix, wanted).log)
  const names = namesFor(prefix, partitionsOf(log) ?? wanted)
  const { keys, contents, receipts, events, queues, breakers, gates, rounds, jobs } = names
  const others = [keys, contents, receipts, events, queues, breakers, gates, rounds, ...jobs]
  return [log, ...(await Promise.all(others.map((name) => findStream(js, name))))]
}

function partitionsOf({ info }: FoundStream): number | undefined {
  const partitions = Number(info?.config.metadata?.[PARTITIONS])
  return partitions > 0 ? partitions : undefined
}

type Info = Readonly<{
  config: { num_replicas: number; metadata?: Readonly<Record<string, string>> }
  state: { messages: number }
  ts?: string
}>
type Clocks = Readonly<{ theirs: number; ours: number }>
type FoundStream = Readonly<{ name: string; info?: Info; clocks?: Clocks; reason?: string }>

async function findStream(js: JetStream, name: string): Promise<FoundStream> {
  const asked = Date.now()
  try {
    const info = await js.api<Info>(`STREAM.INFO.${name}`)
    const ours = (asked + Date.now()) / 2
    return omitUndefined({
      name,
      info,
      clocks: info.ts === undefined ? undefined : { theirs: Date.parse(info.ts), ours },
    })
  } catch (error) {
    return { name, reason: reasonOf(error) }
  }
}

function toStreamCheck({ name, info, reason }: FoundStream, replicas: number): Check {
  const title = `stream ${name}`
  if (info === undefined) return warned(title, `${reason}; the first \`pombo serve\` creates it`)
  const { config, state } = info
  const detail = `${state.messages} messages on ${config.num_replicas} servers`
  return config.num_replicas === replicas
    ? passed(title, detail)
    : warned(title, `${detail}, and POMBO_NATS_REPLICAS asks for ${replicas}; the next \`pombo serve\` changes it`)
}

async function checkPostgres({ postgresUrl = '', tenants }: Config): Promise<Check[]> {
  const pool = openPool(postgresUrl, 1)
  try {
    const schema = await checkSchema(pool)
    const asked = Date.now()
    const { rows } = await pool.query<{ now: Date; version: string }>(
      `select clock_timestamp() as now, current_setting('server_version') as version`,
    )
    const [row] = rows
    const clocks = row && { theirs: row.now.getTime(), ours: (asked + Date.now()) / 2 }
    const findings = await checkIsolation(pool)
    const db = new Database(pool, checkSchema)
    const stored = await postgresRetention(db).stored()
    return [
      passed('PostgreSQL', `version ${row?.version}`),
      toSchemaCheck(schema),
      ...(findings.length === 0 ? [passed('row-level security', 'applies to every tenant table')] : []),
      ...findings.map((finding) => failed('row-level security', finding)),
      toClockCheck('PostgreSQL', clocks),
      passed('stored messages', storedInWords(stored)),
      passed('senders', sendersInWords(tenants, await storedSenders(db))),
    ]
  } catch (error) {
    return [failed('PostgreSQL', reasonOf(error))]
  } finally {
    await pool.end()
  }
}

/** A newer schema is normal during an upgrade and after a rollback, but not for long. */
function toSchemaCheck({ database, oldestCompatible, code }: SchemaVersions): Check {
  if (database === code) return passed('schema', `version ${database}, up to date`)
  const range = `it supports releases from schema ${oldestCompatible} on`
  return warned('schema', `version ${database}, newer than this release, which expects schema ${code}; ${range}`)
}

/** PostgreSQL decides limits while Redis is unreachable, so this is only a warning. */
async function checkRedis({ redisUrl = '' }: Config): Promise<Check[]> {
  try {
    await using connection = await openRedis(redisUrl)
    const [, version] = /redis_version:(\S+)/.exec(String(await connection.command('info', 'server'))) ?? []
    return [passed('Redis', `version ${version}`)]
  } catch (error) {
    return [warned('Redis', `${reasonOf(error)}; PostgreSQL decides limits, more slowly`)]
  }
}

function toClockCheck(server: string, clocks: Clocks | undefined): Check {
  const name = `clock of ${server}`
  if (clocks === undefined) return warned(name, 'the server does not report its time')
  const apart = Math.round(Math.abs(clocks.theirs - clocks.ours))
  return apart > MAX_SKEW_MS
    ? failed(name, `${apart} ms from ours; synchronize both with NTP`)
    : passed(name, `${apart} ms from ours`)
}

/** Whether the URL that providers call for callbacks reaches a gateway. */
async function checkCallbacks({ publicUrl }: Config): Promise<Check[]> {
  if (publicUrl === undefined)
    return [warned('callbacks', 'POMBO_PUBLIC_URL is not set, so providers cannot send callbacks')]
  try {
    const { status } = await fetch(`${publicUrl}/health/live`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (status === 200) return [passed('callbacks', `${publicUrl} reaches a gateway`)]
    return [failed('callbacks', `${publicUrl}/health/live answers ${status}; correct POMBO_PUBLIC_URL or the proxy`)]
  } catch {
    return [warned('callbacks', `${publicUrl} does not answer; start a gateway with the role callbacks behind it`)]
  }
}
