/** The suppressed addresses of the embedded profile: written and looked up with the log, listed on a connection of its own. */

import { toSuppressionCursor } from '../../domain/email/suppression.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Suppressions } from '../../ports/suppressions.ts'
import { toSuppression } from '../shared/rows.ts'
import type { Driver } from './driver.ts'
import type { SearchMethods } from './message-index.ts'
import type { StoreMethods } from './store.ts'

export function sqliteSuppressions(writer: Driver<StoreMethods>, reader: Driver<SearchMethods>): Suppressions {
  // Only this process writes, so it knows which tenants have no entries; every mail checks twice.
  let listed: Promise<Set<string>> | undefined
  const tenants = (): Promise<Set<string>> => {
    listed ??= writer.call('suppressingTenants').then(
      (names) => new Set(names),
      (error: unknown) => {
        listed = undefined
        throw error
      },
    )
    return listed
  }
  return {
    async add(suppression) {
      const listedTenants = await tenants()
      listedTenants.add(suppression.tenantId)
      await writer.call('addSuppression', suppression)
    },

    remove: (tenantId, address) => writer.call('removeSuppression', tenantId, address),

    async find(tenantId, addresses, at) {
      if (!(await tenants()).has(tenantId)) return []
      return (await writer.call('findSuppressions', tenantId, addresses, at)).map(toSuppression)
    },

    async list(query) {
      const rows = await reader.call('listSuppressions', query)
      const suppressions = rows.slice(0, query.limit).map(toSuppression)
      const last = rows.length > query.limit ? suppressions.at(-1) : undefined
      return omitUndefined({ suppressions, nextCursor: last && toSuppressionCursor(last) })
    },
  }
}
