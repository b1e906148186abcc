/** A tenant while it is being edited, and the request that it becomes. */
import type { components } from '../../api/schema.gen.d.ts'
import { QUOTAS, type Quota, type Tenant } from './tenant.ts'

export type Draft = Readonly<{
  id: string
  name: string
  /** None for all providers. */
  providers: readonly string[]
  /** Whether only the listed senders are allowed. */
  hasSenders: boolean
  /** One per line. */
  senders: string
  /** In digits; empty for the default. */
  quotas: Readonly<Record<Quota, string>>
  retentionDays: string
  defaultLocale: string
}>

type Update = components['schemas']['UpdateTenantRequest']
type Create = components['schemas']['CreateTenantRequest']

export const toDraft = (tenant: Tenant | undefined): Draft => ({
  id: tenant?.id ?? '',
  name: tenant?.name ?? '',
  providers: tenant?.providers ?? [],
  hasSenders: (tenant?.senders ?? null) !== null,
  senders: (tenant?.senders ?? []).join('\n'),
  quotas: Object.fromEntries(QUOTAS.map((quota) => [quota, String(tenant?.quotas?.[quota] ?? '')])) as Draft['quotas'],
  retentionDays: String(tenant?.retention_days ?? ''),
  defaultLocale: tenant?.default_locale ?? '',
})

export const sendersOf = ({ senders }: Draft): string[] =>
  senders.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]))

export function toCreate(draft: Draft): Create {
  const given = Object.entries(toFields(draft)).filter(([, value]) => value !== null)
  return { id: draft.id.trim(), ...Object.fromEntries(given) }
}

/** Only the changed fields, so that concurrent changes to other fields survive; undefined if there are none. */
export function toUpdate(draft: Draft, tenant: Tenant): Update | undefined {
  const before: Readonly<Record<string, unknown>> = toFields(toDraft(tenant))
  const changed = Object.entries(toFields(draft)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(before[field]),
  )
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

/** Null for what is not set. */
function toFields(draft: Draft) {
  const quotas = QUOTAS.flatMap((quota) => (draft.quotas[quota] === '' ? [] : [[quota, Number(draft.quotas[quota])]]))
  return {
    name: orNull(draft.name),
    providers: draft.providers.length === 0 ? null : [...draft.providers],
    senders: draft.hasSenders ? sendersOf(draft) : null,
    quotas: quotas.length === 0 ? null : Object.fromEntries(quotas),
    retention_days: draft.retentionDays === '' ? null : Number(draft.retentionDays),
    default_locale: orNull(draft.defaultLocale),
  }
}

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())
