/** The results of providers in memory, for tests. */
import { addResults, NO_RESULTS, type ResultCounts } from '../../src/domain/alerts/provider-result.ts'
import type { ProviderName } from '../../src/domain/ids.ts'
import type { ProviderMinute, ProviderResults } from '../../src/ports/provider-results.ts'

export function memoryProviderResults(): ProviderResults {
  let all: readonly ProviderMinute[] = []
  return {
    async add(counts) {
      all = [...all, ...counts]
    },
    async sum(from, to) {
      const sums = new Map<ProviderName | undefined, ResultCounts>()
      for (const { provider, minute, ...counts } of all) {
        if (minute >= from && minute < to) sums.set(provider, addResults(sums.get(provider) ?? NO_RESULTS, counts))
      }
      return sums
    },
    async forget(before) {
      all = all.filter(({ minute }) => minute >= before)
    },
  }
}
