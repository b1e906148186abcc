/** An engine that forgets: for tests, and for several simulated processes to share and crash over. */
import { createHash } from 'node:crypto'
import { type Millis, seconds } from '../../domain/time.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { MessageIndex } from '../../ports/message-index.ts'
import type { Queue } from '../../ports/queue.ts'
import type { Sealer } from '../../ports/sealer.ts'
import type { Clock } from '../../ports/world.ts'
import { memoryEventLog } from './event-log.ts'
import { memoryMessageIndex } from './message-index.ts'
import { memoryQueue } from './queue.ts'

export type MemoryEngineOptions = Readonly<{
  clock: Clock
  /** Whether followers get the texts of messages too. */
  indexBodies?: boolean
  /** After this long a taken job is handed out anew: its worker is gone. */
  lease?: Millis
  blind?: Sealer['blind']
}>

export type MemoryEngine = Readonly<{ log: EventLog; queue: Queue; index: MessageIndex }> & AsyncDisposable

/** Disposing leaves everything as it is: other processes may go on. */
export function openMemoryEngine(options: MemoryEngineOptions): MemoryEngine {
  const { clock, indexBodies = false, lease = seconds(60), blind = unkeyedHash } = options
  const queue = memoryQueue({ clock, lease })
  const log = memoryEventLog({ blind, indexBodies, enqueue: queue.replace, finish: queue.finish })
  return { log, queue, index: memoryMessageIndex(), async [Symbol.asyncDispose]() {} }
}

const unkeyedHash: Sealer['blind'] = (tenantId, recipient) =>
  createHash('sha256').update(`${tenantId} ${recipient}`).digest('hex')
