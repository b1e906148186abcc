/** The engine of the cluster profile: the log and the queue on a NATS broker, over one connection. */
import type { BreakerPolicy } from '../../domain/routing/breaker.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Millis, millis, seconds } from '../../lib/time.ts'
import type { Breakers } from '../../ports/breakers.ts'
import type { CarrierReferences } from '../../ports/carrier-references.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { Queue } from '../../ports/queue.ts'
import type { RoundLock } from '../../ports/round-lock.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { Ahead } from '../../ports/world.ts'
import { openNatsBreakers } from './breakers.ts'
import { natsCarrierReferences } from './carrier-references.ts'
import { openNats } from './connection.ts'
import { Contents } from './contents.ts'
import { natsEventLog } from './event-log.ts'
import { EventStream } from './event-stream.ts'
import { type Check, checkHealth } from './health.ts'
import { InFlight } from './in-flight.ts'
import { type AnnouncerOptions, openAnnouncer } from './integration-events.ts'
import { JetStream } from './jetstream.ts'
import { Jobs } from './jobs.ts'
import { Keys } from './keys.ts'
import { natsQueue } from './queue.ts'
import { natsRoundLock } from './round-lock.ts'
import { openStreams } from './streams.ts'
import { type OnSwept, sweep } from './sweeper.ts'
import { LineRegistry } from './tenant-queue-registry.ts'
import { TenantQueues } from './tenant-queues.ts'

export type NatsEngineOptions = Readonly<{
  url: string
  sealer: Sealer
  clock: Clock
  /** How far it is ahead of the wall clock, by which the broker goes. */
  ahead?: Ahead
  /** Whether followers get the texts of messages too. */
  indexBodies: boolean
  /** What everything on the broker is called by. */
  prefix?: string
  /** On how many nodes of the broker everything is kept. */
  replicas?: number
  /** Over how many streams jobs are spread; only whoever starts first on a broker decides it. */
  partitions?: number
  /** After this long the broker forgets events; zero is never. */
  maxAge?: Millis
  /** After this long without a sign of life, what a process has in hand is handed to another. */
  ackWait?: Millis
  /** A line without work is polled no longer than this. */
  idleAfter?: Millis
  /** How long the broker may take to answer. */
  timeoutMs?: number
}>

export type NatsEngine = AsyncDisposable &
  Readonly<{
    log: EventLog
    queue: Queue
    receipts: CarrierReferences
    rounds: RoundLock
    /** Destroys keys and contents whose message was never written, and says how many; one process at a time. */
    sweep: (onSwept: OnSwept, signal: AbortSignal) => Promise<void>
    /** Tells the outside of every event, together with all other processes that do. */
    announce: (options: AnnouncerOptions) => Promise<AsyncDisposable>
    /** Breakers that this process shares with all others. */
    openBreakers: (policy?: BreakerPolicy) => Promise<Breakers & AsyncDisposable>
    health: () => Promise<Readonly<Record<string, Check>>>
  }>

export async function openNatsEngine(options: NatsEngineOptions): Promise<NatsEngine> {
  const { url, clock, timeoutMs, prefix = 'POMBO', replicas = 1, partitions = 4, maxAge = millis(0) } = options
  await using opened = new AsyncDisposableStack()
  const connection = opened.use(await openNats({ url, ...(timeoutMs === undefined ? {} : { timeoutMs }) }))
  const js = new JetStream(connection, replicas)
  const names = await openStreams(js, { prefix, replicas, partitions, maxAge })

  const { ackWait = seconds(30), idleAfter = seconds(120) } = options
  const hands = opened.use(new InFlight(connection, ackWait))
  const registry = opened.use(new LineRegistry(js, names))
  const lines = opened.use(new TenantQueues({ js, names, hands, ackWait, idleAfter }))
  const jobs = new Jobs({ js, names, lines: registry, ...options })
  const contents = new Contents(js, names)
  const keys = new Keys({ js, names, contents, sealing: options, clock })
  const deps = { js, names, events: new EventStream(js, names), contents, keys, registry, lines, jobs, hands, clock }
  const closing = opened.move()
  return {
    log: natsEventLog(deps),
    queue: natsQueue(deps),
    receipts: natsCarrierReferences(deps),
    rounds: natsRoundLock(deps),
    sweep: (onSwept, signal) => sweep(deps, onSwept, signal),
    announce: (announcing) => openAnnouncer({ js, names, replicas }, announcing),
    openBreakers: (policy) => openNatsBreakers({ js, names }, policy),
    health: () => checkHealth(js, names),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
