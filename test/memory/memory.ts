/** An engine in memory, for tests: several simulated processes can share it and crash. */
import { createHash } from 'node:crypto'
import { Counts } from '../../src/domain/limits/counts.ts'
import type { Route } from '../../src/domain/routing/routing.ts'
import { inProcessBreakers } from '../../src/engines/shared/in-process-breakers.ts'
import { inProcessLimiter } from '../../src/engines/shared/in-process-limiter.ts'
import { inProcessRoundLock } from '../../src/engines/shared/in-process-round-lock.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { type Millis, seconds } from '../../src/lib/time.ts'
import type { Engines } from '../../src/ports/engines.ts'
import type { ProjectedIndex } from '../../src/ports/message-index.ts'
import type { Sealer } from '../../src/ports/sealer.ts'
import { memoryCarrierReferences } from './carrier-references.ts'
import { memoryChallenges } from './challenges.ts'
import { memoryEndpoints } from './endpoints.ts'
import { memoryErasures } from './erasures.ts'
import { memoryEventLog } from './event-log.ts'
import { memoryLimitRules } from './limit-rules.ts'
import { memoryMessageIndex } from './message-index.ts'
import { memoryQueue } from './queue.ts'
import { memoryRecipients } from './recipients.ts'
import { memoryRetention } from './retention.ts'
import { memoryRoutes } from './routes.ts'
import { memorySuppressions } from './suppressions.ts'
import { memoryTemplates } from './templates.ts'
import { memoryWebhookDeliveries } from './webhook-deliveries.ts'

export type MemoryEngineOptions = Readonly<{
  clock: Clock
  /** Whether followers also get the bodies of messages. */
  indexBodies?: boolean
  /** A taken job is redelivered after this long: its worker is gone. */
  lease?: Millis
  blind?: Sealer['blind']
  /** The routes of the operator's file. */
  file?: readonly Route[]
}>

export type MemoryEngine = AsyncDisposable & Engines & Readonly<{ index: ProjectedIndex }>

/** Disposing keeps the data, because other simulated processes may still use it. */
export function openMemoryEngine(options: MemoryEngineOptions): MemoryEngine {
  const { clock, indexBodies = false, lease = seconds(60), blind = unkeyedHash, file } = options
  const queue = memoryQueue({ clock, lease })
  const endpoints = memoryEndpoints()
  const index = memoryMessageIndex()
  const webhookDeliveries = memoryWebhookDeliveries(endpoints)
  const log = memoryEventLog({ blind, indexBodies, enqueue: queue.replace, finish: queue.finish })
  return {
    log,
    queue,
    index,
    indexWriter: index,
    breakers: inProcessBreakers(),
    challenges: memoryChallenges(),
    carrierReferences: memoryCarrierReferences(),
    recipients: memoryRecipients(),
    templates: memoryTemplates(),
    routes: memoryRoutes(file),
    limiter: inProcessLimiter(new Counts(), clock),
    rules: memoryLimitRules(),
    endpoints,
    webhookDeliveries,
    rounds: inProcessRoundLock(),
    suppressions: memorySuppressions(),
    erasures: memoryErasures(),
    retention: memoryRetention({ log, index, webhookDeliveries }),
    async [Symbol.asyncDispose]() {},
  }
}

const unkeyedHash: Sealer['blind'] = (tenantId, recipient) =>
  createHash('sha256').update(`${tenantId} ${recipient}`).digest('hex')
