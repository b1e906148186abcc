/**
 * The directory in tables. A removed recipient keeps its row, so that its id is never reused, and its external id,
 * which identifies it in the tenant's own records; the personal data is wiped.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { DirectoryEntry } from '../../domain/directory/recipient.ts'
import { toWords } from '../../domain/directory/search-words.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Recipients } from '../../ports/recipients.ts'
import { toDirectoryEntry } from '../shared/rows.ts'
import type { Table } from './tables.ts'

export function recipientTable(db: DatabaseSync, clock: Clock) {
  const sql = prepare(db)

  /** Replaces the words of an entry. */
  const file = (n: number, tenant: string, words: readonly string[]): void => {
    sql.forget.run(n)
    for (const word of words) sql.file.run(tenant, word, n)
  }

  const isTaken = ({ tenantId, externalId }: DirectoryEntry): boolean =>
    externalId !== undefined && sql.findByExternalId.get(tenantId, externalId) !== undefined

  return {
    writes: {
      add(entry, most = Number.MAX_SAFE_INTEGER) {
        const { tenantId } = entry
        const isFull = Number(sql.count.get(tenantId)?.['count'] ?? 0) >= most
        if (isFull) return isTaken(entry) ? 'taken' : 'full'
        const { changes, lastInsertRowid } = sql.add.run({ ...toColumns(entry), createdAt: entry.createdAt })
        if (changes === 0) return 'taken'
        sql.recount.run(tenantId, 1)
        file(Number(lastInsertRowid), tenantId, toWords(entry))
        return 'added'
      },
      change(entry) {
        const row = sql.findById.get(entry.tenantId, entry.id)
        if (row === undefined) return 'absent'
        if (sql.change.run(toColumns(entry)).changes === 0) return 'taken'
        file(Number(row['n']), entry.tenantId, toWords(entry))
        return 'changed'
      },
    },
    shreds: {
      remove(tenantId, id) {
        const row = sql.findById.get(tenantId, id)
        if (row === undefined) return false
        file(Number(row['n']), tenantId, [])
        sql.remove.run({ id, at: clock() })
        sql.recount.run(tenantId, -1)
        return true
      },
    },
    reads: {
      find(tenantId, name) {
        const byId = 'id' in name
        const row = byId ? sql.findById.get(tenantId, name.id) : sql.findByExternalId.get(tenantId, name.externalId)
        return row && toDirectoryEntry(row)
      },
    },
  } satisfies Table<Recipients>
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
    count: db.prepare('select count from recipient_counts where tenant = ?'),
    recount: db.prepare(`
      insert into recipient_counts (tenant, count) values (?, ?)
      on conflict (tenant) do update set count = count + excluded.count
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
