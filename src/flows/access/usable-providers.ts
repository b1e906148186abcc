/** Which providers the messages of a tenant may take: those that an operator allows it, and in test mode the simulator. */
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
export function usableProviders(deps: UsableProvidersDeps, tenantId: TenantId): readonly Provider[] {
  const all = [...deps.providers.values()]
  if (isTestTenant(tenantId)) return all.filter(isSimulated)
  const allowed = deps.tenants.of(tenantId)?.providers
  return allowed === undefined ? all : all.filter(({ name }) => allowed.includes(name))
}

/** The only provider of messages in test mode; undefined if none is configured for the channel. */
export function simulatorFor({ providers }: Pick<UsableProvidersDeps, 'providers'>, channel: Channel) {
  for (const provider of providers.values()) {
    if (isSimulated(provider) && provider.capabilities.channels.includes(channel)) return provider
  }
  return undefined
}

const isSimulated = ({ capabilities }: Provider): boolean => capabilities.simulated === true
