/** The directory of the embedded profile: written and looked up with the log, searched on a connection of its own. */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Recipients } from '../../ports/recipients.ts'
import { toDirectoryEntry } from '../shared/rows.ts'
import type { Driver } from './driver.ts'
import type { SearchMethods } from './message-index.ts'
import { toRecipientCursor } from './recipient-search.ts'
import type { StoreMethods } from './store.ts'

export function sqliteRecipients(writer: Driver<StoreMethods>, reader: Driver<SearchMethods>): Recipients {
  return {
    add: (entry) => writer.call('addRecipient', entry),
    change: (entry) => writer.call('changeRecipient', entry),
    remove: (tenantId, id) => writer.call('removeRecipient', tenantId, id),

    async find(tenantId, name) {
      const row = await writer.call('findRecipient', tenantId, name)
      return row === undefined ? undefined : toDirectoryEntry(row)
    },

    async search(query) {
      const rows = await reader.call('searchRecipients', query)
      const page = rows.slice(0, query.limit)
      const last = rows.length > query.limit ? page.at(-1) : undefined
      return omitUndefined({ recipients: page.map(toDirectoryEntry), nextCursor: last && toRecipientCursor(last) })
    },
  }
}
