/** The tables of the embedded profile, all in one file, and the migrations of older files. */
import type { DatabaseSync } from 'node:sqlite'
import { API_KEY_TABLES } from './access/api-keys.ts'
import { AUDIT_TABLES } from './access/audit-log.ts'
import { DOMAIN_TABLES } from './access/domains.ts'
import { TENANT_TABLES } from './access/tenants.ts'
import { USAGE_TABLES } from './access/usage.ts'
import { USER_TABLES } from './access/users.ts'
import { PAUSED_BREAKER_TABLES } from './breakers.ts'
import { CANCELED_CHALLENGES, CHALLENGE_TERMS } from './challenges.ts'
import { EARLIER_VERSIONS } from './earlier-schemas.ts'
import { EMAIL_VIEWS } from './email-views.ts'
import { LIMITED_SEND_TABLES } from './limited-sends.ts'
import { COUNT_TABLES } from './messages/counts.ts'
import { DROP_EARLIER_TABLES } from './messages/earlier-tables.ts'
import { FILING_TABLES } from './messages/filings.ts'
import { ID_FILTER_TABLES } from './messages/id-filters.ts'
import { MESSAGE_TABLES } from './messages/message-table.ts'
import { HASHED_CHAPTERS, NAME_TABLES } from './messages/names.ts'
import { TERM_TABLES } from './messages/search-terms.ts'
import { SHAPE_TABLES } from './messages/shapes.ts'
import { USAGE_RECORD_TABLES } from './messages/usage-counts.ts'
import { PARTIAL_MESSAGE_TABLES } from './partial-messages.ts'
import { PROVIDER_RESULT_TABLES } from './provider-results.ts'
import { RAISED_ALERT_TABLES } from './raised-alerts.ts'
import { RECEIPT_TABLES } from './receipt-deliveries.ts'
import { SMS_VIEWS } from './sms-views.ts'
import { refreshViews } from './views.ts'
import { WEBHOOK_ATTEMPT_TABLES } from './webhook-attempts.ts'

/** One row per message. What messages/take-over.ts moves there keeps its tables until it is done. */
const ONE_ROW_PER_MESSAGE = `
  drop view if exists email_logs;
  drop view if exists email_events;
  drop table message_ids;
  drop table listing;
  drop table listing_to;
  drop table listing_tags;
  drop table listing_words;
  alter table messages rename to earlier_messages;
  -- The number that a message has got.
  alter table earlier_messages add column moved integer;
  alter table events rename to earlier_events;
  alter table keys rename to earlier_keys;
  delete from progress where name not in ('journal', 'journal_owner', 'journal_open', 'index');
  ${SHAPE_TABLES}
  ${MESSAGE_TABLES}
  ${COUNT_TABLES}
  ${NAME_TABLES}
  ${TERM_TABLES}
  ${FILING_TABLES}
  ${ID_FILTER_TABLES}
`

/** Who may do what, and how much each tenant uses. */
const ACCESS = `
  ${TENANT_TABLES}
  ${API_KEY_TABLES}
  ${AUDIT_TABLES}
  ${USER_TABLES}
  ${DOMAIN_TABLES}
  ${USAGE_TABLES}
`

/** What is told of a tenant or of the installation. */
const ALERTS = `
  -- JSON. Where there is one, \`message\` is its id.
  alter table webhook_deliveries add column alert text;
  ${RAISED_ALERT_TABLES}
  ${PROVIDER_RESULT_TABLES}
`

/** What messages are billed and searched by. */
const REPORTING = `
  ${USAGE_RECORD_TABLES}
`

/** What SMPP clients have sent in part, and what is owed to them. */
const SMPP_TABLES = `
  ${PARTIAL_MESSAGE_TABLES}
  ${RECEIPT_TABLES}
`

const VERSIONS: readonly string[] = [
  ...EARLIER_VERSIONS,
  ONE_ROW_PER_MESSAGE,
  ACCESS,
  ALERTS,
  REPORTING,
  LIMITED_SEND_TABLES,
  WEBHOOK_ATTEMPT_TABLES,
  HASHED_CHAPTERS,
  PAUSED_BREAKER_TABLES,
  SMPP_TABLES,
  CANCELED_CHALLENGES,
  CHALLENGE_TERMS,
]

export const SCHEMA_VERSION = VERSIONS.length

/** The file was written by a newer release. */
export class NewerSchema extends Error {
  readonly exitCode = 78
}

/** All or nothing: if the migration fails, the release that wrote the file can still use it. */
export function migrate(db: DatabaseSync, path: string): void {
  const found = Number(db.prepare('pragma user_version').get()?.['user_version'])
  if (found > SCHEMA_VERSION) {
    throw new NewerSchema(
      `${path} was written by a newer release (schema ${found}; this release supports ${SCHEMA_VERSION}): start that release, or restore a backup`,
    )
  }
  if (found < SCHEMA_VERSION) {
    const steps = [...VERSIONS.slice(found), ...(found === 0 ? [DROP_EARLIER_TABLES] : [])].join(';')
    db.exec(`begin immediate; ${steps}; pragma user_version = ${SCHEMA_VERSION}; commit`)
  }
  refreshViews(db, [...EMAIL_VIEWS, ...SMS_VIEWS])
}
