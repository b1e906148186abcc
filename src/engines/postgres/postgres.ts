/** PostgreSQL in the cluster profile: the index and the timeline. Sending continues while it is unreachable. */
import type { Engines } from '../../ports/engines.ts'
import type { ProjectedIndex } from '../../ports/message-index.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { postgresAuditLog } from './access/audit-log.ts'
import { type PostgresUsage, postgresUsage } from './access/usage.ts'
import { postgresSessions, postgresUsers } from './access/users.ts'
import { postgresChallenges } from './challenges.ts'
import { keepCounts } from './count-upkeep.ts'
import { Database, openPool } from './database.ts'
import { postgresEndpoints } from './endpoints.ts'
import { postgresErasures } from './erasures.ts'
import { postgresLimitedSends } from './limited-sends.ts'
import { postgresMessageIndex } from './message-index.ts'
import { postgresPartialMessages } from './partial-messages.ts'
import { postgresProviderResults } from './provider-results.ts'
import { postgresRaisedAlerts } from './raised-alerts.ts'
import { postgresReceiptDeliveries } from './receipt-deliveries.ts'
import { postgresRecipients } from './recipients.ts'
import { type IndexRetention, postgresRetention } from './retention.ts'
import { checkSchema, type SchemaVersions } from './schema.ts'
import { postgresSuppressions } from './suppressions.ts'
import { postgresTemplates } from './templates.ts'
import { postgresTimeline } from './timeline.ts'
import { postgresUsageRecords } from './usage-records.ts'
import { postgresWebhookAttempts } from './webhook-attempts.ts'
import { postgresWebhookDeliveries } from './webhook-deliveries.ts'

export type PostgresOptions = Readonly<{
  url: string
  connections?: number
  /** Called once, if the tables are newer than this code but compatible with it. */
  onNewerSchema?: (versions: SchemaVersions) => void
}>

export type PostgresIndex = AsyncDisposable &
  Required<
    Pick<
      Engines,
      | 'timeline'
      | 'challenges'
      | 'recipients'
      | 'suppressions'
      | 'templates'
      | 'endpoints'
      | 'webhookDeliveries'
      | 'webhookAttempts'
      | 'receiptDeliveries'
      | 'partialMessages'
      | 'erasures'
      | 'auditLog'
      | 'users'
      | 'sessions'
      | 'usageRecords'
      | 'raisedAlerts'
      | 'providerResults'
      | 'limitedSends'
    >
  > &
  Readonly<{
    index: ProjectedIndex
    indexRetention: IndexRetention
    usage: PostgresUsage
    /** Does some of what the counts of the index need. Returns whether there is more to do. */
    keepCounts: () => Promise<boolean>
    /** What the database occupies, with its indexes. */
    databaseBytes: () => Promise<number>
    /** Rejects with the reason while PostgreSQL cannot be used. */
    health: () => Promise<void>
  }>

/** Opens even while PostgreSQL is unreachable, and checks its tables as soon as it is back; refuses an incompatible schema. */
export async function openPostgresIndex(options: PostgresOptions): Promise<PostgresIndex> {
  const { url, connections, onNewerSchema } = options
  const db = new Database(openPool(url, connections), async (pool) => {
    const versions = await checkSchema(pool)
    if (versions.database > versions.code) onNewerSchema?.(versions)
  })
  try {
    await db.ready()
  } catch (error) {
    if (!(error instanceof Unavailable)) {
      await db[Symbol.asyncDispose]()
      throw error
    }
  }
  return {
    index: postgresMessageIndex(db),
    timeline: postgresTimeline(db),
    challenges: postgresChallenges(db),
    recipients: postgresRecipients(db),
    suppressions: postgresSuppressions(db),
    templates: postgresTemplates(db),
    endpoints: postgresEndpoints(db),
    webhookDeliveries: postgresWebhookDeliveries(db),
    webhookAttempts: postgresWebhookAttempts(db),
    receiptDeliveries: postgresReceiptDeliveries(db),
    partialMessages: postgresPartialMessages(db),
    erasures: postgresErasures(db),
    auditLog: postgresAuditLog(db),
    users: postgresUsers(db),
    sessions: postgresSessions(db),
    raisedAlerts: postgresRaisedAlerts(db),
    providerResults: postgresProviderResults(db),
    limitedSends: postgresLimitedSends(db),
    indexRetention: postgresRetention(db),
    usage: postgresUsage(db),
    usageRecords: postgresUsageRecords(db),
    keepCounts: () => keepCounts(db),
    databaseBytes: async () => {
      const [row] = await db.asSystem('select pg_database_size(current_database()) as bytes')
      return Number(row?.['bytes'])
    },
    health: async () => {
      await db.asSystem('select')
    },
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  }
}
