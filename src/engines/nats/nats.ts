/** The NATS engine of the cluster profile: event log and queue on one connection. */

import type { TenantId } from '../../domain/ids.ts'
import type { BreakerPolicy } from '../../domain/routing/breaker.ts'
import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Millis, millis, seconds } from '../../lib/time.ts'
import type { Breakers } from '../../ports/breakers.ts'
import type { Engines, PublishedEvent } from '../../ports/engines.ts'
import type { Position } from '../../ports/event-log.ts'
import type { Job } from '../../ports/queue.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { Ahead } from '../../ports/world.ts'
import { type AnnouncerOptions, openAnnouncer } from './announcer.ts'
import { openNatsBreakers } from './breakers.ts'
import { natsCarrierReferences } from './carrier-references.ts'
import { openNats } from './connection.ts'
import { Contents } from './contents.ts'
import { natsEventFeed } from './event-feed.ts'
import { natsEventLog } from './event-log.ts'
import { EventStream } from './event-stream.ts'
import { Handover } from './handover.ts'
import { InFlight } from './in-flight.ts'
import { type EventStreamOptions, publishEvent, type ReplayOptions, replayEvents } from './integration-events.ts'
import { JetStream } from './jetstream.ts'
import { Jobs } from './jobs.ts'
import { Keys } from './keys.ts'
import { newestEvent } from './newest-event.ts'
import { natsQueue } from './queue.ts'
import { natsReceiptForwarding } from './receipt-forwarding.ts'
import { type BrokerRetention, natsRetention } from './retention.ts'
import { natsRoundLock } from './round-lock.ts'
import { natsSinkPositions } from './sink-positions.ts'
import { type StreamBytes, streamBytes } from './stream-bytes.ts'
import { openStreams } from './streams.ts'
import type { Names } from './subjects.ts'
import { sweep } from './sweeper.ts'
import { TenantQueueRegistry } from './tenant-queue-registry.ts'
import { TenantQueues } from './tenant-queues.ts'
import { countWaiting } from './waiting.ts'

export type Check = Readonly<{ ok: boolean; detail?: string }>

export type NatsEngineOptions = Readonly<{
  url: string
  sealer: Sealer
  clock: Clock
  /** How far `clock` is ahead of the wall clock, which the broker uses. */
  ahead?: Ahead
  /** Whether followers also get the bodies of messages. */
  indexBodies: boolean
  /** Prefix of all streams and subjects. */
  prefix?: string
  /** Replicas of every stream. */
  replicas?: number
  /** Number of job streams; decided by the first process that starts on a broker. */
  partitions?: number
  /** How long the broker keeps events; zero means forever. */
  maxAge?: Millis
  /** Jobs of a process that sends no heartbeat for this long are redelivered to another. */
  ackWait?: Millis
  /** A tenant queue without work is polled no longer than this. */
  idleAfter?: Millis
  /** How long the broker may take to answer. */
  timeoutMs?: number
}>

export type NatsEngine = AsyncDisposable &
  Required<
    Pick<
      Engines,
      'log' | 'feed' | 'queue' | 'carrierReferences' | 'receiptForwarding' | 'rounds' | 'sinkPositions' | 'sweep'
    >
  > &
  Readonly<{
    brokerRetention: BrokerRetention
    /** How many messages of a tenant are waiting in the queues. */
    waiting: (tenantId: TenantId) => Promise<number>
    /** The position of the newest event that is still stored. */
    newestEvent: () => Promise<Position>
    /** Publishes integration events, sharing the work with all other processes that do. */
    announce: (options: AnnouncerOptions) => Promise<AsyncDisposable>
    publishEvent: (event: PublishedEvent, options: EventStreamOptions) => Promise<void>
    /** Publishes those of the past again. */
    replayEvents: (options: ReplayOptions) => Promise<number>
    /** Circuit breakers shared with all other processes. */
    openBreakers: (policy?: BreakerPolicy) => Promise<Breakers & AsyncDisposable>
    streamBytes: () => Promise<StreamBytes>
    health: () => Promise<Readonly<Record<string, Check>>>
  }>

export async function openNatsEngine(options: NatsEngineOptions): Promise<NatsEngine> {
  const { url, clock, timeoutMs, prefix = 'POMBO', replicas = 1, partitions = 4, maxAge = millis(0) } = options
  await using opened = new AsyncDisposableStack()
  const connection = opened.use(await openNats(omitUndefined({ url, timeoutMs })))
  const js = new JetStream(connection, replicas)
  const names = await openStreams(js, { prefix, replicas, partitions, maxAge })

  const { ackWait = seconds(30), idleAfter = seconds(120) } = options
  const registry = opened.use(new TenantQueueRegistry(js, names))
  const jobs = new Jobs({ js, names, registry, ...options })
  // If the job cannot be queued either, recovery does so later.
  const requeue = (job: Job): void => void jobs.put(job).catch(() => undefined)
  const inFlight = opened.use(new InFlight(connection, ackWait, requeue))
  const queues = opened.use(new TenantQueues({ js, names, inFlight, ackWait, idleAfter }))
  const handover = opened.use(new Handover({ connection, names, sealer: options.sealer }))
  const contents = new Contents(js, names)
  const keys = new Keys({ js, names, contents, sealing: options, clock })
  const deps = {
    js,
    names,
    events: new EventStream(js, names),
    contents,
    keys,
    registry,
    queues,
    jobs,
    inFlight,
    handover,
    clock,
  }
  const closing = opened.move()
  const log = natsEventLog(deps)
  return {
    log,
    feed: natsEventFeed({ js, names, tip: log.tip }),
    queue: natsQueue(deps),
    carrierReferences: natsCarrierReferences(deps),
    receiptForwarding: natsReceiptForwarding({ connection, names }),
    rounds: natsRoundLock(deps),
    sinkPositions: natsSinkPositions({ js, names, tip: log.tip }),
    sweep: (onSwept, signal) => sweep(deps, onSwept, signal),
    brokerRetention: natsRetention(deps),
    waiting: (tenantId) => countWaiting(js, names, tenantId),
    newestEvent: () => newestEvent(deps),
    announce: (announcing) => openAnnouncer({ js, names, replicas }, announcing),
    publishEvent: (event, publishing) => publishEvent(js, event, publishing),
    replayEvents: (replaying) => replayEvents({ js, names, replicas }, replaying),
    openBreakers: (policy) => openNatsBreakers({ js, names }, policy),
    streamBytes: () => streamBytes(js, names),
    health: () => checkHealth(js, names),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** Every stream answers, and replicated streams have a leader. */
async function checkHealth(js: JetStream, names: Names): Promise<Readonly<Record<string, Check>>> {
  const [log, keys, ...jobs] = await Promise.all([names.log, names.keys, ...names.jobs].map((name) => check(js, name)))
  return { log: log ?? OK, keys: keys ?? OK, queue: jobs.find(({ ok }) => !ok) ?? OK }
}

const OK: Check = { ok: true }

/** A stream without a leader does not answer. */
async function check(js: JetStream, stream: string): Promise<Check> {
  try {
    await js.api(`STREAM.INFO.${stream}`)
    return OK
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : 'no answer' }
  }
}
