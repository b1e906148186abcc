/** The providers that are the same in every profile, opened and joined with the simulators that a profile brings. */
import type { ProviderName } from '../domain/ids.ts'
import type { Provider } from '../ports/provider.ts'
import { openRegistered, type RegisteredConfig, reports } from '../providers/registry.ts'
import type { Opening, Providers } from './profile.ts'

/** In the order of the file. */
export function joinProviders(opening: Opening, simulators: Providers): Providers {
  const byName = new Map<ProviderName, Provider>()
  for (const config of opening.config.providers) {
    const provider = config.kind === 'simulator' ? simulators.byName.get(config.name) : open(opening, config)
    if (provider !== undefined) byName.set(config.name, provider)
  }
  return { ...simulators, byName }
}

function open({ config: { publicUrl }, clock, opened }: Opening, config: RegisteredConfig): Provider {
  const { name } = config
  const callbackUrl = `${publicUrl?.replace(/\/$/, '')}/v1/webhooks/${name}`
  const isToReport = publicUrl !== undefined && reports(config)
  return opened.use(openRegistered(config, { name, clock, ...(isToReport ? { callbackUrl } : {}) }))
}
