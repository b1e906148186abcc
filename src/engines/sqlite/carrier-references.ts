/** Carrier references in tables: their owners, and the reports received under them. Expired entries are deleted as others are written. */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId, ProviderName } from '../../domain/ids.ts'
import {
  afterRegistration,
  afterReport,
  isOnlyPart,
  type Owner,
  type ReceiptEntry,
} from '../../domain/message/carrier-reference.ts'
import type { PartReport } from '../../domain/message/part-reports.ts'
import type { Clock } from '../../lib/clock.ts'
import { type CarrierReferences, REFERENCES_KEPT_FOR, type Reports } from '../../ports/carrier-references.ts'
import { type Driver, remote } from './driver.ts'
import type { StoreMethods } from './store.ts'
import type { Table } from './tables.ts'

/** The log records the reports of a single-part message: nothing is written here. */
export function sqliteCarrierReferences(driver: Driver<StoreMethods>): CarrierReferences {
  const { find, register, report: store } = remote(driver, 'carrierReferences')
  return {
    register,
    async report(provider, name, report, { onlyIfRegistered = false } = {}) {
      const entry = await find(provider, name)
      const { owner } = entry
      if (owner === undefined && onlyIfRegistered) return undefined
      if (owner === undefined || !isOnlyPart(owner)) return store(provider, name, report)
      return { ...owner, reports: [afterReport(entry, report).report] }
    },
  }
}

type Lookup = Readonly<{ find: (provider: ProviderName, name: string) => ReceiptEntry }>

export function carrierReferenceTable(db: DatabaseSync, clock: Clock) {
  const sql = prepare(db)

  function find(provider: string, name: string): ReceiptEntry {
    const { message, cycle, attempt, names, report } = sql.find.get({ provider, name }) ?? {}
    const ref = { messageId: message as MessageId, cycle: Number(cycle), attempt: Number(attempt) }
    return {
      ...(message === null ? {} : { owner: { ref, names: JSON.parse(String(names)) as Owner['names'] } }),
      ...(report === null ? {} : { report: JSON.parse(String(report)) as PartReport }),
    }
  }

  function writeOwner(provider: string, name: string, { ref, names }: Owner): void {
    const { messageId: message, cycle, attempt } = ref
    sql.own.run({ provider, name, message, cycle, attempt, names: JSON.stringify(names), at: clock() })
    sql.forgetNames.run(clock() - REFERENCES_KEPT_FOR)
  }

  function writeReport(provider: string, name: string, report: PartReport): void {
    sql.report.run({ provider, name, report: JSON.stringify(report), at: clock() })
    sql.forgetReports.run(clock() - REFERENCES_KEPT_FOR)
  }

  const reportsOf = (provider: string, names: readonly string[]): Reports =>
    names.map((name) => find(provider, name).report)

  return {
    reads: { find },
    writes: {
      register(provider, names, ref) {
        const owner = { ref, names }
        return names.map((name) => {
          const entry = find(provider, name)
          const after = afterRegistration(entry, owner)
          if (after !== entry) writeOwner(provider, name, owner)
          if (after.report !== entry.report) sql.unreport.run(provider, name)
          return after.report
        })
      },
      report(provider, name, report) {
        const entry = find(provider, name)
        const after = afterReport(entry, report)
        if (after.report !== undefined && after !== entry) writeReport(provider, name, after.report)
        const { owner } = entry
        return owner && { ...owner, reports: reportsOf(provider, owner.names) }
      },
    },
  } satisfies Table<CarrierReferences & Lookup>
}

function prepare(db: DatabaseSync) {
  return {
    // Always one row: owner or report may be missing.
    find: db.prepare(`
      select message, cycle, attempt, names, report
      from (select :provider as provider, :name as name) as given
        left join receipt_names as n on n.provider = given.provider and n.name = given.name
        left join receipt_reports as r on r.provider = given.provider and r.name = given.name
    `),
    own: db.prepare(`
      insert into receipt_names (provider, name, message, cycle, attempt, names, at)
      values (:provider, :name, :message, :cycle, :attempt, :names, :at)
      on conflict (provider, name) do update set
        message = excluded.message, cycle = excluded.cycle, attempt = excluded.attempt,
        names = excluded.names, at = excluded.at
    `),
    report: db.prepare(`
      insert into receipt_reports (provider, name, report, at) values (:provider, :name, :report, :at)
      on conflict (provider, name) do update set report = excluded.report, at = excluded.at
    `),
    unreport: db.prepare('delete from receipt_reports where provider = ? and name = ?'),
    forgetNames: db.prepare(forgetting('receipt_names')),
    forgetReports: db.prepare(forgetting('receipt_reports')),
  }
}

/** Deletes more than one write adds. */
const forgetting = (table: string): string => `
  delete from ${table} where (provider, name) in
    (select provider, name from ${table} where at < ? order by at limit 4)
`
