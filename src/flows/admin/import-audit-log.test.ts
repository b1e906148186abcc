import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryAuditLog } from '../../../test/memory/audit-log.ts'
import { someAuditEntry } from '../../ports/audit-log.contract.ts'
import { importAuditLog } from './import-audit-log.ts'

test('imports all entries, page by page and only once, beside those of the target', async () => {
  const [source, target] = [{ auditLog: memoryAuditLog() }, { auditLog: memoryAuditLog() }]
  const { tenantId: _, ...operators } = someAuditEntry()
  const entries = [operators, ...Array.from({ length: 150 }, () => someAuditEntry())]
  for (const entry of entries) await source.auditLog.append(entry)
  const own = someAuditEntry()
  await target.auditLog.append(own)
  assert.deepEqual(await importAuditLog({ source, target }), { all: 151, added: 151, left: 0 })
  assert.deepEqual(await importAuditLog({ source, target }), { all: 151, added: 0, left: 0 })
  assert.deepEqual(await target.auditLog.list({ limit: 1_000 }), [own, ...entries.toReversed()])
})
