/** What an operator has decided about a tenant. A tenant that nobody described works by the installation's defaults. */
import type { Instant } from '../../lib/time.ts'
import type { ProviderName, TenantId } from '../ids.ts'

/** Which tenants are served: any, or only those that an operator has described. */
export const TENANT_POLICIES = ['any', 'known'] as const
export type TenantPolicy = (typeof TENANT_POLICIES)[number]

export const TENANT_STATES = ['active', 'suspended'] as const

export type Tenant = Readonly<{
  id: TenantId
  name?: string
  /** A suspended tenant cannot call the API, and nothing more is sent for it. */
  state: (typeof TENANT_STATES)[number]
  /** The only providers that its messages may take. */
  providers?: readonly ProviderName[]
  /** The only senders that its messages may have: sender ids, numbers, domains and addresses. */
  senders?: readonly string[]
  quotas?: Quotas
  retentionDays?: number
  defaultLocale?: string
  /** Only of a tenant that was created by the API, not of one of the operator's file. */
  own?: OwnTenant
}>

/** `version` changes with every change of any tenant. */
export type OwnTenant = Readonly<{ version: number; createdAt: Instant; updatedAt: Instant }>

/** How much a tenant may store and have waiting; missing quotas have defaults. */
export type Quotas = Readonly<{
  limits?: number
  templates?: number
  routes?: number
  endpoints?: number
  recipients?: number
  apiKeys?: number
  waitingMessages?: number
  storedBytes?: number
}>
