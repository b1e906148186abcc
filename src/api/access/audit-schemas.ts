/** The schemas of the audit log. */
import { type Static, Type } from 'typebox'
import { type AuditEntry, idOfActor } from '../../domain/access/audit.ts'
import { toIso } from '../../lib/time.ts'
import {
  fromTime,
  namedObject,
  nullable,
  PageFields,
  pageOf,
  queryText,
  responses,
  Time,
  untilTime,
} from '../http/schemas.ts'
import { audited } from './audit.ts'

const Snapshot = Type.Record(Type.String(), Type.Unknown(), { title: 'AuditSnapshot' })

const AuditView = namedObject('AuditEntry', {
  id: Type.String({ format: 'uuid', examples: ['01945b3a-8c00-7a30-9d57-0b6f0a3c2e11'] }),
  at: Time,
  tenant_id: nullable(
    Type.String({
      description: 'Null for what belongs to the operator, such as circuit breakers.',
      examples: ['acme'],
    }),
  ),
  actor: namedObject('AuditActor', {
    kind: Type.String({ description: '`token`, `api_key`, `user` or `anonymous`.', examples: ['api_key'] }),
    id: nullable(Type.String({ description: 'The id of the user or the API key, or the claim `sub` of the token.' })),
    name: nullable(Type.String({ description: 'The name of the API key, or the email address of the user.' })),
    tenant_id: nullable(
      Type.String({
        description: 'The tenant of the actor, if it is not the `tenant_id` of the entry: operators act for others.',
        examples: ['operations'],
      }),
    ),
  }),
  address: Type.String({ description: 'The address that the call came from.', examples: ['203.0.113.7'] }),
  http_request_id: Type.String({ description: 'Also in the log lines of the call.' }),
  action: Type.String({ examples: ['template.changed'] }),
  target: namedObject('AuditTarget', {
    kind: Type.String({ examples: ['template'] }),
    id: Type.String({ description: 'Recipients are masked.', examples: ['order-shipped'] }),
  }),
  before: nullable(Snapshot),
  after: nullable(Snapshot),
})
export type AuditView = Static<typeof AuditView>

export const toAuditView = (entry: AuditEntry): AuditView => ({
  id: entry.id,
  at: toIso(entry.at),
  tenant_id: entry.tenantId ?? null,
  actor: {
    kind: entry.actor.kind,
    id: idOfActor(entry.actor) ?? null,
    name: nameOf(entry),
    tenant_id: entry.actorTenantId ?? null,
  },
  address: entry.address,
  http_request_id: entry.httpRequestId,
  action: entry.action,
  target: entry.target,
  before: entry.before ?? null,
  after: entry.after ?? null,
})

function nameOf({ actor }: AuditEntry): string | null {
  switch (actor.kind) {
    case 'api_key':
      return actor.name
    case 'user':
      return actor.email
    case 'token':
    case 'anonymous':
      return null
  }
}

/** The columns of an export in CSV. */
export const COLUMNS = [
  'id',
  'at',
  'tenant_id',
  'actor_kind',
  'actor_id',
  'actor_name',
  'actor_tenant_id',
  'address',
  'http_request_id',
  'action',
  'target_kind',
  'target_id',
  'before',
  'after',
] as const

/** In the order of COLUMNS; before and after are JSON. */
export const toCells = ({ actor, target, before, after, ...view }: AuditView): readonly string[] => [
  view.id,
  view.at,
  view.tenant_id ?? '',
  actor.kind,
  actor.id ?? '',
  actor.name ?? '',
  actor.tenant_id ?? '',
  view.address,
  view.http_request_id,
  view.action,
  target.kind,
  target.id,
  before === null ? '' : JSON.stringify(before),
  after === null ? '' : JSON.stringify(after),
]

const FilterFields = {
  tenant_id: Type.Optional(
    queryText('The entries of this tenant. Needs the scope `operator`, unless it is your own.', 70),
  ),
  action: Type.Optional(queryText('For example `template.changed`.', 100)),
  actor: Type.Optional(queryText('The id of a user or an API key, or the claim `sub` of a token.', 256)),
  target: Type.Optional(queryText('The `id` of what was changed or read.', 256)),
  from: fromTime('Recorded'),
  to: untilTime('Recorded'),
}
const Filter = Type.Object(FilterFields)
export type AuditFilterQuery = Static<typeof Filter>

const CLOSED = { additionalProperties: false }
const tags = ['audit log']
const WHOSE =
  'An admin sees the entries of its tenant. An operator sees all, or with `tenant_id` or the header `Pombo-Tenant` those of one tenant.'

export const LIST = {
  operationId: 'listAuditEntries',
  tags,
  summary: 'List the audit log',
  description: `Every change of the set-up and every access to content, newest first. ${WHOSE}`,
  querystring: Type.Object({ ...FilterFields, ...PageFields }, CLOSED),
  response: responses({ 200: { description: 'A page of entries.', schema: pageOf(AuditView) } }, 'VALIDATION_ERROR'),
}

export const EXPORT_FORMATS = ['ndjson', 'csv'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

export const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
}

export const EXPORT = {
  ...audited('audit_log.exported'),
  operationId: 'exportAuditLog',
  tags,
  summary: 'Export the audit log',
  description:
    'All entries that match, newest first, as lines of JSON or as CSV. A connection that ends before the last chunk means ' +
    `that the export is incomplete. ${WHOSE}`,
  querystring: Type.Object(
    { format: Type.Optional(Type.Enum(EXPORT_FORMATS, { title: 'ExportFormat' })), ...FilterFields },
    CLOSED,
  ),
  response: responses(
    { 200: { description: 'The entries.', schema: Type.String(), type: MEDIA_TYPES.ndjson } },
    'VALIDATION_ERROR',
  ),
}
