/** What `pombo doctor` looks at in the cluster profile. It changes nothing. */

import type { Config } from '../config/config.ts'
import { openNats } from '../engines/nats/connection.ts'
import { JetStream } from '../engines/nats/jetstream.ts'
import { PARTITIONS } from '../engines/nats/streams.ts'
import { namesFor } from '../engines/nats/subjects.ts'
import { openPool } from '../engines/postgres/database.ts'
import { checkIsolation } from '../engines/postgres/isolation.ts'
import { checkSchema, type SchemaVersions } from '../engines/postgres/schema.ts'
import { openRedis } from '../engines/redis/connection.ts'
import { type Check, failed, passed, warned } from '../lib/check.ts'
import { reasonOf } from '../ports/unavailable.ts'

/** More than this between two clocks, and due times and deadlines are kept badly. */
const SKEW_MS = 1_000
const PATIENCE_MS = 5_000

export const checkCluster = async (config: Config): Promise<readonly Check[]> =>
  (
    await Promise.all([examineNats(config), examinePostgres(config), examineRedis(config), examineCallbacks(config)])
  ).flat()

async function examineNats({ natsUrl = '', natsPrefix, natsPartitions, natsReplicas }: Config): Promise<Check[]> {
  try {
    await using connection = await openNats({ url: natsUrl, name: 'pombo doctor' })
    const js = new JetStream(connection, Number(natsReplicas))
    const streams = await lookAtStreams(js, natsPrefix, natsPartitions)
    return [
      passed('NATS', `version ${connection.version}, JetStream`),
      ...streams.map((found) => toStreamCheck(found, Number(natsReplicas))),
      toClockCheck('NATS', streams.find(({ at }) => at !== undefined)?.at),
    ]
  } catch (error) {
    return [failed('NATS', reasonOf(error))]
  }
}

/** All that there are. Over how many the jobs are spread was decided when the log was made. */
async function lookAtStreams(js: JetStream, prefix: string, wanted: number): Promise<readonly Found[]> {
  const log = await look(js, namesFor(prefix, wanted).log)
  const names = namesFor(prefix, partitionsOf(log) ?? wanted)
  const { keys, contents, receipts, events, queues, breakers, gates, rounds, jobs } = names
  const others = [keys, contents, receipts, events, queues, breakers, gates, rounds, ...jobs]
  return [log, ...(await Promise.all(others.map((name) => look(js, name))))]
}

function partitionsOf({ info }: Found): number | undefined {
  const partitions = Number(info?.config.metadata?.[PARTITIONS])
  return partitions > 0 ? partitions : undefined
}

type Info = Readonly<{
  config: { num_replicas: number; metadata?: Readonly<Record<string, string>> }
  state: { messages: number }
  ts?: string
}>
type Found = Readonly<{ name: string; info?: Info; at?: Readonly<{ theirs: number; ours: number }>; reason?: string }>

async function look(js: JetStream, name: string): Promise<Found> {
  const asked = Date.now()
  try {
    const info = await js.api<Info>(`STREAM.INFO.${name}`)
    const ours = (asked + Date.now()) / 2
    return { name, info, ...(info.ts === undefined ? {} : { at: { theirs: Date.parse(info.ts), ours } }) }
  } catch (error) {
    return { name, reason: reasonOf(error) }
  }
}

function toStreamCheck({ name, info, reason }: Found, replicas: number): Check {
  const title = `stream ${name}`
  if (info === undefined) return warned(title, `${reason}; the first \`pombo serve\` makes it`)
  const { config, state } = info
  const detail = `${state.messages} messages on ${config.num_replicas} servers`
  return config.num_replicas === replicas
    ? passed(title, detail)
    : warned(title, `${detail}, and POMBO_NATS_REPLICAS asks for ${replicas}; the next \`pombo serve\` changes it`)
}

async function examinePostgres({ postgresUrl = '' }: Config): Promise<Check[]> {
  const pool = openPool(postgresUrl, 1)
  try {
    const schema = await checkSchema(pool)
    const asked = Date.now()
    const { rows } = await pool.query<{ now: Date; version: string }>(
      `select clock_timestamp() as now, current_setting('server_version') as version`,
    )
    const [row] = rows
    const at = row && { theirs: row.now.getTime(), ours: (asked + Date.now()) / 2 }
    const findings = await checkIsolation(pool)
    return [
      passed('PostgreSQL', `version ${row?.version}`),
      toSchemaCheck(schema),
      ...(findings.length === 0 ? [passed('row-level security', 'binds every tenant table')] : []),
      ...findings.map((finding) => failed('row-level security', finding)),
      toClockCheck('PostgreSQL', at),
    ]
  } catch (error) {
    return [failed('PostgreSQL', reasonOf(error))]
  } finally {
    await pool.end()
  }
}

/** Newer tables are as they should be in the middle of an upgrade or after a roll-back, and not for ever. */
function toSchemaCheck({ database, oldestCompatible, code }: SchemaVersions): Check {
  if (database === code) return passed('schema', `version ${database}, up to date`)
  const works = `it works with releases of schema ${oldestCompatible} and newer`
  return warned('schema', `version ${database}, newer than this release, which is of schema ${code}; ${works}`)
}

/** Limits go on without it, so its absence is no failure. */
async function examineRedis({ redisUrl = '' }: Config): Promise<Check[]> {
  try {
    await using connection = await openRedis(redisUrl)
    const [, version] = /redis_version:(\S+)/.exec(String(await connection.command('info', 'server'))) ?? []
    return [passed('Redis', `version ${version}`)]
  } catch (error) {
    return [warned('Redis', `${reasonOf(error)}; limits are decided in PostgreSQL, more slowly`)]
  }
}

function toClockCheck(whose: string, at: Found['at']): Check {
  const name = `clock of ${whose}`
  if (at === undefined) return warned(name, 'does not tell its time')
  const apart = Math.round(Math.abs(at.theirs - at.ours))
  return apart > SKEW_MS
    ? failed(name, `${apart} ms from ours; keep both by NTP`)
    : passed(name, `${apart} ms from ours`)
}

/** Whether the address that providers are told to call really leads here. */
async function examineCallbacks({ publicUrl }: Config): Promise<Check[]> {
  if (publicUrl === undefined) return [warned('callbacks', 'POMBO_PUBLIC_URL is not set, so no provider can report')]
  try {
    const { status } = await fetch(`${publicUrl}/health/live`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    if (status === 200) return [passed('callbacks', `${publicUrl} leads to a gateway`)]
    return [failed('callbacks', `${publicUrl}/health/live answers ${status}; correct POMBO_PUBLIC_URL or the proxy`)]
  } catch {
    return [warned('callbacks', `${publicUrl} does not answer; start a gateway with the role callbacks behind it`)]
  }
}
