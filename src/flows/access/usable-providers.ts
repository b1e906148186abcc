/** Which providers the messages of a tenant may take: those that an operator allows it, and in test mode a simulator. */
import { mayUse } from '../../domain/access/reserved-provider.ts'
import { isTestTenant } from '../../domain/access/test-mode.ts'
import type { ProviderName, TenantId } from '../../domain/ids.ts'
import type { Channel } from '../../domain/message/message.ts'
import type { Provider } from '../../ports/provider.ts'
import type { Tenants } from '../../ports/tenants.ts'

export type UsableProvidersDeps = Readonly<{
  tenants: Pick<Tenants, 'of'>
  providers: ReadonlyMap<ProviderName, Provider>
}>

/** In the order of the configuration file. */
export const usableProviders = (deps: UsableProvidersDeps, tenantId: TenantId): readonly Provider[] =>
  isTestTenant(tenantId)
    ? [...deps.providers.values()].filter((provider) => maySimulate(provider, tenantId))
    : allowedProviders(deps, tenantId)

/** Those that the routes of a tenant may name, also in test mode, where messages ignore routes. */
export function allowedProviders({ tenants, providers }: UsableProvidersDeps, tenantId: TenantId): readonly Provider[] {
  const allowed = tenants.of(tenantId)?.providers
  return [...providers.values()].filter((provider) => mayUse(provider, tenantId, allowed))
}

/** The only provider of messages in test mode; undefined if the tenant may use none for the channel. */
export function simulatorFor(
  { providers }: Pick<UsableProvidersDeps, 'providers'>,
  tenantId: TenantId,
  channel: Channel,
): Provider | undefined {
  for (const provider of providers.values()) {
    if (maySimulate(provider, tenantId) && provider.capabilities.channels.includes(channel)) return provider
  }
  return undefined
}

/** Any simulator that is not reserved for others: the list of a tenant is about live messages. */
const maySimulate = (provider: Provider, tenantId: TenantId): boolean =>
  provider.capabilities.simulated === true && mayUse(provider, tenantId)
