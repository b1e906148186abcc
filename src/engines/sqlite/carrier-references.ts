/** Carrier references of the embedded profile. The log records the reports of a single-part message: nothing is written here. */
import { afterReport, isOnlyPart } from '../../domain/message/carrier-reference.ts'
import type { CarrierReferences } from '../../ports/carrier-references.ts'
import type { Driver } from './driver.ts'
import type { StoreMethods } from './store.ts'

export function sqliteCarrierReferences(driver: Driver<StoreMethods>): CarrierReferences {
  return {
    register: (provider, names, ref) => driver.call('registerReferences', provider, names, ref),

    async report(provider, name, report, { onlyIfRegistered = false } = {}) {
      const entry = await driver.call('findReference', provider, name)
      const { owner } = entry
      if (owner === undefined && onlyIfRegistered) return undefined
      if (owner === undefined || !isOnlyPart(owner)) return driver.call('reportReference', provider, name, report)
      return { ...owner, reports: [afterReport(entry, report).report] }
    },
  }
}
