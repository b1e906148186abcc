/** The directory of the embedded profile: written and looked up with the log, searched on a connection of its own. */
import type { EmailAddress } from '../../domain/email-address.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { PhoneNumber } from '../../domain/phone-number.ts'
import type { DirectoryEntry, RecipientId } from '../../domain/recipient.ts'
import { instant } from '../../domain/time.ts'
import type { Recipients } from '../../ports/recipients.ts'
import type { Driver } from './driver.ts'
import type { SearchMethods } from './message-index.ts'
import { toRecipientCursor } from './recipient-search.ts'
import type { RecipientRow } from './recipient-table.ts'
import type { StoreMethods } from './store.ts'

export function sqliteRecipients(writer: Driver<StoreMethods>, reader: Driver<SearchMethods>): Recipients {
  return {
    add: (entry) => writer.call('addRecipient', entry),
    change: (entry) => writer.call('changeRecipient', entry),
    remove: (tenantId, id) => writer.call('removeRecipient', tenantId, id),

    async find(tenantId, name) {
      const row = await writer.call('findRecipient', tenantId, name)
      return row === undefined ? undefined : toEntry(row)
    },

    async search(query) {
      const rows = await reader.call('searchRecipients', query)
      const page = rows.slice(0, query.limit)
      const last = rows.length > query.limit ? page.at(-1) : undefined
      return { recipients: page.map(toEntry), ...(last === undefined ? {} : { nextCursor: toRecipientCursor(last) }) }
    },
  }
}

function toEntry(row: RecipientRow): DirectoryEntry {
  const { external_id: externalId, name, phone, email, locale } = row
  return {
    id: String(row['id']) as RecipientId,
    tenantId: String(row['tenant']) as TenantId,
    ...(typeof externalId === 'string' ? { externalId } : {}),
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof phone === 'string' ? { phone: phone as PhoneNumber } : {}),
    ...(typeof email === 'string' ? { email: email as EmailAddress } : {}),
    ...(typeof locale === 'string' ? { locale } : {}),
    createdAt: instant(Number(row['created_at'])),
    updatedAt: instant(Number(row['updated_at'])),
  }
}
