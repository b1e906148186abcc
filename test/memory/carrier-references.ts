/** Carrier references in memory, for tests. */
import type { ProviderName } from '../../src/domain/ids.ts'
import { afterRegistration, afterReport, BLANK, type ReceiptEntry } from '../../src/domain/message/carrier-reference.ts'
import type { CarrierReferences, Reports } from '../../src/ports/carrier-references.ts'

export function memoryCarrierReferences(): CarrierReferences {
  const entries = new Map<string, ReceiptEntry>()

  function change(provider: ProviderName, name: string, after: (entry: ReceiptEntry) => ReceiptEntry): ReceiptEntry {
    const entry = after(entries.get(keyOf(provider, name)) ?? BLANK)
    entries.set(keyOf(provider, name), entry)
    return entry
  }

  const reportsOf = (provider: ProviderName, names: readonly string[]): Reports =>
    names.map((name) => entries.get(keyOf(provider, name))?.report)

  return {
    async register(provider, names, ref) {
      for (const name of names) change(provider, name, (entry) => afterRegistration(entry, { ref, names }))
      return reportsOf(provider, names)
    },

    async report(provider, name, report, { onlyIfRegistered = false } = {}) {
      if (onlyIfRegistered && entries.get(keyOf(provider, name))?.owner === undefined) return undefined
      const { owner } = change(provider, name, (entry) => afterReport(entry, report))
      return owner && { ...owner, reports: reportsOf(provider, owner.names) }
    },
  }
}

/** Provider names contain no spaces. */
const keyOf = (provider: ProviderName, name: string): string => `${provider} ${name}`
