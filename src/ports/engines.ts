/** The stores behind one gateway, as a profile provides them. Everything else takes `Pick<Engines, …>`. */
import type { IntegrationEvent } from '../domain/message/integration-events.ts'
import type { ApiKeys } from './api-keys.ts'
import type { AuditLog } from './audit-log.ts'
import type { Breakers } from './breakers.ts'
import type { CarrierReferences } from './carrier-references.ts'
import type { Challenges } from './challenges.ts'
import type { Endpoints } from './endpoints.ts'
import type { Erasures } from './erasures.ts'
import type { EventFeed } from './event-feed.ts'
import type { EventLog } from './event-log.ts'
import type { LimitRules } from './limit-rules.ts'
import type { LimitedSends } from './limited-sends.ts'
import type { Limiter } from './limiter.ts'
import type { IndexWriter, MessageIndex } from './message-index.ts'
import type { PartialMessages } from './partial-messages.ts'
import type { ProviderResults } from './provider-results.ts'
import type { Queue } from './queue.ts'
import type { RaisedAlerts } from './raised-alerts.ts'
import type { ReceiptDeliveries } from './receipt-deliveries.ts'
import type { ReceiptForwarding } from './receipt-forwarding.ts'
import type { Recipients } from './recipients.ts'
import type { Retention } from './retention.ts'
import type { RoundLock } from './round-lock.ts'
import type { RouteBook } from './routes.ts'
import type { SendingDomains } from './sending-domains.ts'
import type { SinkPositions } from './sink-positions.ts'
import type { Suppressions } from './suppressions.ts'
import type { Templates } from './templates.ts'
import type { Tenants } from './tenants.ts'
import type { Timeline } from './timeline.ts'
import type { Usage } from './usage.ts'
import type { UsageRecords } from './usage-records.ts'
import type { Sessions, Users } from './users.ts'
import type { WebhookAttempts } from './webhook-attempts.ts'
import type { WebhookDeliveries } from './webhook-deliveries.ts'

/** Receivers drop an event with an id that they have seen. */
export type PublishedEvent = IntegrationEvent & Readonly<{ id: string }>

export type Engines = Readonly<{
  log: EventLog
  feed: EventFeed
  queue: Queue
  index: MessageIndex
  /** Absent where the engine keeps log and index in the same tables. */
  indexWriter?: IndexWriter
  /** Every event in SQL; only the cluster profile keeps it. */
  timeline?: Timeline
  limiter: Limiter
  rules: LimitRules
  challenges: Challenges
  recipients: Recipients
  templates: Templates
  routes: RouteBook
  tenants: Tenants
  domains: SendingDomains
  breakers: Breakers
  carrierReferences: CarrierReferences
  /** Absent where one process does everything. */
  receiptForwarding?: ReceiptForwarding
  endpoints: Endpoints
  webhookDeliveries: WebhookDeliveries
  webhookAttempts: WebhookAttempts
  receiptDeliveries: ReceiptDeliveries
  partialMessages: PartialMessages
  raisedAlerts: RaisedAlerts
  providerResults: ProviderResults
  limitedSends: LimitedSends
  erasures: Erasures
  users: Users
  sessions: Sessions
  apiKeys: ApiKeys
  auditLog: AuditLog
  retention: Retention
  usage: Usage
  /** Publishes an integration event that is in no message's history; absent where there is no stream of them. */
  publishEvent?: (event: PublishedEvent) => Promise<void>
  usageRecords: UsageRecords
  rounds: RoundLock
  sinkPositions: SinkPositions
  suppressions: Suppressions
  /** Starts projecting the log; absent where the engine projects in a thread of its own. */
  startProjecting?: (onFault: (error: unknown) => void) => Promise<AsyncDisposable>
  /**
   * Does some of what the counts of the index need, and returns whether there is more to do; absent where they are written
   * with the messages.
   */
  keepCounts?: () => Promise<boolean>
  /** Destroys keys and contents whose message was never written; absent where all three are written atomically. */
  sweep?: (onSwept: (kind: string, count: number) => void, signal: AbortSignal) => Promise<void>
}>
