/** The schemas of tenants. */
import { type Static, type TSchema, Type } from 'typebox'
import { TENANT_STATES, type Tenant } from '../../domain/access/tenant.ts'
import {
  LONGEST_TENANT_NAME,
  MOST_ALLOWED_PROVIDERS,
  MOST_OF_A_QUOTA,
  MOST_SENDERS,
  type QUOTA_FIELDS,
  toTenantFields,
} from '../../domain/access/tenant-fields.ts'
import type { ProviderName, TenantId } from '../../domain/ids.ts'
import { MAX_RETENTION_DAYS, MIN_RETENTION_DAYS } from '../../domain/message/retention.ts'
import { isoOrNull, namedObject, nullable, Time } from '../http/schemas.ts'

const CLOSED = { additionalProperties: false }

const named = <Name>(description: string, example: string) =>
  Type.Unsafe<Name>(Type.String({ description, pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$', examples: [example] }))

const quota = (what: string) => Type.Integer({ minimum: 0, maximum: MOST_OF_A_QUOTA, description: `At most ${what}.` })

/** What each quota counts. */
const QUOTAS: Readonly<Record<(typeof QUOTA_FIELDS)[keyof typeof QUOTA_FIELDS], string>> = {
  limits: 'so many rate limits',
  templates: 'so many templates',
  routes: 'so many routes',
  endpoints: 'so many webhook endpoints',
  recipients: 'so many recipients',
  api_keys: 'so many API keys',
  waiting_messages: 'so many messages that wait to be sent',
  stored_bytes: 'so many bytes of stored messages',
}

const Quotas = Type.Partial(
  Type.Object({
    limits: quota(QUOTAS.limits),
    templates: quota(QUOTAS.templates),
    routes: quota(QUOTAS.routes),
    endpoints: quota(QUOTAS.endpoints),
    recipients: quota(QUOTAS.recipients),
    api_keys: quota(QUOTAS.api_keys),
    waiting_messages: quota(QUOTAS.waiting_messages),
    stored_bytes: quota(QUOTAS.stored_bytes),
  }),
  {
    title: 'TenantQuotas',
    ...CLOSED,
    description: 'How much the tenant may have; missing quotas have defaults.',
    examples: [{ routes: 10 }],
  },
)

const Fields = {
  name: Type.String({ minLength: 1, maxLength: LONGEST_TENANT_NAME, description: 'For people.', examples: ['Acme'] }),
  state: Type.Enum(TENANT_STATES, {
    title: 'TenantState',
    description: 'A `suspended` tenant cannot call the API, and its messages are not sent: they become dead letters.',
  }),
  providers: Type.Array(named<ProviderName>('The name of a configured provider.', 'twilio'), {
    minItems: 1,
    maxItems: MOST_ALLOWED_PROVIDERS,
    description: "The only providers that the tenant's messages may take, whatever the routes say.",
  }),
  senders: Type.Array(Type.String({ minLength: 1, maxLength: 254 }), {
    maxItems: MOST_SENDERS,
    description:
      "The only senders that the tenant's messages may have: sender ids, numbers, email addresses, domains (`acme.example`) and their subdomains (`*.acme.example`).",
    examples: [['Acme', 'acme.example']],
  }),
  quotas: Quotas,
  retention_days: Type.Integer({
    minimum: MIN_RETENTION_DAYS,
    maximum: MAX_RETENTION_DAYS,
    description: "How many days messages are kept, if that is shorter than the installation's retention.",
    examples: [30],
  }),
  default_locale: Type.String({
    maxLength: 35,
    description: 'The locale of templates without one, and of messages to recipients without one.',
    examples: ['pt-BR'],
  }),
}

const Id = named<TenantId>('As in the claim `tenant_id` of tokens.', 'acme')

export const TenantCreate = namedObject(
  'CreateTenantRequest',
  { id: Id, ...Type.Partial(Type.Object(Fields)).properties },
  { ...CLOSED, examples: [{ id: 'acme', name: 'Acme', providers: ['twilio'], senders: ['Acme', 'acme.example'] }] },
)
export type TenantCreate = Static<typeof TenantCreate>

const removable = <Schema extends TSchema>(schema: Schema) => Type.Optional(nullable(schema))

/** Null removes a field. */
export const TenantUpdate = namedObject(
  'UpdateTenantRequest',
  {
    name: removable(Fields.name),
    state: Type.Optional(Fields.state),
    providers: removable(Fields.providers),
    senders: removable(Fields.senders),
    quotas: removable(Fields.quotas),
    retention_days: removable(Fields.retention_days),
    default_locale: removable(Fields.default_locale),
  },
  { ...CLOSED, minProperties: 1, examples: [{ state: 'suspended' }] },
)
export type TenantUpdate = Static<typeof TenantUpdate>

export const TenantView = namedObject('Tenant', {
  id: Id,
  source: Type.Enum(['api', 'file'], {
    title: 'TenantSource',
    description: "Tenants of the operator's `file` cannot be changed here.",
  }),
  state: Fields.state,
  name: nullable(Fields.name),
  providers: nullable(Fields.providers),
  senders: nullable(Fields.senders),
  quotas: nullable(Fields.quotas),
  retention_days: nullable(Fields.retention_days),
  default_locale: nullable(Fields.default_locale),
  created_at: nullable(Type.Unsafe<string>({ ...Time, description: 'Null for a tenant of the file.' })),
  updated_at: nullable(Time),
})

export function toTenantView(tenant: Tenant) {
  const { own } = tenant
  return {
    ...NOTHING,
    ...toTenantFields(tenant),
    source: own === undefined ? 'file' : 'api',
    created_at: isoOrNull(own?.createdAt),
    updated_at: isoOrNull(own?.updatedAt),
  }
}

const NOTHING = {
  name: null,
  providers: null,
  senders: null,
  quotas: null,
  retention_days: null,
  default_locale: null,
}
