/** The suppressed addresses of the embedded profile: written and looked up with the log, listed on a connection of its own. */
import { toSuppression } from '../../domain/rows.ts'
import { toSuppressionCursor } from '../../domain/suppression.ts'
import type { Suppressions } from '../../ports/suppressions.ts'
import type { Driver } from './driver.ts'
import type { SearchMethods } from './message-index.ts'
import type { StoreMethods } from './store.ts'

export function sqliteSuppressions(writer: Driver<StoreMethods>, reader: Driver<SearchMethods>): Suppressions {
  return {
    add: (suppression) => writer.call('addSuppression', suppression),
    remove: (tenantId, address) => writer.call('removeSuppression', tenantId, address),

    find: async (tenantId, addresses, at) =>
      (await writer.call('findSuppressions', tenantId, addresses, at)).map(toSuppression),

    async list(query) {
      const rows = await reader.call('listSuppressions', query)
      const suppressions = rows.slice(0, query.limit).map(toSuppression)
      const last = rows.length > query.limit ? suppressions.at(-1) : undefined
      return { suppressions, ...(last === undefined ? {} : { nextCursor: toSuppressionCursor(last) }) }
    },
  }
}
