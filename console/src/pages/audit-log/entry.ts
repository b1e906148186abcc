/** Entries of the audit log as the gateway returns them, and the filters of the page. */
import type { components } from '../../api/schema.gen.d.ts'
import { AUDIT_LOG_TEXTS } from '../../texts/audit-log.ts'

export type AuditEntry = components['schemas']['AuditEntry']

export const AUDIT_LOG = ['audit-log'] as const

/** Named as in the API. */
export const FILTERS = ['action', 'actor', 'target', 'tenant_id', 'from', 'to'] as const
export type Filters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>

const T = AUDIT_LOG_TEXTS

/** What the actor is called: the address of a user, the name of an API key or the subject of a token. */
export const actorName = ({ actor }: Pick<AuditEntry, 'actor'>): string =>
  actor.name ?? actor.id ?? actorKind({ actor })

export const actorKind = ({ actor: { kind } }: Pick<AuditEntry, 'actor'>): string => T.actorKinds[kind] ?? kind
