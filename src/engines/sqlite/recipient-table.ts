/**
 * The directory in tables. A removed recipient keeps its row, so that its id is never reused, and its external id,
 * which identifies it in the tenant's own records; the personal data is wiped.
 */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { DirectoryEntry, RecipientId } from '../../domain/directory/recipient.ts'
import { toWords } from '../../domain/directory/search-words.ts'
import type { Clock } from '../../lib/clock.ts'
import type { RecipientName } from '../../ports/recipients.ts'
import type { CallKind } from './store.ts'

/** The columns of the table. */
export type RecipientRow = Readonly<Record<string, SQLOutputValue>>

export type RecipientMethods = ReturnType<typeof recipientTable>

export function recipientTable(db: DatabaseSync, clock: Clock) {
  const sql = prepare(db)

  /** Replaces the words of an entry. */
  const file = (n: number, tenant: string, words: readonly string[]): void => {
    sql.forget.run(n)
    for (const word of words) sql.file.run(tenant, word, n)
  }

  return {
    addRecipient(entry: DirectoryEntry): 'added' | 'taken' {
      const { changes, lastInsertRowid } = sql.add.run({ ...toColumns(entry), createdAt: entry.createdAt })
      if (changes === 0) return 'taken'
      file(Number(lastInsertRowid), entry.tenantId, toWords(entry))
      return 'added'
    },

    changeRecipient(entry: DirectoryEntry): 'changed' | 'taken' | 'absent' {
      const row = sql.findById.get(entry.tenantId, entry.id)
      if (row === undefined) return 'absent'
      if (sql.change.run(toColumns(entry)).changes === 0) return 'taken'
      file(Number(row['n']), entry.tenantId, toWords(entry))
      return 'changed'
    },

    findRecipient: (tenant: string, name: RecipientName): RecipientRow | undefined =>
      'id' in name ? sql.findById.get(tenant, name.id) : sql.findByExternalId.get(tenant, name.externalId),

    removeRecipient(tenant: string, id: RecipientId): boolean {
      const row = sql.findById.get(tenant, id)
      if (row === undefined) return false
      file(Number(row['n']), tenant, [])
      sql.remove.run({ id, at: clock() })
      return true
    },
  }
}

export const RECIPIENT_CALLS: Readonly<Record<keyof RecipientMethods, CallKind>> = {
  addRecipient: 'write',
  changeRecipient: 'write',
  findRecipient: 'read',
  removeRecipient: 'write',
}

const toColumns = ({ id, tenantId, externalId, name, phone, email, locale, updatedAt }: DirectoryEntry) => ({
  id,
  tenant: tenantId,
  externalId: externalId ?? null,
  name: name ?? null,
  phone: phone ?? null,
  email: email ?? null,
  locale: locale ?? null,
  updatedAt,
})

function prepare(db: DatabaseSync) {
  return {
    add: db.prepare(`
      insert into recipients (id, tenant, external_id, name, phone, email, locale, created_at, updated_at)
      values (:id, :tenant, :externalId, :name, :phone, :email, :locale, :createdAt, :updatedAt)
      on conflict do nothing
    `),
    change: db.prepare(`
      update or ignore recipients set external_id = :externalId, name = :name, phone = :phone, email = :email,
        locale = :locale, updated_at = :updatedAt
      where id = :id and tenant = :tenant and removed_at is null
    `),
    findById: db.prepare('select * from recipients where tenant = ? and id = ? and removed_at is null'),
    findByExternalId: db.prepare(
      'select * from recipients where tenant = ? and external_id = ? and removed_at is null',
    ),
    remove: db.prepare(`
      update recipients set name = null, phone = null, email = null, locale = null, removed_at = :at, updated_at = :at
      where id = :id
    `),
    file: db.prepare('insert into recipient_words (tenant, word, n) values (?, ?, ?)'),
    forget: db.prepare('delete from recipient_words where n = ?'),
  }
}
