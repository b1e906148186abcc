/** A provider's context with defaults, for tests. */
import type { ProviderName } from '../domain/ids.ts'
import { instant } from '../lib/time.ts'
import type { ProviderContext } from './kind.ts'

export const someContext = (given: Partial<ProviderContext> = {}): ProviderContext => ({
  name: 'acme' as ProviderName,
  clock: () => instant(Date.now()),
  sends: true,
  report: async () => undefined,
  carrierReferences: {
    register: async (_provider, names) => names.map(() => undefined),
    report: async () => undefined,
  },
  log: () => undefined,
  ...given,
})
