/**
 * Creates missing streams and updates the options of existing ones. Any number of processes may do so at once.
 *
 * The first process to create them decides the number of job streams: a tenant's jobs must be found where they were
 * put.
 *
 * A stream's metadata holds the version of its options. An older release that starts on newer streams does not change
 * them, so both releases work during an upgrade and after a rollback.
 */
import type { StreamConfig } from '@nats-io/jetstream'
import { pause } from '../../lib/pause.ts'
import type { Millis } from '../../lib/time.ts'
import { seconds } from '../../lib/time.ts'
import { REFERENCES_KEPT_FOR } from '../../ports/carrier-references.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type JetStream, JetStreamError } from './jetstream.ts'
import { type Names, namesFor } from './subjects.ts'

export type StreamOptions = Readonly<{
  prefix: string
  replicas: number
  partitions: number
  /** How long the broker keeps events and their keys; zero means forever. */
  maxAge: Millis
}>

type Config = Partial<StreamConfig> & { name: string }

/** The metadata key of the log that holds the number of job streams. */
export const PARTITIONS = 'pombo_partitions'
const LAYOUT = 'pombo_layout'
/** Raised with every change of any stream's options. The previous release must be able to work with the new ones. */
export const LAYOUT_VERSION = 3
/** A new process does not watch a tenant queue unused for this long until it is used again. */
const QUEUE_AGE = seconds(7 * 24 * 60 * 60)
/** Far longer than a job stays parked, and parking registers the gate again. */
const GATE_AGE = seconds(7 * 24 * 60 * 60)
const IN_USE = 10058
/** A starting cluster has no leader, or not all of its nodes yet. */
const STARTING_MS = 10_000
const AGAIN_MS = 100

export async function openStreams(js: JetStream, options: StreamOptions): Promise<Names> {
  const { prefix, replicas, maxAge } = options
  const common = { storage: 'file', num_replicas: replicas, allow_direct: true } as const
  const age = { max_age: nanos(maxAge) }
  const { log, keys, queues, breakers, event, anyQueue, breaker } = namesFor(prefix, options.partitions)

  const metadata = { [PARTITIONS]: String(options.partitions) }
  const made = await ensureStream(js, { ...common, ...age, name: log, subjects: [event('*')], metadata })
  const names = namesFor(prefix, Number(made.metadata?.[PARTITIONS] ?? options.partitions))
  await Promise.all([
    // Earlier versions of a block stay until they are overwritten.
    ensureStream(js, { ...common, ...age, name: keys, subjects: [`${prefix}.keys.*.*`], max_msgs_per_subject: -1 }),
    ensureStream(js, {
      ...common,
      name: queues,
      subjects: [anyQueue],
      max_msgs_per_subject: 1,
      max_age: nanos(QUEUE_AGE),
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
      max_age: nanos(REFERENCES_KEPT_FOR),
    }),
    ensureStream(js, {
      ...common,
      name: names.rounds,
      subjects: [names.anyRound, names.swept('*'), names.sinkPosition('*')],
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
        // A newer job of a message replaces the older one.
        max_msgs_per_subject: 1,
        // Costs the broker about 3 µs per job without subscribers, and nothing without jobs.
        republish: names.announcements(partition),
      }),
    ),
  ])
  return names
}

/** Returns the resulting configuration. An existing stream keeps its metadata. */
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
    if (Number(existing.metadata?.[LAYOUT]) > version) return existing
    const metadata = { ...config.metadata, ...existing.metadata, [LAYOUT]: String(version) }
    return (await js.api<{ config: Config }>(`STREAM.UPDATE.${name}`, { ...existing, ...config, metadata })).config
  }
}

/** JetStream durations are in nanoseconds. */
export const nanos = (time: Millis | number): number => time * 1_000_000
