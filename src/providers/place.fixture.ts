/** A place for a provider to find itself in, for tests that do not care. */
import type { ProviderName } from '../domain/ids.ts'
import { instant } from '../lib/time.ts'
import type { Place } from './kind.ts'

export const somePlace = (given: Partial<Place> = {}): Place => ({
  name: 'acme' as ProviderName,
  clock: () => instant(Date.now()),
  sends: true,
  report: async () => undefined,
  receipts: { name: async (_provider, names) => names.map(() => undefined), report: async () => undefined },
  tell: () => undefined,
  ...given,
})
