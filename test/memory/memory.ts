/** An engine in memory, for tests: several simulated processes can share it and crash. */
import { createHash } from 'node:crypto'
import type { Tenant } from '../../src/domain/access/tenant.ts'
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
import { memoryApiKeys } from './api-keys.ts'
import { memoryAuditLog } from './audit-log.ts'
import { memoryCarrierReferences } from './carrier-references.ts'
import { memoryChallenges } from './challenges.ts'
import { memoryDomains } from './domains.ts'
import { memoryEndpoints } from './endpoints.ts'
import { memoryErasures } from './erasures.ts'
import { memoryEventFeed } from './event-feed.ts'
import { memoryEventLog } from './event-log.ts'
import { memoryLimitRules } from './limit-rules.ts'
import { memoryLimitedSends } from './limited-sends.ts'
import { memoryMessageIndex } from './message-index.ts'
import { memoryPartialMessages } from './partial-messages.ts'
import { memoryProviderResults } from './provider-results.ts'
import { memoryQueue } from './queue.ts'
import { memoryRaisedAlerts } from './raised-alerts.ts'
import { memoryReceiptDeliveries } from './receipt-deliveries.ts'
import { memoryRecipients } from './recipients.ts'
import { memoryRetention } from './retention.ts'
import { memoryRoutes } from './routes.ts'
import { memorySinkPositions } from './sink-positions.ts'
import { memorySuppressions } from './suppressions.ts'
import { memoryTemplates } from './templates.ts'
import { memoryTenants } from './tenants.ts'
import { memoryUsage } from './usage.ts'
import { memoryUsageRecords } from './usage-records.ts'
import { memoryUsers } from './users.ts'
import { memoryWebhookAttempts } from './webhook-attempts.ts'
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
  /** The tenants of the operator's file. */
  filedTenants?: readonly Tenant[]
}>

export type MemoryEngine = AsyncDisposable & Engines & Readonly<{ index: ProjectedIndex }>

/** Disposing keeps the data, because other simulated processes may still use it. */
export function openMemoryEngine(options: MemoryEngineOptions): MemoryEngine {
  const { clock, indexBodies = false, lease = seconds(60), blind = unkeyedHash, file, filedTenants } = options
  const queue = memoryQueue({ clock, lease })
  const endpoints = memoryEndpoints()
  const index = memoryMessageIndex()
  const webhookDeliveries = memoryWebhookDeliveries(endpoints)
  const webhookAttempts = memoryWebhookAttempts(endpoints)
  const log = memoryEventLog({ blind, indexBodies, enqueue: queue.replace, finish: queue.finish })
  const setup = {
    recipients: memoryRecipients(),
    templates: memoryTemplates(),
    routes: memoryRoutes(file),
    rules: memoryLimitRules(),
    endpoints,
  }
  return {
    log,
    feed: memoryEventFeed(log),
    queue,
    index,
    indexWriter: index,
    breakers: inProcessBreakers(),
    challenges: memoryChallenges(),
    carrierReferences: memoryCarrierReferences(),
    ...setup,
    tenants: memoryTenants(filedTenants),
    domains: memoryDomains(),
    limiter: inProcessLimiter(new Counts(), clock),
    webhookDeliveries,
    webhookAttempts,
    receiptDeliveries: memoryReceiptDeliveries(),
    partialMessages: memoryPartialMessages(),
    raisedAlerts: memoryRaisedAlerts(),
    providerResults: memoryProviderResults(),
    limitedSends: memoryLimitedSends(),
    rounds: inProcessRoundLock(),
    sinkPositions: memorySinkPositions(log),
    suppressions: memorySuppressions(),
    erasures: memoryErasures(),
    apiKeys: memoryApiKeys(),
    auditLog: memoryAuditLog(),
    ...memoryUsers(),
    retention: memoryRetention({ log, index, webhookDeliveries, webhookAttempts }),
    usage: memoryUsage({ log, ...setup }),
    usageRecords: memoryUsageRecords(log),
    async [Symbol.asyncDispose]() {},
  }
}

const unkeyedHash: Sealer['blind'] = (tenantId, recipient) =>
  createHash('sha256').update(`${tenantId} ${recipient}`).digest('hex')
