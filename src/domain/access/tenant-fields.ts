/** The external form of a tenant, in the operator's file and in the API, and its conversion. */
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { parseLocale } from '../directory/locale.ts'
import type { ProviderName, TenantId } from '../ids.ts'
import type { FieldProblem } from '../requests/request-fields.ts'
import { mayUse, type Reservable } from './reserved-provider.ts'
import { parseSenderRule, SENDER_RULE } from './senders.ts'
import type { Quotas, Tenant } from './tenant.ts'

export const MOST_SENDERS = 1_000
export const MOST_ALLOWED_PROVIDERS = 50
export const LONGEST_TENANT_NAME = 128
export const MOST_OF_A_QUOTA = Number.MAX_SAFE_INTEGER

/** The fields as received, their JSON types already checked. */
export type TenantFields = Readonly<{
  id: TenantId
  name?: string
  state?: Tenant['state']
  providers?: readonly ProviderName[]
  senders?: readonly string[]
  quotas?: QuotaFields
  retention_days?: number
  default_locale?: string
}>

/** The names of the quotas outside. */
export const QUOTA_FIELDS = {
  limits: 'limits',
  templates: 'templates',
  routes: 'routes',
  endpoints: 'endpoints',
  recipients: 'recipients',
  apiKeys: 'api_keys',
  waitingMessages: 'waiting_messages',
  storedBytes: 'stored_bytes',
} as const satisfies Record<keyof Quotas, string>
type QuotaField = (typeof QUOTA_FIELDS)[keyof Quotas]
export type QuotaFields = Readonly<Partial<Record<QuotaField, number>>>

/** `mostDays` is the longest that the installation keeps messages of the tenant; undefined if that is forever. */
export type TenantBounds = Readonly<{ providers: readonly Reservable[]; mostDays: number | undefined }>

export const tenantProblems = (fields: TenantFields, bounds: TenantBounds): readonly FieldProblem[] => [
  ...(fields.name === undefined || PRINTABLE.test(fields.name) ? [] : [NOT_PRINTABLE]),
  ...providerProblems(fields, bounds.providers),
  ...senderProblems(fields.senders ?? []),
  ...retentionProblems(fields, bounds),
  ...localeProblems(fields),
]

const PRINTABLE = new RegExp(`^(?=.*\\S)\\P{C}{1,${LONGEST_TENANT_NAME}}$`, 'u')
const NOT_PRINTABLE = { path: '/name', message: `must be 1 to ${LONGEST_TENANT_NAME} printable characters` }

function providerProblems(
  { id, providers: names = [] }: TenantFields,
  configured: readonly Reservable[],
): FieldProblem[] {
  const usable = configured.filter((provider) => mayUse(provider, id)).map(({ name }) => name)
  const choose = usable.length === 0 ? 'no provider is left for this tenant' : `choose among ${usable.join(', ')}`
  return names.flatMap((name, index) => {
    const path = `/providers/${index}`
    if (!configured.some((provider) => provider.name === name))
      return [{ path, message: `is not a provider; ${choose}` }]
    if (!usable.includes(name)) return [{ path, message: `is reserved for other tenants; ${choose}` }]
    return names.indexOf(name) < index ? [{ path, message: 'is already listed' }] : []
  })
}

function senderProblems(senders: readonly string[]): FieldProblem[] {
  const keys = senders.map(parseSenderRule)
  return keys.flatMap((key, index) => {
    const path = `/senders/${index}`
    if (key === undefined) return [{ path, message: `must be ${SENDER_RULE}` }]
    return keys.indexOf(key) < index ? [{ path, message: 'is already listed' }] : []
  })
}

/** A tenant's messages are never kept longer than the installation keeps them. */
const retentionProblems = ({ retention_days: days }: TenantFields, { mostDays }: TenantBounds): FieldProblem[] =>
  days === undefined || mostDays === undefined || days <= mostDays
    ? []
    : [{ path: '/retention_days', message: `must be at most ${mostDays}, as long as this installation keeps messages` }]

const localeProblems = ({ default_locale: locale }: TenantFields): FieldProblem[] =>
  locale === undefined || parseLocale(locale) !== undefined
    ? []
    : [{ path: '/default_locale', message: 'must be a BCP 47 language tag, for example en or pt-BR' }]

/** The fields must have no problems. */
export function toTenant(fields: TenantFields): Tenant {
  const { id, name, state = 'active', providers, senders, quotas, retention_days: retentionDays } = fields
  const defaultLocale = fields.default_locale === undefined ? undefined : parseLocale(fields.default_locale)
  return omitUndefined({
    id,
    name,
    state,
    providers,
    senders: senders?.map((sender) => sender.trim()),
    quotas: quotas && toQuotas(quotas),
    retentionDays,
    defaultLocale,
  })
}

export function toTenantFields(tenant: Tenant): TenantFields & Required<Pick<TenantFields, 'state'>> {
  const { id, name, state, providers, senders, quotas, retentionDays, defaultLocale } = tenant
  return omitUndefined({
    id,
    name,
    state,
    providers,
    senders,
    quotas: quotas && toQuotaFields(quotas),
    retention_days: retentionDays,
    default_locale: defaultLocale,
  })
}

const QUOTAS = Object.entries(QUOTA_FIELDS) as [keyof Quotas, QuotaField][]

const toQuotas = (fields: QuotaFields): Quotas =>
  omitUndefined(Object.fromEntries(QUOTAS.map(([name, field]) => [name, fields[field]])))

const toQuotaFields = (quotas: Quotas): QuotaFields =>
  omitUndefined(Object.fromEntries(QUOTAS.map(([name, field]) => [field, quotas[name]])))
