/**
 * The streams, made where they are missing and brought up to our options where they are not. Any
 * number of processes may do so at once.
 *
 * How many streams the jobs are spread over is decided by whoever makes them first: a tenant's jobs
 * must be found where they were put.
 *
 * A stream carries the version of the options it was last given. An older release that starts on newer
 * streams leaves them as they are: during an upgrade, and after a roll-back, both work on them.
 */
import type { StreamConfig } from '@nats-io/jetstream'
import type { Millis } from '../../lib/time.ts'
import { seconds } from '../../lib/time.ts'
import { KEPT_FOR } from '../../ports/carrier-references.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type JetStream, JetStreamError } from './jetstream.ts'
import { pause } from './pause.ts'
import { type Names, namesFor } from './subjects.ts'

export type StreamOptions = Readonly<{
  prefix: string
  replicas: number
  partitions: number
  /** After this long the broker forgets events and their keys; zero is never. */
  maxAge: Millis
}>

type Config = Partial<StreamConfig> & { name: string }

/** What the log says in its metadata of how many streams the jobs are spread over. */
export const PARTITIONS = 'pombo_partitions'
const LAYOUT = 'pombo_layout'
/** Raised with every change of any stream's options. The release before must be able to work with the new ones. */
export const LAYOUT_VERSION = 1
/** A line nobody has used for this long is not looked at by a new process until somebody uses it again. */
const LINE_AGE = seconds(7 * 24 * 60 * 60)
/** Far longer than a job is parked without looking again, and whoever parks tells of the gate again. */
const GATE_AGE = seconds(7 * 24 * 60 * 60)
const IN_USE = 10058
/** A cluster that is just starting has no leader, or not yet all of its nodes. */
const STARTING_MS = 10_000
const AGAIN_MS = 100

export async function openStreams(js: JetStream, options: StreamOptions): Promise<Names> {
  const { prefix, replicas, maxAge } = options
  const common = { storage: 'file', num_replicas: replicas, allow_direct: true } as const
  const age = { max_age: nanos(maxAge) }
  const { log, keys, lines, breakers, event, anyLine, breaker } = namesFor(prefix, options.partitions)

  const metadata = { [PARTITIONS]: String(options.partitions) }
  const made = await ensureStream(js, { ...common, ...age, name: log, subjects: [event('*')], metadata })
  const names = namesFor(prefix, Number(made.metadata?.[PARTITIONS] ?? options.partitions))
  await Promise.all([
    ensureStream(js, { ...common, ...age, name: keys, subjects: [`${prefix}.keys.*.*`], max_msgs_per_subject: 1 }),
    ensureStream(js, {
      ...common,
      name: lines,
      subjects: [anyLine],
      max_msgs_per_subject: 1,
      max_age: nanos(LINE_AGE),
    }),
    ensureStream(js, { ...common, name: breakers, subjects: [breaker('*')], max_msgs_per_subject: 1 }),
    ensureStream(js, {
      ...common,
      name: names.gates,
      subjects: [names.gate('*')],
      max_msgs_per_subject: 1,
      max_age: nanos(GATE_AGE),
    }),
    ensureStream(js, {
      ...common,
      name: names.receipts,
      subjects: [names.anyReceipt],
      max_msgs_per_subject: 1,
      max_age: nanos(KEPT_FOR),
    }),
    ensureStream(js, {
      ...common,
      name: names.rounds,
      subjects: [names.anyRound, names.swept('*')],
      max_msgs_per_subject: 1,
    }),
    ensureStream(js, { ...common, ...age, name: names.contents, subjects: [names.piece('*', '*', '*')] }),
    ...names.jobs.map((name, partition) =>
      ensureStream(js, {
        ...common,
        name,
        subjects: names.subjectsOf(partition),
        retention: 'workqueue',
        allow_msg_schedules: true,
        // A newer job of a message takes the place of the older one.
        max_msgs_per_subject: 1,
        // Costs the broker about 3 µs a job where nobody listens, and nothing while there are no jobs.
        republish: names.announcements(partition),
      }),
    ),
  ])
  return names
}

/** The stream as it is from now on. What an existing one says of itself in its metadata stays. */
export async function ensureStream(js: JetStream, options: Config, version = LAYOUT_VERSION): Promise<Config> {
  const config = { ...options, metadata: { ...options.metadata, [LAYOUT]: String(version) } }
  for (const began = performance.now(); ; await pause(AGAIN_MS)) {
    try {
      return await createOrUpdate(js, config, version)
    } catch (error) {
      if (!(error instanceof Unavailable) || performance.now() - began > STARTING_MS) throw error
    }
  }
}

async function createOrUpdate(js: JetStream, config: Config, version: number): Promise<Config> {
  const { name } = config
  try {
    return (await js.api<{ config: Config }>(`STREAM.CREATE.${name}`, config)).config
  } catch (error) {
    if (!(error instanceof JetStreamError && error.code === IN_USE)) throw error
    const existing = (await js.api<{ config: Config }>(`STREAM.INFO.${name}`)).config
    // Streams from before versions were noted have none.
    if (Number(existing.metadata?.[LAYOUT] ?? 0) > version) return existing
    const metadata = { ...config.metadata, ...existing.metadata, [LAYOUT]: String(version) }
    return (await js.api<{ config: Config }>(`STREAM.UPDATE.${name}`, { ...existing, ...config, metadata })).config
  }
}

/** JetStream counts in nanoseconds. */
export const nanos = (time: Millis | number): number => time * 1_000_000
